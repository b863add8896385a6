"""ONNX of the row head: onnxruntime agrees with the run for every model that can be exported."""

import json
import sys

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.runs.onnx_head import export_onnx, onnx_inputs, onnx_model
from tests.graphs import random_graph
from tests.trained import small_run

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

KINDS = [
    {},
    {"members": 3, "out_norm": False},
    {"head": "mlp", "reduce_layers": 2},
    {"weights": "localsim_naive", "similarity": "euclidean"},
    {"weights": "graph", "K": 1},
    {"weights": "node", "direction": "out"},
    {"structure_features": "degrees"},
    {"reduce_norm": "batch", "reduce_layers": 2, "feature_norm": "none"},
    {"reduce_norm": "none"},
    {"localsim_scale": "standard", "localsim_degree": True, "localsim_space": "propagated"},
    {"direction": "both", "K": 2},
]


@pytest.mark.parametrize("settings", KINDS)
def test_onnxruntime_agrees_with_the_run(settings, tmp_path):
    run = small_run(random_graph(sparse=True), **settings)
    export_onnx(run, tmp_path / "head.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "head.onnx")
    for nodes in (np.arange(40), np.array([5, 3, 39]), np.array([39])):  # 3 has no features, 39 no neighbours
        logits, probabilities = session.run(None, onnx_inputs(run, nodes))
        np.testing.assert_allclose(logits, run.logits[nodes], atol=1e-5)
        np.testing.assert_allclose(probabilities, run.predict().probabilities[nodes], atol=1e-5)


def test_the_file_says_what_goes_in_and_comes_out(tmp_path):
    run = small_run()
    export_onnx(run, tmp_path / "head.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "head.onnx")
    shapes = {value.name: value.shape for value in (*session.get_inputs(), *session.get_outputs())}
    assert shapes == {
        "channels": ["rows", 7, 12],
        "similarity": ["rows", "neighbours"],
        "share": ["rows", "neighbours"],
        "logits": ["rows", 3],
        "probabilities": ["rows", 3],
    }
    facts = session.get_modelmeta().custom_metadata_map
    assert json.loads(facts["class_names"]) == ["0", "1", "2"]
    assert json.loads(facts["settings"]) == run.config.to_dict()
    assert float(facts["temperature"]) == run.temperature


def test_padding_changes_nothing():
    run = small_run()
    session = onnxruntime.InferenceSession(onnx_model(run).SerializeToString())
    feed = onnx_inputs(run)
    padded = {name: np.pad(feed[name], ((0, 0), (0, 5))) for name in ("similarity", "share")}
    np.testing.assert_allclose(session.run(None, feed | padded)[0], session.run(None, feed)[0], atol=1e-6)


def test_the_same_run_gives_the_same_bytes(tmp_path):
    run = small_run()
    for name in ("a.onnx", "b.onnx"):
        export_onnx(run, tmp_path / name)
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


@pytest.mark.parametrize("settings", [{"weights": "free"}, {"weights": "random"}, {"adjacency_embedding": True}])
def test_models_with_parameters_of_each_node_are_no_row_models(settings):
    with pytest.raises(InputError, match="keeps parameters of each node, and cannot be applied to single rows"):
        onnx_model(small_run(epochs=1, **settings))


def test_the_name_must_say_onnx_and_the_extra_is_named_where_it_is_missing(tmp_path, monkeypatch):
    run = small_run(epochs=1)
    with pytest.raises(InputError, match=r"must end in \.onnx"):
        export_onnx(run, tmp_path / "head.pb")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(InputError, match=r"onnx is not installed: run pip install 'lsgnn\[onnx\]'"):
        export_onnx(run, tmp_path / "head.onnx")
    assert not list(tmp_path.iterdir())


def test_a_row_does_not_know_the_localsim_of_its_neighbours():
    with pytest.raises(InputError, match="localsim_hops=1 reads the φ of other nodes"):
        onnx_model(small_run(localsim_hops=1))
