"""What is computed on disk, in blocks, is what is computed in memory, at once."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lsgnn import Graph, InputError, LSGNNConfig, Splits
from lsgnn.out_of_core.columns import column_blocks
from lsgnn.out_of_core.executors import processes
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.layout import hop, similarity_neighbours
from lsgnn.out_of_core.records import record_of
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.store import Store
from lsgnn.propagate.precompute import precompute as in_memory
from tests.graphs import random_graph
from tests.out_of_core.stores import arrays_folder

GRAPH = random_graph(n=3000, d=70)
MEGABYTE = 1 << 20  # 43 columns of so many nodes, of which 32 are taken


def weighted(graph: Graph) -> Graph:
    weight = np.random.default_rng(0).random(graph.num_edges) + 0.5
    return Graph(x=graph.x, edge_index=graph.edge_index, edge_weight=weight, y=graph.y)


def powers(store: Store, s: int) -> np.ndarray:
    return np.concatenate([store.array(hop(s, b)) for b in range(len(store.manifest.blocks))], axis=1)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.npy*")}


@pytest.mark.parametrize(
    ("graph", "settings"),
    [
        (GRAPH, {}),
        (GRAPH, {"direction": "out", "degree": "plain", "similarity": "euclidean", "localsim_self_loops": True}),
        (GRAPH, {"direction": "in", "localsim_direction": "undirected", "feature_norm": "l1", "similarity": "squared"}),
        (weighted(GRAPH), {"feature_norm": "none", "euclid_sign": 1, "similarity": "euclidean"}),
        (random_graph(n=3000, d=70, sparse=True), {}),
        (GRAPH, {"feature_norm": "standard"}),
    ],
)
def test_a_store_holds_the_powers_and_similarities_of_the_graph(
    tmp_path: Path, graph: Graph, settings: dict[str, Any]
) -> None:
    config = LSGNNConfig(K=3, **settings)
    store = precompute(graph, tmp_path / "store", config, max_memory=MEGABYTE)
    assert len(store.manifest.blocks) == 3
    pre = in_memory(graph, config)
    power = np.asarray(pre.x.toarray() if hasattr(pre.x, "toarray") else pre.x)
    for s in range(4):
        np.testing.assert_allclose(powers(store, s), power, atol=1e-6)
        power = pre.adj @ power
    labelled = store.array("labelled")
    np.testing.assert_array_equal(store.array("rows")[:, 2], powers(store, 2)[labelled])
    name = similarity_neighbours(store.config)
    indptr, similarity = store.array(f"{name}/indptr"), store.array("similarity")
    weight = store.array(f"{name}/weights") if store.has(f"{name}/weights") else np.ones(len(similarity))
    ego = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    total, size = (np.bincount(ego, values, minlength=3000) for values in (weight * similarity, weight))
    mean = np.divide(total, size, out=np.zeros(3000), where=size > 0)
    np.testing.assert_allclose(mean, pre.similarity.naive_localsim(), atol=2e-6)
    assert not (tmp_path / "store" / "partial").exists()


def test_weights_and_features_far_below_one_count_like_any_other(tmp_path: Path) -> None:
    """0 → 1, 0 → 2 and 1 → 3, all of them light; rows of length 1e-12 and less, by hand."""
    graph = Graph(
        x=1e-12 * np.array([[1, 0], [1, 1], [0, 1], [0, 0]]),
        edge_index=[[0, 0, 1], [1, 2, 3]],
        edge_weight=[0.3, 0.1, 0.2],
        y=[0, 1, 0, 1],
        splits=Splits(*np.array([[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], bool)[:, None]),
    )
    config = LSGNNConfig(K=1, direction="undirected", degree="plain", feature_norm="none")
    store = precompute(graph, tmp_path / "store", config)
    cosine = 0.5**0.5
    np.testing.assert_allclose(store.array("similarity"), [cosine, 0, cosine, 0, 0, 0], atol=1e-7)
    a, b, c = 0.3 / np.sqrt(0.4 * 0.5), 0.1 / np.sqrt(0.4 * 0.1), 0.2 / np.sqrt(0.5 * 0.2)
    np.testing.assert_allclose(store.array("filter_values"), [a, b, a, c, b, c], rtol=1e-6)
    similarity = StoredRows(store, config).range(0, 4).neighbours
    phi = similarity.mean(similarity.values).numpy()
    np.testing.assert_allclose(phi, [cosine * 3 / 4, cosine * 3 / 5, 0, 0], atol=1e-6)


def test_a_folder_of_arrays_yields_the_same_store_as_the_graph(tmp_path: Path) -> None:
    folder = arrays_folder(tmp_path / "arrays", GRAPH)
    stores = [precompute(source, tmp_path / f"store{i}", LSGNNConfig(K=2)) for i, source in enumerate((GRAPH, folder))]
    first, second = (bytes_of(store.folder) for store in stores)
    assert first.keys() == second.keys()
    arrays = {name for name in first if name.endswith(".npy")}
    assert {name for name in arrays if first[name] != second[name]} == {"node_ids.npy"}


def test_several_processes_write_the_same_bytes(tmp_path: Path) -> None:
    settings = dict(config=LSGNNConfig(K=2), max_memory=2 * MEGABYTE, jobs=2)
    seen = list[tuple[int, int]]()
    one = precompute(GRAPH, tmp_path / "one", on_task=lambda *place: seen.append(place), **settings)
    two = precompute(GRAPH, tmp_path / "two", executor=processes(2), **settings)
    assert bytes_of(one.folder) == bytes_of(two.folder)
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(("keep", "self_loops"), [("all", True), ("labelled", True), ("labelled", False)])
def test_any_number_of_threads_writes_the_same_bytes(tmp_path: Path, keep: str, self_loops: bool) -> None:
    settings = dict(config=LSGNNConfig(K=2, localsim_self_loops=self_loops), max_memory=MEGABYTE, keep=keep)
    graph = weighted(GRAPH)
    one, three = (precompute(graph, tmp_path / str(t), threads=t, **settings) for t in (1, 3))
    assert bytes_of(one.folder) == bytes_of(three.folder)


@pytest.mark.parametrize(
    ("keep", "missing"),
    [("all", "similarity"), ("all", "hop1/block0"), ("all", "hop2/block1"), ("labelled", "similarity")],
)
def test_what_is_missing_is_made_with_the_bytes_that_one_pass_gives(tmp_path: Path, keep: str, missing: str) -> None:
    settings = dict(config=LSGNNConfig(K=2), max_memory=MEGABYTE, keep=keep)
    store = precompute(GRAPH, tmp_path / "store", **settings)
    whole = bytes_of(store.folder)
    store.path(missing).unlink()
    precompute(GRAPH, tmp_path / "store", **settings)
    assert bytes_of(store.folder) == whole


LEAN = {"keep": "labelled", "dtype": "float16"}


def test_a_lean_store_holds_the_same_rows_and_similarities_without_the_hops(tmp_path: Path) -> None:
    y = np.where(np.arange(3000) % 10, -1, GRAPH.y)
    given = replace(GRAPH, y=y, splits=None)
    settings = dict(config=LSGNNConfig(K=3), max_memory=MEGABYTE)
    whole = precompute(given, tmp_path / "whole", **settings)
    lean = precompute(given, tmp_path / "lean", keep="labelled", **settings)
    files, kept = bytes_of(whole.folder), bytes_of(lean.folder)
    dropped = {name for name in files if name.startswith(("hop1", "hop2", "hop3"))}
    assert kept.keys() == files.keys() - dropped
    assert all(kept[name] == files[name] for name in kept if name.endswith(".npy"))
    half = precompute(given, tmp_path / "half", **settings, **LEAN)
    assert whole.num_bytes > 2.5 * lean.num_bytes
    assert lean.num_bytes > 1.3 * half.num_bytes
    assert half.verify() == lean.verify() + 1  # and how much was rounded


def test_half_precision_rounds_what_is_stored_and_says_how_much(tmp_path: Path) -> None:
    settings = dict(config=LSGNNConfig(K=2), max_memory=MEGABYTE)
    exact, half = (precompute(GRAPH, tmp_path / dtype, dtype=dtype, **settings) for dtype in ("float32", "float16"))
    x, rounded = powers(exact, 0), powers(half, 0)
    np.testing.assert_array_equal(rounded, x.astype(np.float16))
    error = np.linalg.norm(x - rounded) / np.linalg.norm(x)
    assert exact.rounding_error is None
    assert half.rounding_error == pytest.approx(error, rel=1e-4)
    assert 1e-5 < error < 1e-3
    assert half.array("rows").dtype == np.float16
    np.testing.assert_allclose(half.array("rows"), exact.array("rows"), rtol=3e-3, atol=1e-6)
    np.testing.assert_allclose(half.array("similarity"), exact.array("similarity"), atol=1e-3)


def test_features_beyond_half_precision_are_refused(tmp_path: Path) -> None:
    large = replace(GRAPH, x=1e5 * np.ones_like(GRAPH.x))
    with pytest.raises(InputError, match=r"values must be between ±65504\): scale features and weights down"):
        precompute(large, tmp_path / "store", LSGNNConfig(K=2, feature_norm="none"), dtype="float16")
    assert not (tmp_path / "store" / "manifest.json").exists()


KILLED = """
import json, os, signal, sys
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.records import record_of
from lsgnn.out_of_core.store import Store
from tests.out_of_core.test_filling import GRAPH, MEGABYTE, LSGNNConfig, precompute

