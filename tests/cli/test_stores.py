"""From arrays on disk to predictions, at the command line."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from tests.graphs import two_blocks
from tests.out_of_core.stores import arrays_folder

QUICK = ("--set", "epochs=4", "--set", "hidden_channels=8")


@pytest.fixture
def store(lsgnn: Any, tmp_path: Path) -> Path:
    arrays = arrays_folder(tmp_path / "arrays", two_blocks(n=90))
    made = lsgnn("precompute", arrays, "--out", tmp_path / "store", "--max-memory", "2MB", "--set", "K=2", "--json")
    assert made.code == 0, made.err
    assert made.json["nodes"] == 90
    assert made.json["settings"]["K"] == 2
    return tmp_path / "store"


def test_a_store_is_fitted_and_predicted(lsgnn: Any, store: Path, tmp_path: Path) -> None:
    fitted = lsgnn("fit", store, *QUICK, "--out", tmp_path / "run", "--predictions", tmp_path / "p.csv")
    assert fitted.code == 0, fitted.err
    assert "test accuracy" in fitted.out
    assert (tmp_path / "p.csv").read_text().splitlines()[1].startswith('"n0",')
    again = lsgnn("predict", tmp_path / "run", store, "--out", tmp_path / "again.csv", "--json")
    assert again.json["nodes"] == 90
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "p.csv").read_text()
    scores = lsgnn("fit", store, *QUICK, "--batch-size", 10, "--json").json
    assert scores["metrics"].keys() >= {"val_accuracy", "test_accuracy"}


def test_a_lean_store_says_what_it_takes_and_loses_and_predicts_every_node(lsgnn: Any, tmp_path: Path) -> None:
    arrays, store, out = arrays_folder(tmp_path / "arrays", two_blocks(n=90)), tmp_path / "lean", tmp_path / "p.parquet"
    made = lsgnn("precompute", arrays, "--out", store, "--threads", 2, "--keep", "labelled", "--store-dtype", "float16")
    assert made.code == 0, made.err
    assert "MB on disk (hops of labelled nodes only)" in made.out
    assert "float16 changes the features by 0.0" in made.out
    assert lsgnn("fit", store, *QUICK, "--predictions", out).code == 0
    assert pyarrow.parquet.read_table(out)["id"].to_pylist() == [f"n{i}" for i in range(90)]


def test_patterns_of_parquet_files_become_predictions_with_the_ids_of_the_table(lsgnn: Any, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    graph, (nodes, edges) = two_blocks(n=90), (tmp_path / "nodes.parquet", tmp_path / "edges.parquet")
    ids = pa.array([f"n{i}" for i in range(90)])
    features = {f"f{j}": column for j, column in enumerate(np.asarray(graph.x).T)}
    pyarrow.parquet.write_table(pa.table({"id": ids, "class": graph.y, **features}), nodes)
    ends = {name: ids.take(pa.array(end)) for name, end in zip(("source", "target"), graph.edge_index, strict=True)}
    pyarrow.parquet.write_table(pa.table(ends), edges)
    patterns = ("--edges", tmp_path / "e*.parquet", "--nodes", tmp_path / "n*.parquet")
    made = lsgnn("precompute", *patterns, "--label", "class", "--out", tmp_path / "store", "--json")
    assert made.code == 0, made.err
    assert made.json["nodes"] == 90
    fitted = lsgnn("fit", tmp_path / "store", *QUICK, "--out", tmp_path / "run")
    assert fitted.code == 0, fitted.err
    assert lsgnn("predict", tmp_path / "run", tmp_path / "store", "--out", tmp_path / "predictions").code == 0
    assert pyarrow.parquet.read_table(tmp_path / "predictions")["id"].to_pylist() == ids.to_pylist()
    alone = lsgnn("precompute", "--edges", tmp_path / "e*.parquet", "--out", tmp_path / "other")
    assert alone.code == 2
    assert "pass --edges TABLE and --nodes TABLE" in alone.err


def test_a_dataset_becomes_a_store_too(lsgnn: Any, tmp_path: Path) -> None:
    made = lsgnn("precompute", "fsbm", "--out", tmp_path / "store", "--jobs", 2, "--split", 1)
    assert made.code == 0, made.err
    assert "1000 nodes" in made.out


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        ("fit", ("--split", "1"), "--split is not for stores"),
        ("fit", ("--model", "gcn"), "--model is not for stores"),
        ("fit", ("--metric", "beauty"), "--metric 'beauty' is not a choice"),
        ("fit", ("--threshold", "f1", "--cost", "1:2"), "both choose a threshold"),
        ("fit", ("--engine", "gpu"), "--engine 'gpu' is not a choice: use one of auto, cpu, torch"),
        ("fit", ("--engine", "cpu", "--set", "head=mlp"), "engine='cpu' cannot train with head='mlp'"),
        ("fit", ("--data-dir", "."), "--data-dir is not for stores"),
        ("fit", ("--out", "arrays"), "is not a run on a store"),
        ("fit", ("--set", "direction=out"), "the store was made with 'undirected'"),
        ("fit", ("--preset", "released"), "--preset released is for known datasets"),
        ("precompute", ("--out", "s", "--max-memory", "lots"), "--max-memory 'lots' is not a size"),
        ("precompute", ("--out", "s", "--keep", "some"), "--keep 'some' is not a choice: use one of all, labelled"),
        ("precompute", ("--out", "s"), "has no x.npy"),
    ],
)
def test_bad_input_is_one_line(
    lsgnn: Any, store: Path, monkeypatch: pytest.MonkeyPatch, command: str, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(store.parent)
    result = lsgnn(command, store, *arguments)
    assert result.code == 2
    assert words in result.err
    assert result.err.strip().count("\n") == 0


def test_a_run_on_a_store_needs_a_store(lsgnn: Any, store: Path, tmp_path: Path) -> None:
    assert lsgnn("fit", store, *QUICK, "--out", tmp_path / "run").code == 0
    result = lsgnn("predict", tmp_path / "run")
    assert result.code == 2
    assert "name the store to predict" in result.err
    result = lsgnn("explain", tmp_path / "run", "--node", "n1")
    assert result.code == 2
    assert "name the store of the node" in result.err
    assert lsgnn("explain", tmp_path / "run", store, "--node", "n1", "--json").json["node"] == "n1"


def test_a_store_is_scored_decided_and_shown_as_a_graph_is(lsgnn: Any, store: Path, tmp_path: Path) -> None:
    asked = ("--metric", "roc_auc", "--threshold", "recall=0.8", "--members", 2, "--report", tmp_path / "page.html")
    fitted = lsgnn("fit", store, *QUICK, *asked, "--out", tmp_path / "run")
    assert fitted.code == 0, fitted.err
    for line in ("test ROC AUC", "(recall=0.8): val precision", "ensemble of 2 seeds", "report written to"):
        assert line in fitted.out
    assert "90 labelled of 90 nodes" in (tmp_path / "page.html").read_text()
    options = ("--threshold", 0.0, "--out", tmp_path / "p.parquet")
    assert lsgnn("predict", tmp_path / "run", store, *options).code == 0
    assert len(set(pyarrow.parquet.read_table(tmp_path / "p.parquet")["prediction"].to_pylist())) == 1


def test_a_store_is_tuned_and_fitted_with_what_was_chosen(lsgnn: Any, store: Path, tmp_path: Path) -> None:
    search = ("--trials", 2, "--no-grid", "--rescore", 1, "--storage", tmp_path / "study.db")
    written = ("--export", tmp_path / "chosen.toml", "--report", tmp_path / "tuning.html", "--json")
    tuned = lsgnn("tune", store, "--set", "epochs=2", *search, *written)
    assert tuned.code == 0, tuned.err
    assert len(tuned.json["trials"]) == 2
    assert "similarity" not in tuned.json["chosen"]  # the store has settled it
    assert "lsgnn fit" in (tmp_path / "tuning.html").read_text()
    fitted = lsgnn("fit", store, "--preset", tmp_path / "chosen.toml", "--json").json
    assert fitted["metrics"]["test_accuracy"] == pytest.approx(tuned.json["test"]["test_accuracy"])
    refused = lsgnn("tune", store, "--resample", 2)
    assert refused.code == 2
    assert "--resample is not for stores" in refused.err
