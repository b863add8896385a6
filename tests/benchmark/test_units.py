"""Finished units: known by everything that decides them, and computed again where they are damaged."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lsgnn import Graph, LSGNNConfig
from lsgnn.benchmark.units import Unit, UnitStore
from lsgnn.errors import InputError
from lsgnn.graph.splits import Split, stratified_splits
from lsgnn.zoo.gcn import GCNConfig
from tests.graphs import two_blocks

GRAPH = two_blocks()
SPLIT = stratified_splits(GRAPH.y, 1)[0]
UNIT = Unit(
    dataset="two-blocks",
    model="gcn",
    split=0,
    metric="accuracy",
    val=80.0,
    test=81.5,
    best_epoch=3,
    epochs=9,
    seconds=0.5,
    prepare_seconds=0.25,
    num_parameters=7,
    config={"lr": 0.1},
    environment={"python": "3"},
)


def test_a_place_that_cannot_hold_units_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "occupied").touch()
    with pytest.raises(InputError, match=r"cannot make the folder .*occupied"):
        UnitStore(tmp_path / "occupied", GRAPH)  # before anything is trained


def test_everything_that_decides_a_result_is_in_its_key(tmp_path: Path) -> None:
    store, config = UnitStore(tmp_path, GRAPH), GCNConfig()
    other = replace(SPLIT, train=SPLIT.val, val=SPLIT.train)
    keys = {
        store.key("gcn", SPLIT, config, "accuracy"),
        store.key("sgc", SPLIT, config, "accuracy"),
        store.key("gcn", other, config, "accuracy"),
        store.key("gcn", SPLIT, config.replace(lr=0.5), "accuracy"),
        store.key("gcn", SPLIT, config.replace(structure_features="degrees"), "accuracy"),
        store.key("gcn", SPLIT, config, "macro_f1"),
        UnitStore(tmp_path, two_blocks(seed=1)).key("gcn", SPLIT, config, "accuracy"),
    }
    assert len(keys) == 7


def test_a_unit_is_found_by_its_split_whatever_number_that_has_today(tmp_path: Path) -> None:
    UnitStore(tmp_path, GRAPH).add("k", UNIT)
    store = UnitStore(tmp_path, GRAPH)
    assert store.get("k", "gcn", 0) == UNIT
    assert store.get("k", "gcn", 4) == replace(UNIT, split=4)
    assert store.get("other", "gcn", 0) is None
    assert store.get("k", "sgc", 0) is None
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.jsonl")] == ["two-blocks/gcn.jsonl"]


def test_a_line_from_before_cpu_seconds_and_recall_is_a_finished_unit(tmp_path: Path) -> None:
    old = {
        name: value
        for name, value in vars(UNIT).items()
        if name not in ("cpu_seconds", "prepare_cpu_seconds", "recall")
    }
    assert Unit.of(old) == UNIT
    assert (UNIT.cpu_seconds, UNIT.recall) == (None, ())
    new = replace(UNIT, cpu_seconds=0.5, prepare_cpu_seconds=0.1, recall=(50.0, None))
    UnitStore(tmp_path, GRAPH).add("k", new)
    assert UnitStore(tmp_path, GRAPH).get("k", "gcn", 0) == new
    for damage in ({"cpu_seconds": "long"}, {"recall": "high"}, {"recall": ["x"]}):
        assert Unit.of(vars(new) | damage) is None


@pytest.mark.parametrize("damage", [{"test": None}, {"val": "high"}, {"config": []}, {"split": "0"}])
def test_a_unit_with_a_damaged_part_is_none(damage: dict[str, Any]) -> None:
    whole = vars(UNIT)
    assert Unit.of(whole) == UNIT
    assert Unit.of(whole | damage) is None
    assert Unit.of({name: value for name, value in whole.items() if name not in damage}) is None
    assert Unit.of(None) is None


def test_the_name_of_a_graph_stays_within_the_store(tmp_path: Path) -> None:
    store = UnitStore(tmp_path / "store", replace(GRAPH, name="../a graph/of mine"))
    assert store.folder == tmp_path / "store" / "_._a_graph_of_mine"
    for name in ("", ".", ".."):
        folder = UnitStore(tmp_path / "store", replace(GRAPH, name=name)).folder
        assert folder is not None
        assert folder.parent == tmp_path / "store"
        assert not folder.name.startswith(".")


def test_without_a_folder_nothing_is_kept() -> None:
    store = UnitStore(None, GRAPH)
    store.add("k", UNIT)
    assert store.get("k", "gcn", 0) is None


def test_a_unit_is_known_by_data_split_model_settings_and_metric(tmp_path: Path) -> None:
    graph = Graph(x=np.eye(3), edge_index=[[0, 1], [1, 2]], edge_weight=[1.0, 2.0], y=[0, 1, 0])
    split, config = Split(*np.eye(3, dtype=bool)), LSGNNConfig()
    store = UnitStore(tmp_path, graph)
    weighted_otherwise = UnitStore(tmp_path, replace(graph, edge_weight=[2.0, 2.0]))
    other_splits = [Split(*np.eye(3, dtype=bool)[order]) for order in ([1, 0, 2], [0, 2, 1])]
    keys = [
        store.key("lsgnn", split, config, "accuracy"),
        store.key("gcn", split, config, "accuracy"),
        store.key("lsgnn", split, config.replace(seed=1), "accuracy"),
        store.key("lsgnn", split, config, "macro_f1"),
        weighted_otherwise.key("lsgnn", split, config, "accuracy"),
        *(store.key("lsgnn", other, config, "accuracy") for other in other_splits),
    ]
    assert len(set(keys)) == len(keys)
