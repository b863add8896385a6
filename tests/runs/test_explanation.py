"""Explanations: contributions that add up to the logits, for every kind of model; neighbours; text and JSON."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from lsgnn import InputError
from tests.graphs import random_graph
from tests.trained import small_run

KINDS = [
    {},
    {"out_norm": False},
    {"direction": "out", "similarity": "euclidean", "filter": "self_loop"},
    {"head": "mlp"},
    {"head": "mlp", "out_norm": False, "reduce_layers": 2},
    {"weights": "graph"},
    {"reduce_norm": "batch", "out_norm": False},
    {"reduce_norm": "none"},
    {"localsim_scale": "standard", "localsim_hops": 2, "localsim_degree": True},
    {"direction": "both", "localsim_space": "propagated"},
    {"localsim_space": "predictions"},
    {"weights": "node"},
    {"weights": "localsim_naive"},
    {"weights": "free", "adjacency_embedding": True},
]


@pytest.fixture(scope="module")
def run():
    graph = random_graph()
    y = graph.y.copy()
    y[7] = -1
    graph = replace(graph, y=y, node_ids=np.array([f"n{i}" for i in range(40)]), class_names=("a", "b", "c"))
    return small_run(graph, direction="out")


@pytest.mark.parametrize("settings", KINDS)
def test_contributions_add_up_to_the_logits(settings):
    run = small_run(random_graph(sparse=True), **settings)
    for node in (0, 3, 39):  # any node, one with zero features, an isolated one
        why = run.explain(node)
        total = why.own + why.hops.sum(axis=(0, 1)) + why.links + why.bias
        np.testing.assert_allclose(total, run.logits[node], atol=1e-5)
        np.testing.assert_allclose(why.logits, run.logits[node], atol=1e-5)


def test_each_contribution_is_what_the_logit_loses_without_it():
    """Without out_norm the model is linear in α: taking one weight away takes its contribution away."""
    run = small_run(out_norm=False, weights="graph")
    before, why = run.logits[5], run.explain(5)
    state = dict(run.trained.state_dict)
    state["fusion.alpha"] = state["fusion.alpha"].clone()
    state["fusion.alpha"][1, 2] = 0
    without = replace(run, members=(replace(run.trained, state_dict=state),))
    np.testing.assert_allclose(before - without.logits[5], why.hops[1, 2], atol=1e-6)


def test_it_shows_the_weights_and_localsim_of_the_node(run):
    why = run.explain("n5")
    row = run.rows.select(torch.tensor([5]))
    with torch.no_grad():
        alpha = run.module.fusion(row, run.module.reduce(row.channels)[0])[0]
        phi = run.module.fusion.weights.localsim(run.rows.neighbours)
    np.testing.assert_allclose(why.alpha, alpha, atol=1e-6)
    assert why.localsim == pytest.approx(float(phi[5]))
    assert why.localsim_percentile == pytest.approx(
        50 * float((phi < phi[5]).double().mean() + (phi <= phi[5]).double().mean())
    )
    assert why.naive_localsim == pytest.approx(float(run.inputs.similarity.naive_localsim()[5]))
    assert 0 <= why.naive_percentile <= 100


def test_it_agrees_with_the_prediction(run):
    why, predictions = run.explain("n5"), run.predict()
    np.testing.assert_allclose(why.probabilities, predictions.probabilities[5])
    assert (why.node_id, why.prediction) == ("n5", predictions.labels[5])
    assert why.label == run.graph.class_names[run.graph.y[5]]
    assert getattr(run.split, why.part)[5]


def test_its_neighbours_are_those_it_reads_with_similarity_weight_and_known_label(run):
    source, target = run.graph.edge_index
    x = run.inputs.x
    for node in range(40):
        why = run.explain(f"n{node}")
        read = set(target[(source == node) & (target != node)].tolist())
        assert {int(near.node_id[1:]) for near in why.neighbours} == read
        weights = [near.weight for near in why.neighbours]
        assert weights == sorted(weights, reverse=True)
        for near in why.neighbours:
            j = int(near.node_id[1:])
            assert near.similarity == pytest.approx(float(x[node] @ x[j]), abs=1e-6)
            assert near.weight == pytest.approx(float(run.inputs.adj[node, j]))
            assert near.label == (None if j == 7 else run.graph.class_names[run.graph.y[j]])
            assert near.prediction == run.predict().labels[j]


def test_models_without_localsim_have_none():
    why = small_run(weights="graph").explain(0)
    assert why.localsim is None
    assert why.localsim_percentile is None
    assert "LocalSim" not in str(why)


def test_members_are_explained_by_their_mean_or_one_by_one():
    run = small_run(members=2)
    mean, first, second = run.explain(4), run.explain(4, member=0), run.explain(4, member=1)
    np.testing.assert_allclose(mean.hops, (first.hops + second.hops) / 2)
    with torch.no_grad():
        np.testing.assert_allclose(second.logits, run.modules[1](run.rows)[4], atol=1e-5)
    assert (mean.members, first.members) == (2, 1)
    for node in range(40):  # one member is explained by its own prediction, not by the vote
        alone = run.explain(node, member=1)
        assert alone.prediction == alone.class_names[int(alone.logits.argmax())]
    assert "means over an ensemble of 2" in str(mean)
    with pytest.raises(InputError, match=r"member 2 does not exist: the run has members 0\.\.1"):
        run.explain(4, member=2)


def test_an_unknown_node_is_told_the_nearest_ids(run):
    with pytest.raises(InputError, match="has no node 'n55': did you mean"):
        run.explain("n55")


def test_the_dictionary_is_json_and_adds_up_too(run):
    document = json.loads(json.dumps(run.explain("n5").to_dict(), allow_nan=False))
    name = document["prediction"]
    hops = sum(channel["contribution"][name] for hop in document["hops"] for channel in hop.values())
    total = document["own"][name] + hops + document["links"][name] + document["bias"][name]
    assert total == pytest.approx(document["logits"][name])
    assert [set(hop) for hop in document["hops"]] == [{"own", "low", "high"}] * 3
    assert set(document["neighbours"][0]) == {"node_id", "similarity", "weight", "label", "prediction"}


def test_the_text_fits_a_terminal(run):
    text = str(run.explain("n5"))
    assert text.startswith("node n5: ")
    for part in ("LocalSim", "hop 3", "bias", "logit", "neighbour(s)"):
        assert part in text
    assert max(map(len, text.splitlines())) <= 100
    assert "it reads no neighbours" in str(run.explain("n39"))
    assert "known class" not in str(run.explain("n7")).splitlines()[0]
