"""PyG's own classes, run on the publishers' raw files with no network, give the graphs of the data folder."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph, datasets
from lsgnn.datasets.pyg import load_pyg, raw_files
from lsgnn.datasets.registry import info
from lsgnn.errors import InputError
from lsgnn.graph.sparsity import sparse_if_mostly_zero


def assert_same_graph(a: Graph, b: Graph) -> None:
    assert sp.issparse(a.x)
    assert (a.x != b.x).nnz == 0
    assert np.array_equal(a.y, b.y)
    assert np.array_equal(a.edge_index, b.edge_index)
    assert a.splits is not None
    assert b.splits is not None
    for part in ("train", "val", "test"):
        assert np.array_equal(getattr(a.splits, part), getattr(b.splits, part))


@pytest.mark.dataset
@pytest.mark.parametrize("name", ["cora", "texas", "cornell"])
def test_raw_files_equal_the_npz(name: str, data_dir: Path, raw_dir: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(raw_dir / name, cache / "raw" / name / name)  # PyG writes beside the raw files
    from_raw = datasets.load(name)
    assert_same_graph(from_raw, datasets.load(name, data_dir=data_dir))
    assert_same_graph(datasets.load(name), from_raw)  # the second time from the cache
    assert (cache / f"{name}.npz").is_file()


@pytest.mark.dataset
def test_a_replaced_cornell_is_refused(raw_dir: Path, tmp_path: Path) -> None:
    shutil.copytree(raw_dir / "cornell", tmp_path / "cornell")
    table = tmp_path / "cornell" / "raw" / "out1_node_feature_label.txt"
    table.chmod(0o644)
    table.write_text(table.read_text() + "\n")
    with pytest.raises(InputError, match=r"out1_node_feature_label\.txt has md5 .*it must be e07ca9591cee5c06"):
        load_pyg(info("cornell"), tmp_path)


def write_geom_gcn(folder: Path, name: str, row: str) -> None:
    """Three nodes 0 → 1 → 2 in Geom-GCN's layout; `row` formats the features of a node."""
    folder.mkdir(parents=True)
    rows = [f"{i}\t{row.format(i)}\t{i % 2}" for i in range(3)]
    (folder / "out1_node_feature_label.txt").write_text("\n".join(["node_id\tfeature\tlabel", *rows, ""]))
    (folder / "out1_graph_edges.txt").write_text("node_id\tnode_id\n0\t1\n1\t2\n0\t1\n")
    masks = {f"{part}_mask": (np.arange(3) == i).astype(np.uint8) for i, part in enumerate(("train", "val", "test"))}
    for s in range(10):
        np.savez(folder / f"{name}_split_0.6_0.2_{s}.npz", **masks)


@pytest.mark.parametrize(
    ("dataset", "folder", "row", "d"),
    [
        ("wisconsin", "wisconsin/raw", "1,0,{}", 3),
        ("squirrel", "squirrel/geom_gcn/raw", "1,0,{}", 3),
        ("actor", "raw", "0,{}", 3),
    ],
)
def test_geom_gcn_layout(dataset: str, folder: str, row: str, d: int, tmp_path: Path) -> None:
    entry = info(dataset)
    write_geom_gcn(tmp_path / folder, entry.upstream, row)
    graph = load_pyg(entry, tmp_path)
    assert graph.edge_index.tolist() == [[0, 1], [1, 2]]  # direction kept, duplicate merged
    assert graph.x.shape == (3, d)
    assert graph.y.tolist() == [0, 1, 0]
    assert graph.splits is not None
    assert graph.splits.train.shape == (10, 3)
    assert graph.splits[0].val.tolist() == [False, True, False]


def test_heterophilous_layout_is_symmetrised(tmp_path: Path) -> None:
    (tmp_path / "minesweeper" / "raw").mkdir(parents=True)
    masks = {f"{part}_masks": np.eye(3, dtype=bool)[i : i + 1] for i, part in enumerate(("train", "val", "test"))}
    np.savez(
        tmp_path / "minesweeper" / "raw" / "minesweeper.npz",
        node_features=np.eye(3, dtype=np.float32),
        node_labels=np.array([0, 1, 0]),
        edges=np.array([[0, 1], [1, 2]]),
        **masks,
    )
    graph = load_pyg(info("minesweeper"), tmp_path)
    assert graph.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert graph.splits is not None
    assert graph.splits[0].test.tolist() == [False, False, True]


def test_damaged_raw_files_are_one_sentence(tmp_path: Path) -> None:
    write_geom_gcn(tmp_path / "wisconsin" / "raw", "wisconsin", "not,numbers")
    with pytest.raises(InputError, match=r"the raw files of 'wisconsin' in .* cannot be read"):
        load_pyg(info("wisconsin"), tmp_path)


def test_every_geom_gcn_file_comes_from_the_pinned_commit() -> None:
    for name in ("cora", "cornell", "chameleon", "actor"):
        urls = [url for url in raw_files(info(name)).values() if "geom-gcn" in url]
        assert len(urls) >= 10
        assert all("/f1fc0d14b3b019c562737240d06ec83b07d16a8f/" in url for url in urls)


def test_no_pyg_loader_for_other_kinds() -> None:
    with pytest.raises(InputError, match="PyG has no loader 'ogb'"):
        raw_files(info("ogbn-arxiv"))


def test_bags_of_words_become_sparse_and_short_rows_stay_dense() -> None:
    assert sp.issparse(sparse_if_mostly_zero(np.eye(200)))
    assert not sp.issparse(sparse_if_mostly_zero(np.eye(7)))
    assert not sp.issparse(sparse_if_mostly_zero(np.ones((4, 300))))
