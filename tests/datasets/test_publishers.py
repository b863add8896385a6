"""Publishers' files, read with no network and no PyG, give PyG's graphs; files of somebody else are not used."""

import contextlib
import dataclasses
import hashlib
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph, datasets
from lsgnn.datasets import download, names
from lsgnn.datasets.content import content_sha256
from lsgnn.datasets.publishers import load_raw, raw_files
from lsgnn.datasets.registry import Entry, info
from lsgnn.errors import InputError
from lsgnn.graph.graph import as_array
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.graph.splits import Splits, authors_splits
from tests.datasets.hostile import Touches, hostile_pickles
from tests.datasets.planetoid_files import parts_of, write_planetoid


def assert_same_graph(a: Graph, b: Graph) -> None:
    assert sp.issparse(a.x)
    assert (a.x != b.x).nnz == 0
    assert np.array_equal(a.y, b.y)
    assert np.array_equal(a.edge_index, b.edge_index)
    assert a.splits is not None
    assert b.splits is not None
    for part in ("train", "val", "test"):
        assert np.array_equal(getattr(a.splits, part), getattr(b.splits, part))


def toy(dataset: str, **facts: Any) -> Entry:
    """A dataset's entry for files that a test writes itself."""
    return dataclasses.replace(info(dataset), raw_sha256={}, content_sha256="", **facts)


# --------------------------------------------------------------------------- the real files


