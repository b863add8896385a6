import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
import torch
from safetensors.torch import load_file, save_file

import lsgnn
from lsgnn import Graph, InputError, LSGNNConfig
from lsgnn.digests import write_digests
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.fitting import fit_stored
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.stored_run import StoredRun
from lsgnn.out_of_core.stored_run_files import FILES
from lsgnn.runs.defaults import Draft
from lsgnn.train.trained import Epoch
from tests.graphs import rare, two_blocks
from tests.out_of_core.damage import copy_of

CONFIG = LSGNNConfig(K=2, hidden_channels=8, epochs=10)
GRAPH = two_blocks(n=90)


EPOCH = ("epoch", "train_loss", "val_loss", "val_accuracy")


def of_member(**change: Any) -> dict[str, Any]:
    return {"members": [{"best_epoch": 1, "seconds": 1.0, "history": []} | change]}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return precompute(GRAPH, tmp_path / "store", CONFIG)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    fit_stored(precompute(GRAPH, folder / "store", CONFIG), CONFIG).save(folder / "run")
    return folder / "run"


def test_scores_and_predictions_are_those_of_a_run_in_memory(store: Store, tmp_path: Path) -> None:
    how: dict[str, Any] = dict(engine="torch")  # of two engines, each drops out units of its own
    run, other = fit_stored(store, CONFIG, batch_size=1000, **how), lsgnn.fit(GRAPH, CONFIG, **how)
    assert run.temperature == pytest.approx(other.temperature, rel=1e-3)
    for name, value in run.metrics.items():
        assert value == pytest.approx(other.metrics[name], abs=1e-4)
    assert run.metrics.keys() == other.metrics.keys()
    done = list[int]()
    assert run.predict(store, tmp_path / "p.parquet", on_chunk=done.append) == 90
    table, expected = pyarrow.parquet.read_table(tmp_path / "p.parquet"), other.predict().to_table()
    assert table.schema == expected.schema
    assert table["prediction"] == expected["prediction"]
    np.testing.assert_allclose(table["confidence"], expected["confidence"], atol=1e-4)


def test_predictions_in_chunks_are_those_at_once(tmp_path: Path) -> None:
    small = precompute(GRAPH, tmp_path / "small", CONFIG, max_memory=1 << 20)
    run = fit_stored(small, CONFIG)
    object.__setattr__(small.manifest, "memory", 4000)  # three rows, or 25 neighbours
    indptr, nodes = small.array("neighbours-undirected/indptr"), list(StoredRows(small, CONFIG).chunks())
    assert [first for first, _ in nodes] == [0, *(last for _, last in nodes[:-1])]
    assert nodes[-1][1] == 90
    assert all(last - first <= 3 for first, last in nodes)
    assert all(indptr[last] - indptr[first] <= 25 or last == first + 1 for first, last in nodes)
    done = list[int]()
    run.predict(small, tmp_path / "chunks.csv", on_chunk=done.append)
    assert done == [last for _, last in nodes]
    run.predict(Store(small.folder), tmp_path / "once.csv")
    chunks, once = (pyarrow.csv.read_csv(tmp_path / f"{name}.csv") for name in ("chunks", "once"))
    assert chunks["id"] == once["id"]
    np.testing.assert_allclose(chunks["confidence"], once["confidence"], atol=1e-6)


@pytest.mark.parametrize("settings", [{}, {"reduce_layers": 2, "K": 1}])
def test_a_store_without_hops_yields_the_same_model_and_predictions(tmp_path: Path, settings: dict[str, Any]) -> None:
    config, shared = CONFIG.replace(**settings), dict(max_memory=1 << 20)
    whole = precompute(GRAPH, tmp_path / "whole", CONFIG, **shared)
    lean = precompute(GRAPH, tmp_path / "lean", CONFIG, keep="labelled", **shared)
    run = fit_stored(lean, config)
    assert run.metrics == fit_stored(whole, config).metrics
    object.__setattr__(lean.manifest, "memory", 7 * 12 * 90)  # seven columns at a time
    tables = []
    for store in (whole, lean):
        run.predict(store, tmp_path / "p.parquet")
        tables.append(pyarrow.parquet.read_table(tmp_path / "p.parquet"))
    assert tables[0]["prediction"] == tables[1]["prediction"]
    np.testing.assert_allclose(tables[0]["confidence"], tables[1]["confidence"], atol=1e-5)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lean", "p.parquet", "whole"]  # no buffer is left


