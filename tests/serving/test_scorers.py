"""New nodes scored from kept partial sums: the numbers of `Run.predict_new`, whatever the configuration."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph, Run, fit
from lsgnn.graph.new_nodes import NewNodes
from lsgnn.serving.scorers import LocalScorer, WholeGraphScorer, scorer_of
from tests.graphs import random_graph, two_blocks
from tests.trained import small_run

# four new nodes of a graph of forty: one without neighbours, two that see each other, a loop, an edge twice
EDGES = np.array([[40, 40, 41, 42, 42, 5, 42, 42], [3, 7, 40, 41, 9, 42, 42, 9]])


def four_new(graph: Graph, edges: np.ndarray = EDGES) -> NewNodes:
    x = random_graph(seed=7).x[:4]
    weight = None if graph.edge_weight is None else np.linspace(0.2, 2, edges.shape[1], dtype=np.float32)
    ids = np.array([f"new-{i}" for i in range(4)])
    return NewNodes(sp.csr_array(x) if sp.issparse(graph.x) else x, edges, weight, ids)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"direction": "out", "degree": "plain"},
        {"direction": "in", "filter": "self_loop", "K": 1},
        {"feature_norm": "standard", "similarity": "euclidean", "localsim_self_loops": True},
        {"structure_features": "degrees", "direction": "out", "localsim_direction": "undirected"},
        {"reduce_layers": 2, "head": "mlp", "weights": "node", "K": 4},
        {"weights": "graph", "propagation": "irdc", "feature_norm": "none"},
        {"adjacency_embedding": True, "direction": "out", "reduce_norm": "batch"},
    ],
    ids=lambda settings: ",".join(map(str, settings.values())) or "default",
)
def test_a_new_node_gets_what_predict_new_gives_it(settings: dict[str, object]) -> None:
    for sparse in (False, True):
        run = small_run(random_graph(sparse=sparse), members=2, epochs=1, **settings)
        scorer = scorer_of(run)
        assert isinstance(scorer, LocalScorer)
        new = four_new(run.graph)
        np.testing.assert_allclose(scorer.score(new).logits, run.logits_new(new, exact=False), atol=2e-5)


def test_weights_of_edges_count() -> None:
    graph = random_graph()
    weighted = replace(graph, edge_weight=np.linspace(0.1, 3, graph.num_edges, dtype=np.float32))
    run = small_run(weighted, epochs=3)
    new = four_new(weighted)
    np.testing.assert_allclose(scorer_of(run).score(new).logits, run.logits_new(new, exact=False), atol=2e-5)


def test_where_known_nodes_read_no_new_ones_keeping_one_by_one_is_keeping_all_at_once() -> None:
    run = small_run(random_graph(), direction="out", epochs=3)
    edges = np.array([[40, 40, 41, 42, 42, 43], [3, 7, 40, 41, 9, 42]])
    together = four_new(run.graph, edges)
    scorer = scorer_of(run)
    for i in range(4):
        own = edges[:, edges[0] == 40 + i]
        one = NewNodes(together.x[[i]], own, None, together.node_ids[[i]])
        scorer.keep(scorer.score(one))
    kept = scorer.logits(np.arange(40, 44))
    np.testing.assert_allclose(kept, run.logits_new(together, exact=False), atol=2e-5)


def test_a_kept_node_stays_as_it_came_and_is_read_like_a_known_one() -> None:
    """On an undirected graph: as if the first node had been in the graph, with its own edge and its own row."""
    run = small_run(two_blocks(n=20), direction="undirected", K=1, degree="plain", epochs=3)
    scorer, x = scorer_of(run), two_blocks(seed=3, n=20).x
    first = NewNodes(x[:1], np.array([[20], [4]]), None, np.array(["u"]))
    scorer.keep(scorer.score(first))
    before = scorer.logits(np.array([20]))
    second = scorer.score(NewNodes(x[1:2], np.array([[21], [20]]), None, np.array(["v"])))
    scorer.keep(second)
    np.testing.assert_array_equal(scorer.logits(np.array([20])), before)
    # v reads u alone, both have degree one: Â = 1, as on a graph of two nodes, v with one way to read
    pair = Graph(x=x[:2], edge_index=np.array([[0, 1], [1, 0]]), y=np.array([0, 1]))
    alone = run._logits_elsewhere(pair)
    np.testing.assert_allclose(second.logits[0], alone[1], atol=2e-5)


def test_logits_of_known_nodes_are_those_of_the_run_in_any_order() -> None:
    run = small_run(random_graph(), epochs=3)
    numbers = np.array([7, 3, 39, 3])
    np.testing.assert_array_equal(scorer_of(run).logits(numbers), run.logits[numbers])


@pytest.fixture(scope="module")
def gcn() -> Run:
    return fit(random_graph(), model="gcn", epochs=3, hidden_channels=4)


def test_other_models_read_the_enlarged_graph(gcn: Run) -> None:
    scorer, new = scorer_of(gcn), four_new(gcn.graph)
    assert isinstance(scorer, WholeGraphScorer)
    np.testing.assert_allclose(scorer.score(new).logits, gcn.logits_new(new, exact=False))


def test_other_models_know_kept_nodes_too(gcn: Run) -> None:
    scorer, new = scorer_of(gcn), four_new(gcn.graph)
    scorer.keep(scorer.score(new))
    later = scorer.score(NewNodes(new.x[:1], np.array([[44], [42]]), None, np.array(["later"])))
    edges = np.concatenate([EDGES, [[44], [42]]], axis=1)
    ids = np.array([*new.node_ids, "later"])
    whole = NewNodes(np.concatenate([new.x, new.x[:1]]), edges, None, ids)
    np.testing.assert_allclose(later.logits[0], gcn.logits_new(whole, exact=False)[-1], atol=1e-6)
    np.testing.assert_allclose(scorer.logits(np.arange(40, 44)), gcn.logits_new(new, exact=False), atol=1e-6)
