"""Trackers get every epoch's numbers; neither is needed to train."""

import sys
from types import SimpleNamespace

import pytest

from lsgnn import InputError
from lsgnn.train.callbacks import MLflowCallback, TensorBoardCallback
from tests.trained import small_run

SCALARS = {"train_loss", "val_loss", "val_accuracy"}


class Writer:
    """`SummaryWriter` as far as we use it."""

    def __init__(self, log_dir):
        self.log_dir, self.scalars, self.closed = log_dir, [], False

    def add_scalar(self, name, value, step):
        self.scalars.append((name, value, step))

    def close(self):
        self.closed = True


@pytest.fixture
def writer(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", SimpleNamespace(SummaryWriter=Writer))


def test_tensorboard_gets_the_history(writer, tmp_path):
    with TensorBoardCallback(tmp_path) as callback:
        run = small_run(epochs=3, on_epoch=callback)
    expected = [(key, epoch[key], epoch["epoch"]) for epoch in run.trained.history for key in epoch if key != "epoch"]
    assert callback.writer.scalars == expected
    assert callback.writer.closed
    assert callback.writer.log_dir == str(tmp_path)


def test_later_members_get_curves_of_their_own(writer, tmp_path):
    with TensorBoardCallback(tmp_path) as callback:
        small_run(epochs=2, members=2, on_epoch=callback)
    names = [name for name, _, _ in callback.writer.scalars]
    assert set(names[: len(names) // 2]) == SCALARS
    assert set(names[len(names) // 2 :]) == {f"member_1/{name}" for name in SCALARS}


def test_a_real_event_file_holds_the_history(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with TensorBoardCallback(tmp_path) as callback:
        run = small_run(epochs=3, on_epoch=callback)
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    assert set(events.Tags()["scalars"]) == SCALARS
    losses = [event.value for event in events.Scalars("val_loss")]
    assert losses == pytest.approx([epoch["val_loss"] for epoch in run.trained.history])


class Client:
    """`MlflowClient` as far as we use it; one server for all clients."""

    log: list = []  # noqa: RUF012

    def __init__(self, tracking_uri=None):
        self.log.append(("uri", tracking_uri))

    def get_experiment_by_name(self, name):
        return SimpleNamespace(experiment_id="7") if name == "known" else None

    def create_experiment(self, name):
        return f"new {name}"

    def create_run(self, experiment_id, *, run_name):
        self.log.append(("run", experiment_id, run_name))
        return SimpleNamespace(info=SimpleNamespace(run_id="r1"))

    def log_param(self, run_id, name, value):
        self.log.append(("param", run_id, name, value))

    def log_metric(self, run_id, name, value, *, step):
        self.log.append(("metric", run_id, name, value, step))

    def set_terminated(self, run_id):
        self.log.append(("end", run_id))


def test_mlflow_gets_settings_and_history(monkeypatch):
    monkeypatch.setattr(Client, "log", log := [])
    monkeypatch.setitem(sys.modules, "mlflow", SimpleNamespace(tracking=SimpleNamespace(MlflowClient=Client)))
    with MLflowCallback("fresh", run_name="first", params={"K": 3}, tracking_uri="here") as callback:
        run = small_run(epochs=2, on_epoch=callback)
    assert log[:3] == [("uri", "here"), ("run", "new fresh", "first"), ("param", "r1", "K", 3)]
    metrics = [entry[2:] for entry in log if entry[0] == "metric"]
    assert metrics == [(key, e[key], e["epoch"]) for e in run.trained.history for key in e if key != "epoch"]
    assert log[-1] == ("end", "r1")
    MLflowCallback("known")
    MLflowCallback()
    assert [entry[1] for entry in log if entry[0] == "run"] == ["new fresh", "7", "0"]


@pytest.mark.parametrize(
    ("make", "extra"), [(MLflowCallback, "mlflow"), (lambda: TensorBoardCallback("x"), "tensorboard")]
)
def test_the_extra_is_named_where_it_is_missing(make, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, extra, None)
    with pytest.raises(InputError, match=rf"{extra} is not installed: run pip install 'lsgnn\[{extra}\]'"):
        make()