def test_a_saved_run_predicts_as_before(store: Store, tmp_path: Path) -> None:
    run = fit_stored(store, CONFIG)
    run.save(tmp_path / "run")
    again = StoredRun.load(tmp_path / "run")
    assert again.metrics == run.metrics
    assert again.trained.history == run.trained.history
    for which, path in ((run, tmp_path / "a.csv"), (again, tmp_path / "b.csv")):
        which.predict(store, path, calibrated=False)
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()


def test_seeds_are_ensembled_scored_and_decided_as_in_memory(tmp_path: Path) -> None:
    graph = rare()
    how: dict[str, Any] = dict(members=2, cost=(10, 1), engine="torch")
    store = precompute(graph, tmp_path / "store", CONFIG)
    run = fit_stored(store, Draft(CONFIG), batch_size=1000, **how)
    other = lsgnn.fit(graph, CONFIG, metric="average_precision", **how)
    assert run.metric == "average_precision"  # as 95 % are of one class
    assert "scored by average precision of 'fraud' instead of accuracy" in run.notes[0]
    assert len(run.members) == 2
    assert run.decision is not None
    assert other.decision is not None
    assert (run.decision.rule, run.decision.positive) == ("cost=10:1", 1)
    assert run.decision.threshold == pytest.approx(other.decision.threshold, abs=1e-3)
    assert run.metrics.keys() == other.metrics.keys()
    for name, value in run.metrics.items():
        assert value == pytest.approx(other.metrics[name], abs=2e-3), name
    run.save(tmp_path / "run")
    again = StoredRun.load(tmp_path / "run")
    assert (again.decision, again.metric, again.notes, again.positive) == (run.decision, run.metric, run.notes, 1)
    for calibrated in (True, False):
        again.predict(store, tmp_path / "p.parquet", calibrated=calibrated)
        table, expected = pyarrow.parquet.read_table(tmp_path / "p.parquet"), other.predict(calibrated=calibrated)
        assert table["prediction"].to_pylist() == expected.labels
        np.testing.assert_allclose(table["p(fraud)"], expected.probabilities[:, 1], atol=1e-3)
    again.predict(store, tmp_path / "p.parquet", threshold=0.0)
    assert set(pyarrow.parquet.read_table(tmp_path / "p.parquet")["prediction"].to_pylist()) == {"fraud"}
    lean = precompute(graph, tmp_path / "lean", CONFIG, keep="labelled")
    again.predict(lean, tmp_path / "q.parquet", calibrated=False)
    assert pyarrow.parquet.read_table(tmp_path / "q.parquet")["prediction"].to_pylist() == expected.labels


def test_what_cannot_be_decided_or_scored_is_one_sentence(store: Store) -> None:
    with pytest.raises(InputError, match="members=0 is out of range"):
        fit_stored(store, members=0)
    with pytest.raises(InputError, match="threshold='often' names no rule"):
        fit_stored(store, threshold="often")
    with pytest.raises(InputError, match="metric='beauty' is not a choice"):
        fit_stored(store, metric="beauty")  # type: ignore[arg-type]