replace, calls = os.replace, []

def killed_on_the_way(*paths):
    calls.append(paths)
    if len(calls) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(*paths)

os.replace = killed_on_the_way
precompute(GRAPH, sys.argv[1], LSGNNConfig(K=2), max_memory=MEGABYTE, **json.loads(sys.argv[3]))
"""


@pytest.mark.parametrize(
    ("file", "form"),
    [
        *((file, {}) for file in (1, 2, 4, 9, 14, 20, 25, 36)),
        *((file, LEAN) for file in (21, 28, 33, 37)),
        (33, {"dtype": "float16"}),
    ],
)
def test_after_sigkill_the_same_call_goes_on_and_ends_with_the_same_bytes(
    tmp_path: Path, file: int, form: dict[str, str]
) -> None:
    store = tmp_path / "store"
    command = [sys.executable, "-c", KILLED, str(store), str(file), json.dumps(form)]
    child = subprocess.run(command, cwd=Path(__file__).parents[2])
    assert child.returncode == -signal.SIGKILL
    finished = {path: os.stat(path).st_ino for path in store.rglob("*.npy") if not path.name.startswith(".")}
    assert bool(finished) == (file > 3)  # after the manifest and the first record
    assert all(record_of(path).is_file() for path in finished)
    precompute(GRAPH, store, LSGNNConfig(K=2), max_memory=MEGABYTE, **form)
    whole = precompute(GRAPH, tmp_path / "whole", LSGNNConfig(K=2), max_memory=MEGABYTE, **form)
    kept = {path: inode for path, inode in finished.items() if path.exists()}
    assert all(os.stat(path).st_ino == inode for path, inode in kept.items())  # nothing was made twice
    assert bytes_of(store) == bytes_of(whole.folder)
    assert Store(store).verify() == whole.verify()
    assert [path.name for path in store.rglob(".*")] == [".lock"]  # nor is anything left that was half-written


def test_a_store_of_other_data_or_settings_is_not_continued(tmp_path: Path) -> None:
    precompute(GRAPH, tmp_path / "store", LSGNNConfig(K=2))
    renamed = replace(GRAPH, node_ids=np.arange(3000) + 1)
    other = random_graph(seed=1, n=3000, d=70)
    for source, config in ((GRAPH, LSGNNConfig(K=3)), *((graph, LSGNNConfig(K=2)) for graph in (other, renamed))):
        with pytest.raises(InputError, match="store of other data or settings"):
            precompute(source, tmp_path / "store", config)
    with pytest.raises(InputError, match="store of other data or settings"):
        precompute(GRAPH, tmp_path / "store", LSGNNConfig(K=2), keep="labelled")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="holds files but is no store"):
        precompute(GRAPH, tmp_path / "mine")


@pytest.mark.parametrize(
    ("config", "memory", "message"),
    [
        ({"adjacency_embedding": True}, 1 << 30, "keeps parameters of each node"),
        ({"structure_features": "degrees"}, 1 << 30, "structure_features='degrees' is not for stores: use 'none'"),
        ({"K": 17}, 1 << 30, "K=17 is out of range"),
        ({"filter": "self_loop"}, 1 << 30, "filter='self_loop' is not for stores"),
        ({}, 1000, "max_memory=1000 is too little"),
    ],
)
def test_what_a_store_cannot_hold_is_refused(tmp_path: Path, config: dict[str, Any], memory: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        precompute(GRAPH, tmp_path / "store", LSGNNConfig(**config), max_memory=memory)
    assert not (tmp_path / "store").exists()


def test_blocks_are_as_wide_as_two_buffers_allow() -> None:
    assert column_blocks(n=100, d=10, memory=2 * 4 * 100 * 4) == [(0, 4), (4, 8), (8, 10)]
    assert column_blocks(n=100, d=10, memory=1 << 30) == [(0, 10)]
    assert column_blocks(n=100, d=128, memory=2 * 4 * 100 * 75) == [(0, 64), (64, 128)]  # whole lines of the cache
    assert column_blocks(n=100, d=40, memory=2 * 4 * 100 * 25) == [(0, 16), (16, 32), (32, 40)]
    with pytest.raises(InputError, match="raise the limit or take fewer jobs"):
        column_blocks(n=100, d=10, memory=799)


def test_a_value_that_is_no_number_is_named(tmp_path: Path) -> None:
    folder = arrays_folder(tmp_path / "arrays", random_graph())
    x = np.load(folder / "x.npy")
    x[30, 2] = np.nan
    np.save(folder / "x.npy", x)
    with pytest.raises(InputError, match=r"x\[30, 2\] is nan"):
        precompute(folder, tmp_path / "store", max_memory=MEGABYTE)
    x[30, 2] = 0
    np.save(folder / "x.npy", x)
    precompute(folder, tmp_path / "store", max_memory=MEGABYTE)  # the corrected data find no store in the way


def test_a_store_keeps_its_blocks_and_takes_a_new_limit(tmp_path: Path) -> None:
    first = precompute(GRAPH, tmp_path / "store", LSGNNConfig(K=2), max_memory=4 * MEGABYTE)
    again = precompute(GRAPH, tmp_path / "store", LSGNNConfig(K=2, beta=0.3), max_memory=2 * MEGABYTE)
    assert again.manifest.blocks == first.manifest.blocks
    assert again.manifest.memory == 2 * MEGABYTE
    assert again.config.beta == 0.3
    with pytest.raises(InputError, match=r"take 1\.7 MB for each job"):
        precompute(GRAPH, tmp_path / "store", LSGNNConfig(K=2), max_memory=4 * MEGABYTE, jobs=3)


def test_two_processes_do_not_fill_one_store(tmp_path: Path) -> None:
    store = precompute(GRAPH, tmp_path / "store", LSGNNConfig(K=2))
    with store.locked(), pytest.raises(InputError, match="another process is filling"):
        precompute(GRAPH, tmp_path / "store", LSGNNConfig(K=2))


def test_a_full_disk_is_an_error_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, offset: int, length: int) -> None:
        raise OSError(28, "No space left on device")

    store = precompute(GRAPH, tmp_path / "store", LSGNNConfig(K=2))
    store.path("similarity").unlink()
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="No space left"):
        precompute(GRAPH, tmp_path / "store", LSGNNConfig(K=2))
    assert not list(store.folder.rglob("*.tmp"))


LIMITED = """
import resource, sys
from tests.out_of_core.test_filling import GRAPH, MEGABYTE, LSGNNConfig, precompute

