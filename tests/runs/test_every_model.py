"""A model is a model: whatever its name, it is fitted, saved, loaded, applied and reported on in the same way."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import lsgnn
from lsgnn import InputError, Run, zoo
from tests.graphs import random_graph

every_model = pytest.mark.parametrize("name", zoo.names())


def quick_run(name: str, members: int = 1, **settings: Any) -> Run:
    """A few epochs with a whole configuration, so that nothing is probed."""
    config = zoo.get(name).config(epochs=3, seed=1, **settings)
    return lsgnn.fit(random_graph(), config, model=name, members=members)


@cache
def fitted(name: str) -> Run:
    """A run that nobody changes."""
    return quick_run(name)


@every_model
def test_a_saved_run_gives_the_same_logits(name: str, tmp_path) -> None:
    run = quick_run(name, members=2)
    run.save(tmp_path / "run")
    again = Run.load(tmp_path / "run")
    assert (again.model, again.config) == (name, run.config)
    assert again.temperature == run.temperature
    np.testing.assert_array_equal(again.logits, run.logits)


@every_model
def test_it_is_applied_to_another_graph_and_to_new_nodes_or_says_what_can_be(name: str) -> None:
    run = fitted(name)
    graph, other = run.graph, random_graph(seed=1, n=30)
    new = {"x": np.asarray(graph.x)[:2], "edges": [(40, 0), (1, 41)]}
    refused = r"cannot be applied to .*: train another model, lsgnn for one"
    if run.config.tied_to_graph:
        with pytest.raises(InputError, match=refused):
            run.predict(other)
    else:
        assert len(run.predict(other)) == 30
        np.testing.assert_allclose(run.predict(graph).probabilities, run.predict().probabilities, atol=1e-5)
    if run.config.tied_to_nodes:
        with pytest.raises(InputError, match=refused):
            run.predict_new(**new)
    else:
        assert len(run.predict_new(**new)) == 2


@every_model
def test_standardised_columns_of_another_graph_are_on_the_scale_of_the_known_one(name: str) -> None:
    if "feature_norm" not in zoo.get(name).config().to_dict():
        pytest.skip("reads no feature")
    run = quick_run(name, feature_norm="standard")
    if run.config.tied_to_graph:
        pytest.skip("cannot be applied to another graph")
    far = replace(run.graph, x=np.asarray(run.graph.x) * 5)  # by its own scale it would be the same graph
    assert np.abs(run.predict(far).probabilities - run.predict().probabilities).max() > 1e-6


@every_model
def test_with_degrees_it_is_saved_loaded_and_applied_to_other_graphs_and_new_nodes(name: str, tmp_path) -> None:
    run = quick_run(name, structure_features="degrees")
    graph = run.graph
    run.save(tmp_path / "run")
    again = Run.load(tmp_path / "run")
    np.testing.assert_array_equal(again.logits, run.logits)
    if run.entry.explains:
        np.testing.assert_allclose(again.explain(0).logits, run.logits[0], atol=1e-5)
    if run.config.tied_to_graph:
        return
    np.testing.assert_allclose(again.predict(graph).probabilities, run.predict().probabilities, atol=1e-5)
    assert len(again.predict(random_graph(seed=1, n=30))) == 30
    # a copy of an isolated node is that node, however it is computed: no degree changes
    x, atol = np.asarray(graph.x)[39:], 0.05 if name in ("wrgat", "glognn") else 1e-5  # these two read all nodes
    for exact in (False, True):
        found = again.predict_new(x, [], exact=exact).probabilities
        np.testing.assert_allclose(found, run.predict().probabilities[39:], atol=atol)
    assert len(again.predict_new(x, [(40, 0), (40, 1), (2, 40)])) == 1


@every_model
def test_it_explains_a_node_or_names_the_model_that_does(name: str) -> None:
    run = fitted(name)
    if zoo.get(name).explains:
        assert run.explain(0).prediction in run.graph.class_names
    else:
        with pytest.raises(InputError, match="train LSGNN"):
            run.explain(0)


def test_settings_of_one_model_are_refused_by_another() -> None:
    with pytest.raises(InputError, match="config is of type LSGNNConfig: pass an GCNConfig"):
        lsgnn.fit(random_graph(), lsgnn.LSGNNConfig(), model="gcn")
    with pytest.raises(InputError, match="there is no model 'gnc' in the zoo: did you mean 'sgc' or 'gcn'"):
        lsgnn.fit(random_graph(), model="gnc")
    with pytest.raises(InputError, match="engine='cpu' cannot train gcn: use auto or torch"):
        lsgnn.fit(random_graph(), model="gcn", engine="cpu")