def test_a_run_replaces_a_run_and_nothing_else(store: Store, tmp_path: Path) -> None:
    run = fit_stored(store, CONFIG)
    run.save(tmp_path / "run")
    (tmp_path / "run" / ".config.toml.0123456789ab.tmp").touch()  # of a save that was killed
    run.save(tmp_path / "run")
    assert {file.name for file in (tmp_path / "run").glob("[!.]*")} == {*FILES, "digests.json"}
    (tmp_path / "run" / "model.safetensors").unlink()  # a damaged one may be replaced, too
    run.save(tmp_path / "run")
    for name in ("notes.txt", ".notes.tmp"):
        (tmp_path / "run" / name).write_text("mine")
        with pytest.raises(InputError, match=rf"{name} is not part of a run and would be lost: move it"):
            run.save(tmp_path / "run")
        assert (tmp_path / "run" / name).read_text() == "mine"
        (tmp_path / "run" / name).unlink()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.toml").write_text("dear")
    for place in (tmp_path / "mine", tmp_path / "mine" / "config.toml"):
        with pytest.raises(InputError, match="is not a run on a store"):
            run.save(place)
    assert (tmp_path / "mine" / "config.toml").read_text() == "dear"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *(({"temperature": value}, "temperature is ") for value in (None, 0, -1.0, "1", True, 10**400)),
        *((of_member(history=value), "history must") for value in (None, {}, 3)),
        *((of_member(history=[value]), "history must") for value in (None, [], {}, {"epoch": 1})),
        (of_member(history=[dict.fromkeys(EPOCH, "a")]), "epoch is 'a'"),
        (of_member(best_epoch=0), "best_epoch is 0"),
        (of_member(best_epoch=1.0), "best_epoch is 1.0"),
        (of_member(seconds=[]), r"seconds is \[\], but must be a number"),
        ({"members": []}, "there is no member"),
        ({"members": [{}]}, "best_epoch is missing"),
        ({"metric": "beauty"}, "metric='beauty' is not a choice"),
        ({"positive": 2}, "positive is 2"),
        ({"decision": {}}, "decision is not as a run has it"),
        ({"decision": {"positive": 1, "threshold": 2.0, "rule": "f1"}}, "threshold=2.0 is out of range"),
        ({"tried": [1]}, "tried is not as a run has it"),
        ({"notes": [1]}, "notes must be a list of names"),
        ({"num_nodes": "90"}, "num_nodes is '90'"),
        ({"class_names": 2}, "class_names must be a list"),
        ({"class_names": [0, 1]}, "class_names must be a list of names"),
        ({"class_names": ["a"]}, r"do not fit its stored_run\.json"),
        ({"feature_names": ["a"]}, r"do not fit its stored_run\.json"),
        ({"feature_names": None}, "feature_names must be a list"),
        ({"column_scale": {"mean": [1.0]}}, "the scale of columns must have rows"),
        ({"column_scale": [1]}, "the scale of columns must have rows"),
        ({"metrics": []}, "metrics must be names and values"),
        ({"metrics": {"val_loss": "low"}}, "val_loss is 'low'"),
        ({"environment": "here"}, "environment must be names and values"),
        ({"more": 1}, "'more' is not part of a run"),
    ],
)
def test_facts_of_another_type_or_range_are_named(
    saved: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    folder = copy_of(saved, tmp_path / "run")
    about = json.loads((folder / "stored_run.json").read_text())
    (folder / "stored_run.json").write_text(json.dumps(about | change))
    with pytest.raises(InputError, match=r"stored_run\.json is damaged: its SHA-256 is"):
        StoredRun.load(folder)
    write_digests(folder, FILES)  # somebody changed it on purpose
    with pytest.raises(InputError, match=message) as error:
        StoredRun.load(folder)
    assert str(error.value).endswith("restore it or train again")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w.pop("0.head.bias"), r"do not fit its config\.toml"),
        (lambda w: w.update({"0.reduce.weights.0": torch.zeros(3)}), r"do not fit its config\.toml"),
        (lambda w: w.update({"0.head.bias": torch.zeros(2).double()}), r"head\.bias is not of finite float32"),
        (lambda w: w.update({"0.head.bias": torch.full((2,), torch.nan)}), r"head\.bias is not of finite float32"),
    ],
)
def test_weights_of_another_form_are_named(saved: Path, tmp_path: Path, change: Any, message: str) -> None:
    folder = copy_of(saved, tmp_path / "run")
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")
    write_digests(folder, FILES)
    with pytest.raises(InputError, match=message):
        StoredRun.load(folder)


