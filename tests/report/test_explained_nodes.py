"""What a page carries of single nodes: their surroundings counted by hand, sums that are those of `Run.explain`."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lsgnn import Graph, Run, fit
from lsgnn.report.ego_networks import ego_networks
from lsgnn.report.explained_nodes import explained_nodes, sums_of
from lsgnn.report.node_table import shown_classes, table_order
from tests.graphs import random_graph
from tests.trained import small_run


@pytest.fixture(scope="module")
def run() -> Run:
    return small_run(head="mlp", adjacency_embedding=True, members=2)


def star() -> Graph:
    """Node 0 points to 1, 2 and 3 with weights 1, 3 and 2; 1 and 2 are joined. Node 4 stands alone."""
    return Graph(
        x=np.eye(5, dtype=np.float32),
        edge_index=np.array([[0, 0, 0, 1], [1, 2, 3, 2]]),
        edge_weight=np.array([1.0, 3.0, 2.0, 1.0], dtype=np.float32),
        y=np.array([0, 1, 0, 1, 0]),
        name="star",
    )


def test_the_heaviest_neighbours_come_first_and_ties_among_them_are_known() -> None:
    run = fit(star(), model="majority")
    whole, alone = ego_networks(run, np.array([0, 4]))
    assert (whole.neighbours, whole.weights, whole.degree) == ((2, 3, 1), (3.0, 2.0, 1.0), 3)
    assert whole.ties == ((0, 2),)  # nodes 2 and 1
    assert whole.similarities == ()  # this model knows none
    assert (alone.neighbours, alone.ties, alone.degree) == ((), (), 0)
    (two,) = ego_networks(run, np.array([0]), limit=2)
    assert (two.neighbours, two.ties, two.degree) == ((2, 3), (), 3)


def test_neighbours_of_lsgnn_are_those_of_its_explanation(run: Run) -> None:
    for ego, node in zip(ego_networks(run, np.array([3, 9])), (3, 9), strict=True):
        why = {near.node_id: near for near in run.explain(node).neighbours}
        for j, weight, similarity in zip(ego.neighbours, ego.weights, ego.similarities, strict=True):
            assert (why[j].weight, why[j].similarity) == pytest.approx((weight, similarity))


def test_sums_of_many_nodes_are_those_of_one_explanation_each(run: Run) -> None:
    nodes, predicted = np.array([0, 3, 39]), run.predict().predicted
    sums = sums_of(run, nodes, predicted)
    for k, i in enumerate(nodes):
        why, c = run.explain(int(i)), predicted[i]
        np.testing.assert_allclose(sums.alpha[k], why.alpha, atol=1e-6)
        np.testing.assert_allclose(sums.hops[k], why.hops[..., c], atol=1e-6)
        np.testing.assert_allclose(sums.rest[k], [why.own[c], why.links[c], why.bias[c]], atol=1e-6)
        assert sums.localsim[k] == pytest.approx(why.localsim_percentile)


def test_weights_without_localsim_have_no_percentile() -> None:
    run = small_run(weights="graph", epochs=2)
    assert sums_of(run, np.array([1]), run.predict().predicted).localsim is None


def test_wrong_nodes_come_first_and_classes_of_test_nodes_stay_hidden(run: Run) -> None:
    predictions = run.predict()
    found = explained_nodes(run, predictions, table_order(run), np.array([7, 5]), shown_classes(run, False), limit=10)
    assert found.nodes[:2].tolist() == [7, 5]
    assert len(found.nodes) == len(set(found.nodes.tolist())) == 10
    data = json.loads(json.dumps(found.to_dict()))
    assert [data["ids"][node[0]] for node in data["nodes"]] == [str(i) for i in found.nodes]
    for id, known in zip(data["ids"], data["known"], strict=True):
        assert known == (-1 if run.split.test[int(id)] else run.graph.y[int(id)])
    probable = data["nodes"][0][1]
    assert probable[0][0] == predictions.probabilities[7].argmax()
    assert data["members"] == 2


def test_mistakes_take_half_of_the_places_at_most(run: Run) -> None:
    shown, order = shown_classes(run, True), table_order(run)
    found = explained_nodes(run, run.predict(), order, order[::-1], shown, limit=10)
    assert found.nodes.tolist() == [*order[::-1][:5], *order[:5]]


def test_other_models_have_neighbours_but_no_sums() -> None:
    run = fit(random_graph(), model="gcn", epochs=2)
    shown = shown_classes(run, True)
    data = explained_nodes(run, run.predict(), table_order(run), np.array([0]), shown, limit=1).to_dict()
    (node,) = data["nodes"]
    assert node[3] is None
    assert all(len(near) == 2 for near in node[2][1])
