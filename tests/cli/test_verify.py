"""`lsgnn verify`, and what other commands say of damage, through the real command line."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lsgnn.out_of_core.store import Store
from tests.graphs import two_blocks
from tests.out_of_core.damage import flip, forge
from tests.out_of_core.stores import arrays_folder

QUICK = ("--set", "epochs=2", "--set", "hidden_channels=8", "--set", "K=2")


@pytest.fixture
def store(lsgnn: Any, tmp_path: Path) -> Path:
    arrays = arrays_folder(tmp_path / "arrays", two_blocks(n=90))
    assert lsgnn("precompute", arrays, "--out", tmp_path / "store", "--set", "K=2").code == 0
    return tmp_path / "store"


@pytest.fixture
def run(lsgnn: Any, store: Path, tmp_path: Path) -> Path:
    assert lsgnn("fit", store, *QUICK, "--out", tmp_path / "run").code == 0
    return tmp_path / "run"


def assert_one_line(result: Any, *words: str) -> None:
    assert result.code == 2, result.out
    assert result.out == ""
    assert result.err.startswith("error: ")
    assert result.err.count("\n") == 1
    for word in words:
        assert re.search(word, result.err), result.err


def test_what_is_whole_is_said_to_be(lsgnn: Any, store: Path, run: Path, tmp_path: Path) -> None:
    result = lsgnn("verify", store)
    assert (result.code, result.err) == (0, "")
    assert "all 16 files of the store are as they were written" in result.out
    arrays = list(store.rglob("*.npy"))
    size = sum(file.stat().st_size for file in arrays)
    found = lsgnn("verify", store, "--json").json
    assert found == {"path": str(store), "kind": "store", "files": len(arrays) + 1, "bytes": size}
    assert lsgnn("verify", run, "--json").json == {"path": str(run), "kind": "run", "files": 3}
    assert lsgnn("fit", "fsbm", *QUICK, "--set", "direction=out", "--out", tmp_path / "whole").code == 0
    assert lsgnn("verify", tmp_path / "whole", "--json").json["kind"] == "run"


def test_an_index_out_of_range_is_one_line(lsgnn: Any, store: Path, tmp_path: Path) -> None:
    name = "neighbours-undirected/indices"
    indices = np.load(store / f"{name}.npy")
    indices[5] = 10**9
    np.save(store / f"{name}.npy", indices)
    assert_one_line(lsgnn("verify", store), r"indices\.npy is damaged: its SHA-256 is", "remove it and run")
    forge(Store(store), name, indices)
    assert_one_line(lsgnn("verify", store), r"holds 1000000000 at \[5\], but values must be between 0 and 89")
    for block in ("hop1/block0", "hop2/block0"):
        (store / f"{block}.npy").unlink()
    again = lsgnn("precompute", tmp_path / "arrays", "--out", store, "--set", "K=2")
    assert_one_line(again, r"holds 1000000000 at \[5\]")


def test_a_flipped_bit_in_a_block_is_one_line(lsgnn: Any, store: Path, run: Path, tmp_path: Path) -> None:
    flip(store / "hop2" / "block0.npy", 0.7)
    for command in (("verify", store), ("predict", run, store, "--out", tmp_path / "p.csv")):
        assert_one_line(lsgnn(*command), r"hop2/block0\.npy is damaged: its SHA-256 is")
    assert not (tmp_path / "p.csv").exists()
    flip(store / "rows.npy", 0.7)
    assert_one_line(lsgnn("fit", store, *QUICK), r"rows\.npy is damaged: its SHA-256 is")


def test_a_flipped_bit_in_the_weights_of_a_run_is_one_line(lsgnn: Any, store: Path, run: Path, tmp_path: Path) -> None:
    flip(run / "model.safetensors", 0.9)
    for command in (("verify", run), ("predict", run, store, "--out", tmp_path / "p.csv")):
        assert_one_line(lsgnn(*command), r"model\.safetensors is damaged: its SHA-256 is", "restore it or train again")


def test_what_is_missing_or_something_else_is_one_line(lsgnn: Any, store: Path, run: Path, tmp_path: Path) -> None:
    (store / "similarity.npy").unlink()
    assert_one_line(lsgnn("verify", store), r"is unfinished \(similarity\.npy is missing\)")
    (run / "stored_run.json").unlink()
    for command in (("verify", run), ("predict", run, store)):
        assert_one_line(lsgnn(*command), r"stored_run\.json is missing: restore it or train again")
    (store / "manifest.json").unlink()
    for command in (("verify", store), ("fit", store), ("precompute", tmp_path / "arrays", "--out", store)):
        assert_one_line(lsgnn(*command), r"manifest\.json is missing or no file: restore it, or remove the folder")
    for folder in (tmp_path, tmp_path / "nowhere", tmp_path / "arrays" / "x.npy"):
        assert_one_line(lsgnn("verify", folder), "is neither a store nor a run: pass a folder that")
