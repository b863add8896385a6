"""Planetoid's eight files: what they mean, and what is said when they do not fit together."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from lsgnn import Graph
from lsgnn.datasets.planetoid import read_planetoid
from lsgnn.datasets.registry import Entry, info
from lsgnn.errors import InputError
from lsgnn.graph.splits import Splits
from tests.datasets.planetoid_files import pickled, write_planetoid

ENTRY = dataclasses.replace(info("citeseer"), nodes=6)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six papers: 0, 1, 2 come first, then 5 and 3; paper 4 is left out."""
    masks = Splits(*(np.arange(6) % 3 == part for part in range(3)))
    graph = Graph(
        x=np.array([[1, 0], [0, 1], [2, 0], [0, 3], [0, 0], [5, 5]], dtype=np.float32),
        edge_index=np.array([[0, 1, 3, 5], [1, 0, 5, 3]]),
        y=np.array([0, 1, 2, 1, 0, 2]),
        splits=masks,
    )
    write_planetoid(tmp_path, "citeseer", graph, late=[5, 3], num_early=3)
    return tmp_path


def read(folder: Path, entry: Entry = ENTRY) -> Graph:
    return read_planetoid(folder, entry)


def test_late_nodes_go_where_test_index_says_and_gaps_stay_empty(folder: Path) -> None:
    graph = read(folder)
    assert graph.x.toarray().tolist() == [[1, 0], [0, 1], [2, 0], [0, 3], [0, 0], [5, 5]]  # type: ignore[union-attr]
    assert graph.y.tolist() == [0, 1, 2, 1, 0, 2]
    assert graph.name == "citeseer"


def test_papers_without_any_link(folder: Path) -> None:
    (folder / "ind.citeseer.graph").write_bytes(pickled({}))
    assert read(folder).num_edges == 0


def test_loops_and_repeated_links_are_dropped_without_a_word(folder: Path) -> None:
    graph = read(folder)
    assert graph.edge_index.tolist() == [[0, 1, 3, 5], [1, 0, 5, 3]]
    assert graph.notes == ("2 isolated node(s)", "1 node(s) with all-zero features")


@pytest.mark.parametrize(
    ("part", "content", "said"),
    [
        ("test.index", b"5\n4\n3\n", r"ind\.\* files of 'citeseer' .* do not fit each other"),
        ("test.index", b"5\n6\n", r"test\.index must list nodes from 3 to 5, each at most once"),
        ("test.index", b"5\n5\n3\n", "each at most once"),
        ("test.index", b"3\n1000000000000\n", "must list nodes from 3 to 5"),
        ("test.index", b"", "must list nodes from 3 to 5"),
        ("test.index", b"5\nthree\n", "holds more than node numbers"),
        ("test.index", b"\xff\xfe", "holds more than node numbers"),
        ("test.index", b"9" * 30, "holds more than node numbers"),
        ("allx", pickled(np.ones((3, 2), dtype="<f4")), r"ind\.citeseer\.allx holds no CSR matrix"),
        ("ty", pickled({0: [1]}), r"ind\.citeseer\.ty holds no table of numbers"),
        ("ally", pickled(np.ones(3, dtype="<i4")), r"ind\.citeseer\.ally holds no table of numbers"),
        ("ally", pickled(np.ones((4, 3), dtype="<i4")), "must list nodes from 4 to 5"),
        ("ty", pickled(np.ones((1, 3), dtype="<i4")), "do not fit each other"),
        ("graph", pickled(np.ones(3, dtype="<i4")), r"ind\.citeseer\.graph holds no dict of neighbours"),
        ("graph", pickled({0: [6]}), "points to node 6"),
    ],
)
def test_files_that_do_not_fit_are_named(part: str, content: bytes, said: str, folder: Path) -> None:
    (folder / f"ind.citeseer.{part}").write_bytes(content)
    with pytest.raises(InputError, match=said):
        read(folder)
