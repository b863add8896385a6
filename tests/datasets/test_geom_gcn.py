"""Geom-GCN's text tables: damaged ones are named, with what is wrong (tests of the layout: `test_publishers`)."""

from pathlib import Path

import numpy as np
import pytest

from lsgnn.datasets.geom_gcn import TABLES, read_geom_gcn, split_files
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph

NODES = "node_id\tfeature\tlabel\n0\t1,0\t0\n1\t0,1\t1\n"
LINKS = "node_id\tnode_id\n0\t1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for table, text in zip(TABLES, (NODES, LINKS), strict=True):
        (tmp_path / table).write_text(text)
    for file in split_files("toy"):
        np.savez(tmp_path / file, train_mask=[True, False], val_mask=[False, True], test_mask=[False, False])
    return tmp_path


def read(folder: Path, words: bool = False) -> Graph:
    return read_geom_gcn(folder, "toy", name="toy", words=words)


def test_rows_of_numbers_or_numbers_of_words(folder: Path) -> None:
    assert np.asarray(read(folder).x).tolist() == [[1, 0], [0, 1]]
    (folder / TABLES[0]).write_text("names\n1\t2,0\t1\n0\t1,1\t0\n")  # nodes in any order, a word twice
    graph = read(folder, words=True)
    assert graph.x.toarray().tolist() == [[0, 1, 0], [1, 0, 1]]  # type: ignore[union-attr]
    assert graph.y.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("words", "table", "text", "said"),
    [
        (False, 0, "", "must have a line of names and a line per row"),
        (False, 0, "names\n0\t1,0\n", "three columns"),
        (False, 0, "names\n0\t1,0\t0\n1\t0\t1\n", "something else than numbers"),  # rows of two lengths
        (False, 0, "names\n0\t\t0\n1\t\t1\n", "empty line or column"),
        (False, 0, "names\n0\t1,0\tstudent\n1\t0,1\t1\n", "something else than numbers .*'student'"),
        (False, 1, "names\n0\tone\n", "something else than numbers .*'one'"),
        (False, 1, "names\n0\t1\t2\n", "edge_index has shape"),
        (False, 1, "names\n0\t2\n", "points to node 2"),
        (True, 0, "names\n0\t1\t0\n5\t1\t1\n", "the nodes 0 to 1, each once"),
        (True, 0, "names\n0\t1\t0\n1\t-1\t1\n", "the word number -1"),
        (True, 0, "names\n0\t1\t0\n1\t1,,2\t1\n", "something else than numbers"),
    ],
)
def test_a_damaged_table_is_named(words: bool, table: int, text: str, said: str, folder: Path) -> None:
    (folder / TABLES[table]).write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        read(folder, words)
    assert TABLES[table] in str(caught.value) or "edge" in said or "node 2" in said


def test_what_is_no_text_is_said(folder: Path) -> None:
    (folder / TABLES[1]).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"out1_graph_edges\.txt is not text"):
        read(folder)


def test_masks_of_another_graph_are_said(folder: Path) -> None:
    np.savez(folder / split_files("toy")[3], train_mask=[True], val_mask=[False], test_mask=[False])
    with pytest.raises(InputError, match=r"the masks of toy in .* differ in length"):
        read(folder)


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>", b"PK\x03\x04 half a zip", b"\x93NUMPY\x01\x00"])
def test_damaged_masks_are_one_sentence(content: bytes, folder: Path) -> None:
    (folder / split_files("toy")[0]).write_bytes(content)
    with pytest.raises(InputError, match=r"toy_split_0\.6_0\.2_0\.npz cannot be read as a \.npz file"):
        read(folder)