def test_a_run_with_nothing_recorded_or_a_file_gone_is_no_run(saved: Path, tmp_path: Path) -> None:
    for name in (*FILES, "digests.json"):
        folder = copy_of(saved, tmp_path / "run")
        (folder / name).unlink()
        with pytest.raises(InputError, match=name):
            StoredRun.load(folder)


def test_a_loss_that_was_no_number_stays_none(saved: Path, tmp_path: Path) -> None:
    run = StoredRun.load(saved)
    line = Epoch(epoch=1, train_loss=math.nan, val_loss=1.0, val_accuracy=0.5)
    replace(run, members=(replace(run.trained, history=[line]),)).save(tmp_path / "run")
    assert math.isnan(StoredRun.load(tmp_path / "run").trained.history[0]["train_loss"])


def test_what_does_not_belong_together_is_refused(store: Store, tmp_path: Path) -> None:
    run = fit_stored(store, CONFIG)
    graph = Graph(x=GRAPH.x[:, :5], edge_index=GRAPH.edge_index, y=GRAPH.y)
    other = precompute(graph, tmp_path / "other", CONFIG)
    with pytest.raises(InputError, match="other features or classes"):
        run.predict(other, tmp_path / "p.csv")
    with pytest.raises(InputError, match=r"must end in \.csv or \.parquet"):
        run.predict(store, tmp_path / "p.txt")
    assert not list(tmp_path.glob("p.*"))
    run.save(tmp_path / "run")
    (tmp_path / "run" / "stored_run.json").write_text("{}")
    with pytest.raises(InputError, match="is damaged"):
        StoredRun.load(tmp_path / "run")
    with pytest.raises(InputError, match="is not a run on a store"):
        StoredRun.load(tmp_path)


def test_columns_are_measured_as_they_were_in_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    standard = CONFIG.replace(feature_norm="standard")
    mixed = Graph(x=GRAPH.x * 1000.0 ** np.arange(GRAPH.num_features), edge_index=GRAPH.edge_index, y=GRAPH.y)
    assert precompute(mixed, tmp_path / "mixed").config.feature_norm == "standard"
    run = fit_stored(precompute(GRAPH, tmp_path / "first", standard), standard)
    run.save(tmp_path / "run")
    monkeypatch.setattr("lsgnn.out_of_core.columns.BYTES_PER_VALUE", 10_000)  # a few rows at a time
    again = precompute(GRAPH, tmp_path / "again", standard, max_memory=1 << 20)
    assert StoredRun.load(tmp_path / "run").predict(again, tmp_path / "p.csv") == 90
    larger = Graph(x=10 * GRAPH.x, edge_index=GRAPH.edge_index, y=GRAPH.y)
    with pytest.raises(InputError, match="standardised by means and deviations of their own"):
        run.predict(precompute(larger, tmp_path / "other", standard), tmp_path / "q.csv")


def test_columns_of_other_names_are_refused(tmp_path: Path) -> None:
    names = tuple(f"town = {town}" for town in "abcdef")
    named = replace(GRAPH, feature_names=names)
    run = fit_stored(precompute(named, tmp_path / "first", CONFIG), CONFIG)
    run.save(tmp_path / "run")
    other = precompute(replace(GRAPH, feature_names=names[::-1]), tmp_path / "other", CONFIG)
    with pytest.raises(InputError, match="are not those the model learned from, in their order: it must have town = a"):
        StoredRun.load(tmp_path / "run").predict(other, tmp_path / "p.csv")


def test_an_unfinished_store_says_so(store: Store) -> None:
    store.path("similarity").unlink()
    with pytest.raises(InputError, match=r"similarity\.npy is missing"):
        fit_stored(store, CONFIG)
    with pytest.raises(InputError, match="is not a store"):
        Store(store.folder.parent)
