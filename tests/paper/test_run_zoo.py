"""`run_zoo --fresh`: what another version of a model made is run again, and is gone only when that is finished."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lsgnn.benchmark.bench import Bench
from lsgnn.benchmark.units import Unit
from lsgnn.graph.splits import stratified_splits
from paper.scripts import run_zoo
from tests.graphs import two_blocks

TINY = two_blocks()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for units of a tiny graph that is called Texas; every training run has three epochs."""
    threads = torch.get_num_threads()
    graph = replace(TINY, name="texas", splits=stratified_splits(TINY.y, 3))
    monkeypatch.setattr(run_zoo, "load", lambda name: graph)
    monkeypatch.setattr(run_zoo, "LIGHTER", {("gcn", "texas"): {"epochs": 3, "patience": 0}})
    yield tmp_path / "zoo"
    torch.set_num_threads(threads)
    torch.set_flush_denormal(False)


def of_version(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("lsgnn.benchmark.bench", "paper.scripts.run_zoo"):
        monkeypatch.setattr(f"{module}.model_code", lambda name: code)


def call(store: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    given = ["run_zoo", "--datasets", "texas", "--models", "gcn", "--store", str(store), *words]
    monkeypatch.setattr(sys, "argv", given)
    run_zoo.main()


def codes(folder: Path) -> list[str]:
    file = folder / "texas" / "gcn.jsonl"
    return [json.loads(line)["code"] for line in file.read_text().splitlines()] if file.exists() else []


def test_new_units_take_the_place_of_old_ones(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_version("old", monkeypatch)
    call(store, monkeypatch)
    of_version("new", monkeypatch)
    call(store, monkeypatch)  # without --fresh what is there is not computed again
    assert codes(store) == ["old"] * 3
    call(store, monkeypatch, "--fresh")
    assert codes(store) == ["new"] * 3
    assert codes(store.with_name("zoo-replaced")) == ["old"] * 3
    assert codes(store.with_name("zoo-fresh")) == []


def test_a_fresh_run_that_is_killed_loses_nothing_and_goes_on(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_version("old", monkeypatch)
    call(store, monkeypatch)
    before = (store / "texas" / "gcn.jsonl").read_bytes()
    of_version("new", monkeypatch)
    computed: list[int] = []
    of_a_unit = Bench.unit

    def killed_at_the_third(bench: object, number: int, *more: object) -> Unit:
        if len(computed) == 2:
            computed.append(-1)
            raise KeyboardInterrupt
        computed.append(number)
        return of_a_unit(bench, number, *more)

    monkeypatch.setattr(Bench, "unit", killed_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        call(store, monkeypatch, "--fresh")
    assert (store / "texas" / "gcn.jsonl").read_bytes() == before
    assert codes(store.with_name("zoo-fresh")) == ["new"] * 2
    call(store, monkeypatch, "--fresh")
    assert computed == [0, 1, -1, 2]
    assert codes(store) == ["new"] * 3


def test_units_of_a_version_in_between_do_not_mix_with_the_newest(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_version("between", monkeypatch)
    call(store, monkeypatch)
    (store.with_name("zoo-fresh") / "texas").mkdir(parents=True)
    (store / "texas" / "gcn.jsonl").rename(store.with_name("zoo-fresh") / "texas" / "gcn.jsonl")
    of_version("old", monkeypatch)
    call(store, monkeypatch)
    of_version("new", monkeypatch)
    call(store, monkeypatch, "--fresh")
    assert codes(store) == ["new"] * 3
    assert codes(store.with_name("zoo-replaced")) == ["between"] * 3 + ["old"] * 3
