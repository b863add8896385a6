"""A damaged store says so before it is used, and the advice it gives mends it."""

import os
from pathlib import Path

import numpy as np
import pytest

from lsgnn import Graph, InputError, LSGNNConfig
from lsgnn.out_of_core import records
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.fitting import fit_stored
from lsgnn.out_of_core.layout import all_files
from lsgnn.out_of_core.records import record_of
from lsgnn.out_of_core.store import Store
from tests.graphs import two_blocks
from tests.out_of_core.damage import copy_of, flip, make_folder

CONFIG = LSGNNConfig(K=2, hidden_channels=8, epochs=2, feature_norm="standard", localsim_self_loops=True)
BLOCKS = two_blocks(n=90)
WEIGHT = np.random.default_rng(0).random(BLOCKS.num_edges) + 0.5
GRAPH = Graph(x=BLOCKS.x, edge_index=BLOCKS.edge_index, edge_weight=WEIGHT, y=BLOCKS.y)
LISTS = ("neighbours-undirected", "neighbours-undirected-and-self")
NAMES = (
    *("y", "node_ids", "train", "val", "test", "filter_values", "squared_length", "similarity", "labelled", "rows"),
    *(f"{name}/{file}" for name in LISTS for file in ("indptr", "indices", "weights")),
    *(f"hop{s}/block0" for s in range(3)),
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return precompute(GRAPH, tmp_path_factory.mktemp("whole") / "store", CONFIG)


@pytest.fixture
def store(whole: Store, tmp_path: Path) -> Store:
    return Store(copy_of(whole.folder, tmp_path / "store"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_every_array_has_a_record_and_all_are_verified(whole: Store) -> None:
    assert sorted(all_files(whole.manifest, CONFIG)) == sorted(NAMES)
    found = {str(file.relative_to(whole.folder).with_suffix("")) for file in whole.folder.rglob("*.npy")}
    assert found == set(NAMES)
    assert all(record_of(whole.path(name)).is_file() for name in NAMES)
    read = list[int]()
    assert whole.verify(read.append) == len(NAMES) + 2  # with manifest.json and column_scale.json
    assert sum(read) == whole.num_bytes == sum(whole.path(name).stat().st_size for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_flipped_bit_is_noticed_and_the_advice_mends_it(store: Store, whole: Store, name: str) -> None:
    flip(store.path(name), 0.99)
    with pytest.raises(InputError, match=rf"{name}\.npy is damaged: its SHA-256 is [0-9a-f]{{12}}…, but") as error:
        store.verify()
    assert str(error.value).endswith("remove it and run `precompute` again")
    store.path(name).unlink()
    with pytest.raises(InputError, match=rf"{name}\.npy is missing\): run `precompute` again"):
        store.verify()
    precompute(GRAPH, store.folder, CONFIG)
    assert contents(store.folder) == contents(whole.folder)
    assert store.verify() == whole.verify()


def test_a_file_is_verified_once_by_a_process_and_again_when_it_changes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, sha256_of = list[str](), records.sha256_of

    def counted(file: Path, on_bytes: object = None) -> str:
        read.append(file.name)
        return sha256_of(file)

    monkeypatch.setattr(records, "sha256_of", counted)
    for _ in range(3):
        Store(store.folder).array("y")
    assert read == ["y.npy"]
    flip(store.path("y"))
    with pytest.raises(InputError, match=r"y\.npy is damaged"):
        store.array("y")
    assert read == ["y.npy", "y.npy"]
    made = precompute(two_blocks(n=30), store.folder.parent / "new", LSGNNConfig(K=1))
    fit_stored(made, LSGNNConfig(K=1, epochs=1))
    assert read == ["y.npy", "y.npy"]  # what a process wrote itself it does not read again


def test_a_file_of_another_store_or_another_name_is_refused(store: Store, tmp_path: Path) -> None:
    other = precompute(
        Graph(x=GRAPH.x + 1, edge_index=GRAPH.edge_index, edge_weight=WEIGHT, y=GRAPH.y), tmp_path / "other", CONFIG
    )
    for suffix in (".npy", ".npy.digest"):
        os.replace(other.folder / f"hop1/block0{suffix}", store.folder / f"hop1/block0{suffix}")
    with pytest.raises(InputError, match=r"hop1/block0\.npy is in the wrong place \(.* that of another store\)"):
        store.array("hop1/block0")
    os.replace(other.folder / "column_scale.json", store.folder / "column_scale.json")
    with pytest.raises(InputError, match=r"column_scale\.json is in the wrong place"):
        fit_stored(store, CONFIG)
    for suffix in (".npy", ".npy.digest"):
        os.replace(store.folder / f"train{suffix}", store.folder / f"val{suffix}")
    with pytest.raises(InputError, match=r"val\.npy is in the wrong place \(.* that of 'train\.npy'\)"):
        store.array("val")
    os.replace(other.folder / "manifest.json", store.folder / "manifest.json")
    with pytest.raises(InputError, match=r"y\.npy is in the wrong place"):
        Store(store.folder).array("y")


def test_the_same_store_made_or_copied_elsewhere_is_the_same(store: Store, whole: Store, tmp_path: Path) -> None:
    again = precompute(GRAPH, tmp_path / "again", CONFIG.replace(beta=0.3))
    assert again.identity == whole.identity
    os.replace(again.path("rows"), store.path("rows"))
    store.verify()


def test_without_its_weights_or_its_scale_a_store_is_not_taken_for_one_that_has_none(store: Store) -> None:
    store.path("neighbours-undirected-and-self/weights").unlink()
    with pytest.raises(InputError, match=r"neighbours-undirected-and-self/weights\.npy is missing"):
        fit_stored(store, CONFIG)
    precompute(GRAPH, store.folder, CONFIG)
    (store.folder / "column_scale.json").unlink()
    with pytest.raises(InputError, match=r"column_scale\.json is missing or no file: remove it and run"):
        fit_stored(store, CONFIG)
    precompute(GRAPH, store.folder, CONFIG)
    flip(store.folder / "column_scale.json")
    with pytest.raises(InputError, match=r"column_scale\.json is damaged"):
        fit_stored(store, CONFIG)


@pytest.mark.parametrize("file", ["hop1/block0.npy", "hop1/block0.npy.digest", ".lock"])
def test_a_folder_in_place_of_a_file_is_named(store: Store, file: str) -> None:
    (store.folder / file).touch()
    make_folder(store.folder / file)
    with pytest.raises(InputError, match=r"is not a file: remove it and run `precompute` again"):
        precompute(GRAPH, store.folder, CONFIG)
    (store.folder / file).rmdir()
    precompute(GRAPH, store.folder, CONFIG).verify()


def test_features_that_overflow_are_refused_before_they_are_written(tmp_path: Path) -> None:
    huge = Graph(x=np.full((4, 1), 3e38), edge_index=[[0, 1, 2], [1, 2, 3]], y=[0, 1, 0, 1])
    with pytest.raises(InputError, match=r"cannot write .*block0\.npy \(it holds inf at .*scale features"):
        precompute(huge, tmp_path / "store", LSGNNConfig(K=2, feature_norm="none", degree="plain"))
    assert not (tmp_path / "store" / "hop1" / "block0.npy").exists()
