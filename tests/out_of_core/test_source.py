from pathlib import Path

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.graph.splits import stratified_splits
from lsgnn.out_of_core.source import open_source
from tests.graphs import random_graph
from tests.out_of_core.stores import arrays_folder

GRAPH = random_graph()


def test_a_folder_of_arrays_is_mapped_not_read(tmp_path: Path) -> None:
    arrays = open_source(arrays_folder(tmp_path / "arrays", GRAPH))
    assert isinstance(arrays.x.base, np.memmap)
    np.testing.assert_array_equal(arrays.edge_index, GRAPH.edge_index)
    np.testing.assert_array_equal(arrays.split.val, stratified_splits(GRAPH.y)[0].val)
    assert list(arrays.node_ids[:2]) == ["n0", "n1"]
    assert arrays.class_names == GRAPH.class_names


def test_without_masks_the_split_is_stratified(tmp_path: Path) -> None:
    folder = arrays_folder(tmp_path / "arrays", GRAPH)
    for name in ("train_mask", "val_mask", "test_mask"):
        (folder / f"{name}.npy").unlink()
    np.testing.assert_array_equal(open_source(folder).split.train, stratified_splits(GRAPH.y, 1)[0].train)


def test_a_graph_comes_with_the_split_that_is_asked_for() -> None:
    arrays = open_source(GRAPH, split=3)
    np.testing.assert_array_equal(arrays.split.test, stratified_splits(GRAPH.y)[3].test)
    assert arrays.identity != open_source(GRAPH, split=2).identity


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("x", None, "has no x.npy"),
        ("x", np.zeros(40), "x.npy is of shape"),
        ("x", np.full((40, 1), "a"), "must hold numbers"),
        ("x", np.zeros((40, 0)), "rows and columns"),
        ("x", np.zeros((0, 3)), "rows and columns"),
        ("y", np.zeros(40, int), r"labels of 1 class\(es\)"),
        ("node_ids", np.zeros(40, int), "node id 0 stands 40 times"),
        ("edge_weight", np.full(GRAPH.num_edges, "a"), "must hold numbers"),
        ("edge_index", np.zeros((3, 4), int), r"edge_index.npy is of shape \(3, 4\)"),
        ("edge_index", np.zeros((2, 4)), "whole numbers"),
        ("y", np.zeros(39, int), r"y.npy is of shape \(39,\)"),
        ("edge_weight", np.ones(2), "edge_weight.npy is of shape"),
        ("val_mask", None, "no val_mask.npy"),
        ("val_mask", np.ones(40, bool), "in two masks"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, file: str, content: object, message: str) -> None:
    folder = arrays_folder(tmp_path / "arrays", GRAPH)
    (folder / f"{file}.npy").unlink(missing_ok=True)
    if content is not None:
        np.save(folder / f"{file}.npy", content)
    with pytest.raises(InputError, match=message):
        open_source(folder)


def test_a_file_that_is_no_array_is_refused(tmp_path: Path) -> None:
    folder = arrays_folder(tmp_path / "arrays", GRAPH)
    for content in (b"not an array", b""):
        (folder / "x.npy").write_bytes(content)
        with pytest.raises(InputError, match=r"x\.npy cannot be read"):
            open_source(folder)
    with pytest.raises(InputError, match="split=1"):
        open_source(folder, split=1)
