"""`load`: where a graph is looked for, in which order, and what is said when it is nowhere."""

import dataclasses
import hashlib
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from lsgnn import Graph, datasets
from lsgnn.datasets import fsbm, loading
from lsgnn.datasets.content import content_sha256
from lsgnn.datasets.registry import Entry, info
from lsgnn.errors import DatasetUnavailable, InputError
from lsgnn.graph.homophily import homophily

BUNDLED = ("cora-linqs", "debian", "fsbm")


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_graphs_load_within_a_second_and_match_the_registry(name: str) -> None:
    start = time.process_time()  # of this process: other tests run beside it
    graph = datasets.load(name)
    assert time.process_time() - start < 1
    entry = info(name)
    assert graph.name == name
    assert (graph.num_nodes, graph.num_edges, graph.num_classes, graph.num_features) == (
        entry.nodes,
        entry.edges,
        entry.classes,
        entry.features,
    )
    assert homophily(graph).edge == pytest.approx(entry.edge_homophily, abs=5e-5)
    assert graph.splits is not None
    assert len(graph.splits) == entry.splits


@pytest.mark.parametrize("name", BUNDLED[:2])
def test_bundled_files_are_small_and_pinned(name: str) -> None:
    content = (files("lsgnn.datasets") / "bundled" / f"{name}.npz").read_bytes()
    assert len(content) < 2_000_000
    assert hashlib.sha256(content).hexdigest() == info(name).sha256


def test_debian_nodes_are_packages() -> None:
    graph = datasets.load("debian")
    packages = list(graph.node_ids)
    game, libc = packages.index("0ad"), packages.index("libc6")
    assert graph.class_names[graph.y[game]] == "games"
    assert [game, libc] in graph.edge_index.T.tolist()