config = LSGNNConfig(K=2)
arrays, store, allowed = sys.argv[1:]
precompute(GRAPH, store + "-warm-up", config, max_memory=MEGABYTE)  # libraries loaded, kernels compiled
(line,) = (line for line in open("/proc/self/status") if line.startswith("VmData"))
limit = 1024 * int(line.split()[1]) + int(allowed)
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))  # what is mapped from files does not count
precompute(arrays, store, config, max_memory=4 * MEGABYTE)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux to limit memory")
def test_memory_stays_within_the_limit_whatever_the_size_of_the_graph(tmp_path: Path) -> None:
    n, d = 20_000, 256
    random = np.random.default_rng(0)
    graph = Graph(
        x=random.random((n, d), np.float32), edge_index=random.integers(0, n, (2, 200_000)), y=np.arange(n) % 3
    )
    arrays = arrays_folder(tmp_path / "arrays", graph)

    def run(store: Path, allowed: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", LIMITED, str(arrays), str(store), str(allowed)]
        return subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300)

    assert "MemoryError" in run(tmp_path / "less", MEGABYTE).stderr  # the limit is real
    enough = run(tmp_path / "enough", 10 * MEGABYTE)
    assert enough.returncode == 0, enough.stderr
    size = sum(file.stat().st_size for file in (tmp_path / "enough").rglob("*.npy"))
    assert size > 10 * 10 * MEGABYTE  # more than ten times what was allowed
