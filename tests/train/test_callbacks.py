"""Trackers get every epoch's numbers, read back here from what the real libraries have written.

None is needed to train. Where one of them is not installed, its tests skip and say so.
"""

import json
import sys
import time
from pathlib import Path

import pytest

from lsgnn import InputError
from lsgnn.train.callbacks import MLflowCallback, TensorBoardCallback, WandbCallback
from tests.trained import small_run

SCALARS = {"train_loss", "val_loss", "val_accuracy"}


def scalars(folder: Path):
    """Name → values by epoch of an event file."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return {name: [(e.step, e.value) for e in events.Scalars(name)] for name in events.Tags()["scalars"]}


def told(history, key):
    return [(epoch["epoch"], pytest.approx(epoch[key])) for epoch in history]


def test_tensorboard_holds_the_history(tmp_path):
    pytest.importorskip("tensorboard")
    with TensorBoardCallback(tmp_path) as callback:
        run = small_run(epochs=3, on_epoch=callback)
    found = scalars(tmp_path)
    assert found == {key: told(run.trained.history, key) for key in SCALARS}


def test_later_members_get_curves_of_their_own(tmp_path):
    pytest.importorskip("tensorboard")
    with TensorBoardCallback(tmp_path) as callback:
        run = small_run(epochs=2, members=2, on_epoch=callback)
    found = scalars(tmp_path)
    assert set(found) == SCALARS | {f"member_1/{name}" for name in SCALARS}
    assert found["member_1/val_loss"] == told(run.members[1].history, "val_loss")


@pytest.fixture
def mlflow(monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    return pytest.importorskip("mlflow", reason="mlflow is not installed: pip install mlflow-skinny")


def test_mlflow_holds_settings_and_history(mlflow, tmp_path):
    uri = (tmp_path / "mlruns").as_uri()
    with MLflowCallback("fresh", run_name="first", params={"K": 3}, tracking_uri=uri) as callback:
        run = small_run(epochs=2, on_epoch=callback)
    client = mlflow.tracking.MlflowClient(tracking_uri=uri)
    (saved,) = client.search_runs([client.get_experiment_by_name("fresh").experiment_id])
    assert (saved.info.run_name, saved.info.status, saved.data.params) == ("first", "FINISHED", {"K": "3"})
    for key in SCALARS:
        values = [(m.step, m.value) for m in client.get_metric_history(saved.info.run_id, key)]
        assert values == told(run.trained.history, key)


def test_mlflow_adds_to_an_experiment_that_there_is(mlflow, tmp_path):
    uri = (tmp_path / "mlruns").as_uri()
    for name in ("one", "two"):
        MLflowCallback("known", run_name=name, tracking_uri=uri).close()
    MLflowCallback(run_name="three", tracking_uri=uri).close()
    client = mlflow.tracking.MlflowClient(tracking_uri=uri)
    known = client.get_experiment_by_name("known").experiment_id
    assert {saved.info.run_name for saved in client.search_runs([known])} == {"one", "two"}
    assert [saved.info.run_name for saved in client.search_runs(["0"])] == ["three"]


def test_a_place_that_mlflow_refuses_is_named_with_one_that_it_takes(mlflow, tmp_path, monkeypatch):
    monkeypatch.delenv("MLFLOW_ALLOW_FILE_STORE")
    with pytest.raises(InputError, match=r"MLflow does not take tracking_uri='file:.*: pass 'sqlite:///mlflow.db'"):
        MLflowCallback(tracking_uri=(tmp_path / "mlruns").as_uri())


def records(file: Path):
    """What a W&B run file holds: after 7 bytes, records of a checksum, a length, a kind and a message."""
    from wandb.proto.wandb_internal_pb2 import Record

    content, place = file.read_bytes(), 7
    while place + 7 <= len(content):
        size = int.from_bytes(content[place + 4 : place + 6], "little")
        yield Record.FromString(content[place + 7 : place + 7 + size])
        place += 7 + size


def logged(file: Path, seconds: float = 60.0):
    """The rows of a run that has ended; W&B's own process may write them a little later."""
    deadline = time.monotonic() + seconds
    while not any(record.HasField("exit") for record in records(file)):
        assert time.monotonic() < deadline, "W&B has not written the end of the run"
        time.sleep(0.05)
    rows = [record.history.item for record in records(file) if record.HasField("history")]
    return [{item.nested_key[0]: json.loads(item.value_json) for item in row} for row in rows]


def test_wandb_keeps_the_history_offline(tmp_path, monkeypatch):
    pytest.importorskip("wandb", reason="wandb is not installed: pip install wandb")
    for name, value in (("WANDB_SILENT", "true"), ("WANDB_ERROR_REPORTING", "false"), ("WANDB_API_KEY", "")):
        monkeypatch.setenv(name, value)
    for name in ("CONFIG", "CACHE", "DATA"):
        monkeypatch.setenv(f"WANDB_{name}_DIR", str(tmp_path))
    with WandbCallback("lsgnn", run_name="first", params={"K": 3}, mode="offline", dir=tmp_path) as callback:
        assert callback.run.config["K"] == 3
        run = small_run(epochs=2, on_epoch=callback)
    (file,) = tmp_path.rglob("*.wandb")
    rows = [{key: row[key] for key in (*SCALARS, "epoch")} for row in logged(file)]
    assert rows == [{key: pytest.approx(epoch[key]) for key in (*SCALARS, "epoch")} for epoch in run.trained.history]


@pytest.mark.parametrize(
    ("make", "extra"),
    [(MLflowCallback, "mlflow"), (lambda: TensorBoardCallback("x"), "tensorboard"), (WandbCallback, "wandb")],
)
def test_the_extra_is_named_where_it_is_missing(make, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, extra, None)
    with pytest.raises(InputError, match=rf"{extra} is not installed: run pip install 'lsgnn\[{extra}\]'"):
        make()