@pytest.mark.dataset
@pytest.mark.parametrize("name", ["cora", "texas", "cornell"])
def test_raw_files_equal_the_npz(name: str, data_dir: Path, raw_dir: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(raw_dir / name, cache / "raw" / name / name)
    from_raw = datasets.load(name)
    assert_same_graph(from_raw, datasets.load(name, data_dir=data_dir))
    assert_same_graph(datasets.load(name), from_raw)  # the second time from the cache
    assert (cache / f"{name}.npz").is_file()


@pytest.mark.dataset
@pytest.mark.parametrize(("name", "early", "labelled"), [("citeseer", 2312, 120), ("pubmed", 18717, 60)])
def test_listed_digests_are_those_of_our_own_numbers(name: str, early: int, labelled: int, data_dir: Path) -> None:
    """We do not hold these files, but four of the eight follow byte for byte from the graph."""
    graph = Graph.load(data_dir / f"{name}.npz")
    parts = parts_of(graph, range(early, graph.num_nodes), early, labelled)
    for part in ("x", "allx", "y", "ally"):
        assert hashlib.sha256(parts[part]).hexdigest() == info(name).raw_sha256[f"ind.{name}.{part}"]


@pytest.mark.dataset
@pytest.mark.parametrize(("name", "early"), [("citeseer", 2312), ("pubmed", 18717)])
def test_a_graph_comes_back_from_planetoids_layout(name: str, early: int, data_dir: Path, tmp_path: Path) -> None:
    graph = Graph.load(data_dir / f"{name}.npz")
    late = np.random.default_rng(0).permutation(np.arange(early, graph.num_nodes))
    left_out = np.flatnonzero(np.diff(sp.csr_array(graph.x).indptr) == 0)  # Citeseer's 15 nodes without features
    late = late[~np.isin(late, left_out)]
    assert len(late) == 1000
    write_planetoid(tmp_path / name / "geom-gcn" / "raw", name, graph, late, early)
    assert content_sha256(load_raw(toy(name), tmp_path)) == info(name).content_sha256


@pytest.mark.dataset
def test_files_are_downloaded_from_the_pinned_addresses(
    raw_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answer(url: str, file: BinaryIO) -> None:
        asked.append(url)
        file.write((raw_dir / "cora" / "geom-gcn" / "raw" / url.rpartition("/")[2]).read_bytes())

    monkeypatch.setattr(download, "download", answer)
    assert content_sha256(load_raw(info("cora"), tmp_path)) == info("cora").content_sha256
    assert asked == list(raw_files(info("cora")).values())
    assert asked[0] == (
        "https://raw.githubusercontent.com/kimiyoung/planetoid/af6abf468a772cc055bec88c52e4d6f51b7c37e3/data/ind.cora.x"
    )


@pytest.mark.dataset
def test_a_replaced_cornell_is_refused(raw_dir: Path, tmp_path: Path) -> None:
    shutil.copytree(raw_dir / "cornell", tmp_path / "cornell")
    table = tmp_path / "cornell" / "raw" / "out1_node_feature_label.txt"
    table.chmod(0o644)
    table.write_text(table.read_text() + "\n")
    with pytest.raises(InputError, match=r"out1_node_feature_label\.txt has SHA-256 .*it must be cf5a3ca346cd"):
        load_raw(info("cornell"), tmp_path)
    assert table.is_file()


# --------------------------------------------------------------------------- the same graphs as PyG's


def write_geom_gcn(folder: Path, name: str, row: str) -> None:
    """Three nodes 0 → 1 → 2 in Geom-GCN's layout; `row` formats the features of a node."""
    folder.mkdir(parents=True)
    rows = [f"{i}\t{row.format(i)}\t{i % 2}" for i in range(3)]
    (folder / "out1_node_feature_label.txt").write_text("\n".join(["node_id\tfeature\tlabel", *rows, ""]))
    (folder / "out1_graph_edges.txt").write_text("node_id\tnode_id\n0\t1\n1\t2\n0\t1\n")
    masks = {f"{part}_mask": (np.arange(3) == i).astype(np.uint8) for i, part in enumerate(("train", "val", "test"))}
    for s in range(10):
        np.savez(folder / f"{name}_split_0.6_0.2_{s}.npz", **masks)


def write_yandex(folder: Path, name: str) -> None:
    folder.mkdir(parents=True)
    masks = {f"{part}_masks": np.eye(3, dtype=bool)[i : i + 1] for i, part in enumerate(("train", "val", "test"))}
    np.savez(
        folder / f"{name}.npz",
        node_features=np.eye(3, dtype=np.float32),
        node_labels=np.array([0, 1, 0]),
        edges=np.array([[0, 1], [1, 2]]),
        **masks,
    )


def write_citations(folder: Path, name: str, late: list[int]) -> Entry:
    """520 papers (PyG takes 500 of them to validate), the last ten in another order; those not in `late` left out."""
    random = np.random.default_rng(0)
    x = sp.random_array((520, 30), density=0.1, random_state=random, format="csr", dtype=np.float32).toarray()
    y = random.integers(0, 3, 520)
    left_out = np.setdiff1d(np.arange(510, 520), late)
    x[left_out], y[left_out] = 0, 0
    links = random.integers(0, 520, (2, 900))
    links = links[:, links[0] != links[1]]
    graph = Graph(x=x, edge_index=np.concatenate([links, links[::-1]], axis=1), y=y, splits=authors_splits(y))
    write_planetoid(folder, name, graph, late, num_early=510, num_labelled=4)
    return toy(name, nodes=520)


@pytest.fixture(params=["cora", "citeseer", "wisconsin", "squirrel", "actor", "minesweeper"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Entry, Path]:
    """A small dataset of each layout, in the folders of the cache."""
    root = tmp_path / "root"
    match request.param:
        case "cora":
            order = [519, 512, 510, 517, 511, 513, 516, 518, 515, 514]
            return write_citations(root / "cora" / "geom-gcn" / "raw", "cora", order), root
        case "citeseer":
            return write_citations(root / "citeseer" / "geom-gcn" / "raw", "citeseer", [519, 512, 510, 517]), root
        case "wisconsin":
            write_geom_gcn(root / "wisconsin" / "raw", "wisconsin", "1,0,{}")
        case "squirrel":
            write_geom_gcn(root / "squirrel" / "geom_gcn" / "raw", "squirrel", "0.1,0,{}")
        case "actor":
            write_geom_gcn(root / "raw", "film", "0,{0},{0}")
        case "minesweeper":
            write_yandex(root / "minesweeper" / "raw", "minesweeper")
    return toy(request.param), root


def pygs_graph(entry: Entry, root: Path) -> Graph:
    """What PyG's own class reads from the same files."""
    from torch_geometric import datasets as pyg

    match entry.loader:
        case "planetoid":
            found: Any = pyg.Planetoid(str(root), entry.upstream, split="geom-gcn")
        case "webkb":
            found = pyg.WebKB(str(root), entry.upstream)
        case "wikipedia":
            found = pyg.WikipediaNetwork(str(root), entry.upstream, geom_gcn_preprocess=True)
        case "actor":
            found = pyg.Actor(str(root))
        case _:
            found = pyg.HeterophilousGraphDataset(str(root), entry.upstream)
    data = found[0]
    masks = (as_array(getattr(data, f"{part}_mask")).T.astype(bool) for part in ("train", "val", "test"))
    return Graph(x=data.x, edge_index=data.edge_index, y=data.y, splits=Splits(*masks), name=entry.name)


@pytest.mark.filterwarnings("ignore")
def test_pyg_reads_the_same_graph(files: tuple[Entry, Path]) -> None:
    entry, root = files
    ours, theirs = load_raw(entry, root), pygs_graph(entry, root)
    assert content_sha256(ours) == content_sha256(theirs)
    assert ours.notes == theirs.notes


@pytest.mark.parametrize(
    ("dataset", "folder", "row", "d"),
    [
        ("wisconsin", "wisconsin/raw", "1,0,{}", 3),
        ("squirrel", "squirrel/geom_gcn/raw", "1,0,{}", 3),
        ("actor", "raw", "0,{}", 3),
    ],
)
def test_geom_gcn_layout(dataset: str, folder: str, row: str, d: int, tmp_path: Path) -> None:
    entry = toy(dataset)
    write_geom_gcn(tmp_path / folder, entry.upstream, row)
    graph = load_raw(entry, tmp_path)
    assert graph.edge_index.tolist() == [[0, 1], [1, 2]]  # direction kept, duplicate merged
    assert graph.x.shape == (3, d)
    assert graph.y.tolist() == [0, 1, 0]
    assert graph.splits is not None
    assert graph.splits.train.shape == (10, 3)
    assert graph.splits[0].val.tolist() == [False, True, False]


def test_heterophilous_layout_is_symmetrised(tmp_path: Path) -> None:
    write_yandex(tmp_path / "minesweeper" / "raw", "minesweeper")
    graph = load_raw(toy("minesweeper"), tmp_path)
    assert graph.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert graph.splits is not None
    assert graph.splits[0].test.tolist() == [False, False, True]


def test_bags_of_words_become_sparse_and_short_rows_stay_dense() -> None:
    assert sp.issparse(sparse_if_mostly_zero(np.eye(200)))
    assert not sp.issparse(sparse_if_mostly_zero(np.eye(7)))
    assert not sp.issparse(sparse_if_mostly_zero(np.ones((4, 300))))


# --------------------------------------------------------------------------- files planted in the cache


def plant(root: Path, entry: Entry, content: bytes) -> None:
    """Every raw file of a dataset, so that nothing has to be downloaded."""
    for path in raw_files(entry):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


@pytest.mark.parametrize("kind", ["os.system, protocol 2", "eval", "an array of objects"])
def test_a_hostile_pickle_in_the_cache_is_not_even_opened(kind: str, tmp_path: Path) -> None:
    root, touched = tmp_path / "cache" / "raw" / "citeseer", tmp_path / "touched"
    plant(root, info("citeseer"), hostile_pickles(touched)[kind])
    with pytest.raises(InputError, match=r"ind\.citeseer\.x has SHA-256 .*must be d20de1915074.*delete that file"):
        datasets.load("citeseer")
    assert not touched.exists()
    assert len(list(root.rglob("ind.citeseer.*"))) == 8  # all kept as they are


@pytest.mark.parametrize("part", ["tx", "allx", "ty", "ally", "graph"])
@pytest.mark.parametrize("kind", ["os.system, protocol 2", "an array of objects"])
def test_where_no_digest_is_known_a_hostile_pickle_does_nothing_either(part: str, kind: str, tmp_path: Path) -> None:
    folder, touched = tmp_path / "citeseer" / "geom-gcn" / "raw", tmp_path / "touched"
    entry = write_citations(folder, "citeseer", [519, 510])
    load_raw(entry, tmp_path)
    (folder / f"ind.citeseer.{part}").write_bytes(hostile_pickles(touched)[kind])
    with pytest.raises(InputError, match=rf"ind\.citeseer\.{part} is not a pickle of numbers"):
        load_raw(entry, tmp_path)
    assert not touched.exists()


@pytest.mark.filterwarnings("ignore")
def test_hostile_files_of_pyg_in_the_cache_are_not_read(files: tuple[Entry, Path], tmp_path: Path) -> None:
    """PyG, unless told to start anew, asks these files for its own copy of the dataset, which runs what they say."""
    entry, root = files
    for raw in [path for path in root.rglob("raw") if path.is_dir()]:
        (raw.parent / "processed").mkdir(exist_ok=True)
        for file in ("data.pt", "pre_transform.pt", "pre_filter.pt"):
            (raw.parent / "processed" / file).write_bytes(pickle.dumps(Touches(tmp_path / "touched")))
    assert load_raw(entry, root).num_nodes in (3, 520)
    assert not (tmp_path / "touched").exists()
    with contextlib.suppress(Exception):
        pygs_graph(entry, root)
    assert (tmp_path / "touched").exists()  # so they are hostile


@pytest.mark.parametrize("name", ["texas", "minesweeper", "cornell-fixed", "cora"])
def test_masks_and_arrays_are_never_unpickled(name: str, tmp_path: Path) -> None:
    touched, plain = tmp_path / "touched", tmp_path / "evil.npz"
    evil = np.array([Touches(touched)], dtype=object)
    keys = ("train_mask", "val_mask", "test_mask", "node_features", "node_labels", "edges", "train_masks")
    np.savez(plain, **dict.fromkeys(keys, evil), val_masks=evil, test_masks=evil)
    entry = toy(name)
    if name == "texas":
        write_geom_gcn(tmp_path / "texas" / "raw", "texas", "1,0,{}")
    if name == "cora":
        entry = write_citations(tmp_path / "cora" / "geom-gcn" / "raw", "cora", [519, 510])
    for path in raw_files(entry):
        if path.endswith(".npz"):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(plain, tmp_path / path)
    with pytest.raises(InputError, match=r"\.npz cannot be read as a \.npz file \(it holds pickled objects\)"):
        load_raw(entry, tmp_path)
    assert not touched.exists()


@pytest.mark.parametrize(
    "name", ["roman-empire", "amazon-ratings", "tolokers", "questions", "squirrel-filtered", "ogbn-arxiv", "arxiv-year"]
)
def test_a_replaced_archive_is_refused(name: str, tmp_path: Path) -> None:
    plant(tmp_path, info(name), b"PK\x03\x04 something else")
    with pytest.raises(InputError, match=f"has SHA-256 .*but for '{name}' it must be"):
        load_raw(info(name), tmp_path)


def test_the_command_line_says_it_in_one_line(tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    plant(tmp_path / "cache" / "raw" / "citeseer", info("citeseer"), hostile_pickles(touched)["os.system, protocol 2"])
    command = [sys.executable, "-m", "lsgnn", "fit", "citeseer"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "ind.citeseer.x has SHA-256" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not touched.exists()


# --------------------------------------------------------------------------- damaged files


def test_damaged_raw_files_are_one_sentence(tmp_path: Path) -> None:
    write_geom_gcn(tmp_path / "wisconsin" / "raw", "wisconsin", "not,numbers")
    with pytest.raises(InputError, match=r"out1_node_feature_label\.txt holds something else than numbers \(.*'not'"):
        load_raw(toy("wisconsin"), tmp_path)


# --------------------------------------------------------------------------- where files come from

DOWNLOADABLE = [name for name in names() if info(name).downloadable]


@pytest.mark.parametrize("name", DOWNLOADABLE)
def test_every_address_names_a_commit_or_the_bytes_are_known(name: str) -> None:
    for path, url in raw_files(info(name)).items():
        assert url.startswith("https://")
        assert re.search("/[0-9a-f]{40}/", url) or Path(path).name in info(name).raw_sha256
        assert not re.search("/(master|main)/", url)


@pytest.mark.parametrize("name", DOWNLOADABLE)
def test_every_download_is_known_by_its_bytes_or_by_its_numbers(name: str) -> None:
    entry = info(name)
    files = {Path(path).name for path in raw_files(entry)}
    assert entry.content_sha256 or files == set(entry.raw_sha256)
    assert set(entry.raw_sha256) <= files
    assert {file for file in files if file.startswith("ind.")} <= set(entry.raw_sha256)  # every pickle


def test_every_geom_gcn_file_comes_from_the_pinned_commit() -> None:
    for name in ("cora", "cornell", "chameleon", "actor"):
        urls = [url for url in raw_files(info(name)).values() if "geom-gcn" in url]
        assert len(urls) >= 10
        assert all("/f1fc0d14b3b019c562737240d06ec83b07d16a8f/" in url for url in urls)


def test_no_publisher_for_other_kinds() -> None:
    with pytest.raises(InputError, match="no publisher has files for the loader 'npz'"):
        raw_files(info("arxiv-2023"))