def test_import_is_light() -> None:
    code = (
        "import sys, lsgnn.datasets; sys.exit(any(m in sys.modules for m in ('torch_geometric', 'pyarrow', 'sklearn')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --------------------------------------------------------------------------- a folder of .npz files


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Entry:
    """A registry entry for a graph that a test can write itself."""
    entry = dataclasses.replace(info("fsbm"), name="toy", loader="npz", sha256="0" * 64)
    monkeypatch.setattr(loading, "info", lambda name: entry)
    return entry


def test_data_dir_is_read_first_and_a_foreign_checksum_is_noted(toy: Entry, tmp_path: Path) -> None:
    fsbm(0.9, 0.1).save(tmp_path / "toy.npz")
    graph = datasets.load("toy", data_dir=tmp_path)
    assert graph.name == "toy"
    assert graph.notes[0] == "toy.npz is not the file the registry's checksum was taken from"


def test_environment_names_the_folder(toy: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsbm(0.9, 0.1).save(tmp_path / "toy.npz")
    monkeypatch.setenv("LSGNN_DATA", str(tmp_path))
    assert datasets.load("toy").num_nodes == 1000


def test_wrong_graph_under_a_right_name_is_refused(toy: Entry, tmp_path: Path) -> None:
    fsbm(0.2, 0.1).save(tmp_path / "toy.npz")
    with pytest.raises(InputError, match=r"toy\.npz is not the registry's 'toy' .*edge homophily"):
        datasets.load("toy", data_dir=tmp_path)


def test_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the data folder .*nowhere does not exist"):
        datasets.load("texas", data_dir=tmp_path / "nowhere")


# --------------------------------------------------------------------------- downloads


@pytest.mark.parametrize("name", ["cora", "texas", "actor", "roman-empire", "cornell-fixed", "ogbn-arxiv"])
def test_offline_is_one_sentence_with_both_fixes(name: str, tmp_path: Path) -> None:
    with pytest.raises(DatasetUnavailable) as caught:
        datasets.load(name)
    message = str(caught.value)
    assert f"dataset {name!r} is not on this machine and its download failed" in message
    assert "Name or service not known" in message
    assert f"connect to the internet, or name a data folder that has {name}.npz (or set LSGNN_DATA to it)" in message
    assert "\n" not in message
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_dataset_without_a_publisher_asks_for_its_file() -> None:
    with pytest.raises(DatasetUnavailable, match=r"'arxiv-2023' has no public download: name a data folder that has"):
        datasets.load("arxiv-2023")


def test_a_download_is_kept_as_npz(toy: Entry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entry = dataclasses.replace(toy, loader="webkb")
    monkeypatch.setattr(loading, "info", lambda name: entry)
    calls: list[str] = []

    def downloaded(entry: Entry, root: Path) -> Graph:
        calls.append(entry.name)
        return dataclasses.replace(fsbm(0.9, 0.1), name="toy")

    monkeypatch.setattr(loading, "_downloaded", downloaded)
    first, second = datasets.load("toy"), datasets.load("toy")
    assert calls == ["toy"]
    assert (tmp_path / "cache" / "toy.npz").is_file()
    assert np.array_equal(first.edge_index, second.edge_index)
    assert second.name == "toy"


def test_a_wrong_download_does_not_enter_the_cache(toy: Entry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entry = dataclasses.replace(toy, loader="webkb")
    monkeypatch.setattr(loading, "info", lambda name: entry)
    monkeypatch.setattr(loading, "_downloaded", lambda entry, root: fsbm(0.2, 0.1))
    with pytest.raises(InputError, match="the graph from its publisher is not the registry's 'toy'"):
        datasets.load("toy")
    assert not (tmp_path / "cache" / "toy.npz").exists()


def test_other_numbers_with_the_right_statistics_do_not_enter_the_cache(
    toy: Entry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    right = fsbm(0.9, 0.1)
    entry = dataclasses.replace(toy, loader="webkb", content_sha256=content_sha256(right))
    monkeypatch.setattr(loading, "info", lambda name: entry)
    monkeypatch.setattr(loading, "_downloaded", lambda entry, root: dataclasses.replace(right, x=right.x[::-1]))
    with pytest.raises(InputError, match=r"from its publisher is not the registry's 'toy' .*delete the folder .*toy"):
        datasets.load("toy")
    assert not (tmp_path / "cache" / "toy.npz").exists()
    monkeypatch.setattr(loading, "_downloaded", lambda entry, root: right)
    assert datasets.load("toy").num_nodes == 1000


def test_a_changed_graph_in_the_cache_is_refused(toy: Entry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    right, cached = fsbm(0.9, 0.1), tmp_path / "cache" / "toy.npz"
    entry = dataclasses.replace(toy, loader="webkb", content_sha256=content_sha256(right))
    monkeypatch.setattr(loading, "info", lambda name: entry)
    cached.parent.mkdir()
    dataclasses.replace(right, x=right.x[::-1]).save(cached)
    with pytest.raises(InputError, match=r"toy\.npz is not the registry's 'toy' .*: delete that file and try again"):
        datasets.load("toy")
    assert cached.is_file()
    right.save(cached)
    assert datasets.load("toy").num_nodes == 1000


# --------------------------------------------------------------------------- the real files


@pytest.mark.dataset
@pytest.mark.parametrize(
    "name",
    "cora citeseer pubmed chameleon squirrel actor cornell texas wisconsin".split(),  # noqa: SIM905
)
def test_papers_dataset_table_holds(name: str, data_dir: Path) -> None:
    graph, entry = datasets.load(name, data_dir=data_dir), info(name)
    assert graph.num_nodes == entry.nodes
    assert graph.num_edges // 2 == entry.paper_edges
    assert graph.num_classes == entry.classes
    assert graph.num_features == entry.features
    assert round(homophily(graph).edge, 2) == entry.paper_homophily


@pytest.mark.dataset
@pytest.mark.parametrize(
    "name", ["cornell-fixed", "chameleon-filtered", "squirrel-filtered", "tolokers", "arxiv-2023", "arxiv-2023-year"]
)
def test_other_files_load_and_have_the_pinned_checksum(name: str, data_dir: Path) -> None:
    graph = datasets.load(name, data_dir=data_dir)
    assert not any("checksum" in note for note in graph.notes)


@pytest.mark.dataset
def test_the_two_cornells_cannot_be_confused(data_dir: Path, tmp_path: Path) -> None:
    Graph.load(data_dir / "cornell-fixed.npz").save(tmp_path / "cornell.npz")
    with pytest.raises(InputError, match=r"edges 554 instead of 298; edge homophily 0\.123 instead of 0\.305.*corrupt"):
        datasets.load("cornell", data_dir=tmp_path)
