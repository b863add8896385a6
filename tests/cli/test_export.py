"""`lsgnn export`."""

import json

import numpy as np
import pytest

from lsgnn import InputError, Run
from lsgnn.cli.export import export
from lsgnn.runs import hub
from tests.cli.commands import call
from tests.trained import small_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export") / "run"
    small_run().save(folder)
    return folder


def test_the_onnx_file_answers_as_the_run_does(run, tmp_path):
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    from lsgnn.runs.onnx_head import onnx_inputs

    result = call(export, run, "--onnx", tmp_path / "head.onnx")
    assert result.stdout == f"exported to {tmp_path / 'head.onnx'}\n"
    loaded = Run.load(run)
    logits, _ = onnxruntime.InferenceSession(tmp_path / "head.onnx").run(None, onnx_inputs(loaded))
    np.testing.assert_allclose(logits, loaded.logits, atol=1e-5)


def test_a_run_is_pushed_privately_unless_told_otherwise(run, monkeypatch):
    pushed = []

    def push(run, repo_id, *, private):
        pushed.append((repo_id, private))
        return f"https://huggingface.co/{repo_id}"

    monkeypatch.setattr(hub, "push_to_hub", push)
    assert (
        json.loads(call(export, run, "--hub", "ann/cora", "--json").stdout)["hub"] == "https://huggingface.co/ann/cora"
    )
    call(export, run, "--hub", "ann/cora", "--public")
    assert pushed == [("ann/cora", True), ("ann/cora", False)]


def test_it_asks_where_to(run):
    assert "pass --onnx FILE or --hub USER/NAME" in str(call(export, run).exception)
    assert isinstance(call(export, run).exception, InputError)
