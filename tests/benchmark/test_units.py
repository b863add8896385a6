"""Finished units: files that only grow, survive kills and damage, and may be shared by processes."""

import fcntl
import json
import resource
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import Graph, LSGNNConfig
from lsgnn.benchmark.units import Unit, UnitFile, UnitStore, key_of
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


def test_what_is_added_is_read_back_by_its_key(tmp_path: Path) -> None:
    file = UnitFile(tmp_path / "new" / "gcn.jsonl")
    assert file.units() == {}
    file.add("a", {"test": 81.5, "name": "Ω", "lost": float("nan")})
    file.add("b", {"test": 1})
    assert file.units() == {"a": {"test": 81.5, "name": "Ω", "lost": None}, "b": {"test": 1}}
    assert [json.loads(line)["key"] for line in file.path.read_text("utf-8").splitlines()] == ["a", "b"]


def test_of_lines_with_one_key_the_last_counts(tmp_path: Path) -> None:
    file = UnitFile(tmp_path / "units.jsonl")
    for key, test in (("a", 1), ("b", 2), ("a", 3)):
        file.add(key, {"test": test})
    assert list(file.units().items()) == [("b", {"test": 2}), ("a", {"test": 3})]


def test_wherever_a_writer_was_killed_no_other_line_is_lost(tmp_path: Path) -> None:
    file = UnitFile(tmp_path / "units.jsonl")
    file.add("a", {"test": 1})
    first = file.path.stat().st_size
    file.add("b", {"test": 2})
    content = file.path.read_bytes()
    for end in range(first, len(content) - 1):  # without its last brace at the least
        file.path.write_bytes(content[:end])
        assert list(file.units()) == ["a"]
        file.add("c", {"test": 3})
        assert file.units() == {"a": {"test": 1}, "c": {"test": 3}}


@given(st.lists(st.binary(max_size=30).filter(lambda damage: b"\n" not in damage), max_size=4))
def test_damaged_lines_are_passed_over(tmp_path_factory: pytest.TempPathFactory, damage: list[bytes]) -> None:
    file = UnitFile(tmp_path_factory.mktemp("store") / "units.jsonl")
    known = [b"[1]", b"null", b'{"test": 1}', b'{"key": 7}', b"\xff\xfe", b"\x00" * 9, b"[" * 100_000]
    good = [json.dumps({"key": f"k{i}", "test": i}).encode() for i in range(3)]
    file.path.write_bytes(b"\n".join([*known, good[0], *damage, good[1], b"", good[2]]))
    assert file.units() == {f"k{i}": {"test": i} for i in range(3)}


def test_processes_may_add_at_once(tmp_path: Path) -> None:
    path = tmp_path / "units.jsonl"
    code = (
        "import sys, pathlib; from lsgnn.benchmark.units import UnitFile\n"
        "for i in range(40): UnitFile(pathlib.Path(sys.argv[1])).add(f'{sys.argv[2]}-{i}', {'text': 'x' * 5_000})"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, path, str(writer)]) for writer in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert set(UnitFile(path).units()) == {f"{writer}-{i}" for writer in range(2) for i in range(40)}
    assert path.read_bytes().count(b"\n") == 80


def test_a_writer_waits_while_another_writes(tmp_path: Path) -> None:
    file = UnitFile(tmp_path / "units.jsonl")
    with file.path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        writer = threading.Thread(target=file.add, args=("a", {}))
        writer.start()
        writer.join(0.3)
        assert writer.is_alive()
        assert file.path.read_bytes() == b""
    writer.join(10)
    assert list(file.units()) == ["a"]


def test_one_sees_what_another_adds(tmp_path: Path) -> None:
    one, other = UnitFile(tmp_path / "units.jsonl"), UnitFile(tmp_path / "units.jsonl")
    one.add("a", {})
    assert list(other.units()) == ["a"]
    one.add("b", {})
    assert list(other.units()) == ["a", "b"]


@contextmanager
def room_for(size: int) -> Any:
    """No file may grow beyond that size: the system itself then writes a part of a line, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_without_room_for_the_whole_line_nothing_is_added(tmp_path: Path) -> None:
    file = UnitFile(tmp_path / "units.jsonl")
    file.add("a", {"test": 1})
    before = file.path.read_bytes()
    with room_for(len(before) + 10), pytest.raises(InputError, match=r"cannot add to .*units\.jsonl .*: make room"):
        file.add("b", {"text": "x" * 100})
    assert file.path.read_bytes() == before


def test_places_that_cannot_hold_units_are_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    for act in (lambda file: file.units(), lambda file: file.add("a", {})):
        with pytest.raises(InputError, match=r"cannot (read|add to) .*folder\.jsonl \(Is a directory\)"):
            act(UnitFile(tmp_path / "folder.jsonl"))
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
        store.key("gcn", SPLIT, config, "macro_f1"),
        UnitStore(tmp_path, two_blocks(seed=1)).key("gcn", SPLIT, config, "accuracy"),
    }
    assert len(keys) == 6
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1})


def test_a_unit_is_found_by_its_split_whatever_number_that_has_today(tmp_path: Path) -> None:
    UnitStore(tmp_path, GRAPH).add("k", UNIT)
    store = UnitStore(tmp_path, GRAPH)
    assert store.get("k", "gcn", 0) == UNIT
    assert store.get("k", "gcn", 4) == replace(UNIT, split=4)
    assert store.get("other", "gcn", 0) is None
    assert store.get("k", "sgc", 0) is None
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.jsonl")] == ["two-blocks/gcn.jsonl"]


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
