"""Units by several processes are those of one, and errors come through as the sentences they are."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from lsgnn.benchmark.compare import compare
from lsgnn.benchmark.worker import ABOUT, GRAPH, Wanted, computed, serve
from lsgnn.errors import InputError
from lsgnn.files import write_json
from lsgnn.graph.graph import Graph
from lsgnn.graph.split_checks import default_splits
from lsgnn.zoo import get
from tests.graphs import two_blocks

SHORT = {"epochs": 3}


def units(graph: Graph, workers: int) -> list[tuple[str, int, float, float, int, str]]:
    changes = {"gcn": SHORT, "mlp": SHORT}
    found = compare(graph, ["gcn", "mlp"], which=[0, 2], changes=changes, workers=workers)
    return [
        (unit.model, unit.split, unit.val, unit.test, unit.num_parameters, unit.dataset)
        for row in found.rows
        for unit in row.units
    ]


def test_two_processes_give_what_one_gives() -> None:
    graph = two_blocks()
    assert units(graph, 2) == units(graph, 1)


def test_finished_units_are_kept_and_told_whoever_computed_them(tmp_path: Path) -> None:
    graph, told = two_blocks(), list[tuple[str, int]]()
    for _ in range(2):
        how = dict(which=[0, 1], changes={"mlp": SHORT, "sgc": SHORT}, store=tmp_path, workers=2)
        compare(graph, ["mlp", "sgc"], on_done=lambda unit: told.append((unit.model, unit.split)), **how)  # type: ignore[arg-type]
    expected = [("mlp", 0), ("mlp", 1), ("sgc", 0), ("sgc", 1)]
    assert sorted(told[:4]) == expected
    assert told[4:] == expected  # by the second call, from the store


def test_no_process_or_fewer_is_refused() -> None:
    with pytest.raises(InputError, match="workers=0 is out of range"):
        compare(two_blocks(), ["mlp"], workers=0)


def test_an_error_of_a_unit_is_its_sentence(tmp_path: Path) -> None:
    graph = two_blocks()
    replace(graph, splits=default_splits(graph)).save(tmp_path / GRAPH)
    write_json(tmp_path / ABOUT, {"metric": "accuracy"})
    config = get("mlp").config().to_dict() | {"epochs": -1}
    answer = io.StringIO()
    serve(tmp_path, [json.dumps({"model": "mlp", "split": 0, "config": config})], answer)
    assert "epochs" in json.loads(answer.getvalue())["error"]


def test_an_error_in_a_process_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = two_blocks()
    config = get("mlp").config()
    wanted = [Wanted("mlp", number, config.replace(epochs=2)) for number in range(2)]
    monkeypatch.setattr(type(config), "to_dict", lambda self: {"epochs": -1})
    with pytest.raises(InputError, match="epochs"):
        list(computed(wanted, graph, default_splits(graph), "accuracy", workers=2))
