"""Weights of any size give the filter they stand for; numbers that no training can carry are named."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph, InputError, LSGNNConfig, fit, zoo
from lsgnn.errors import TrainingDiverged
from lsgnn.propagate.filters import adjacency, normalized_adjacency
from lsgnn.propagate.precompute import precompute
from lsgnn.zoo.dir_gnn import directed_norm
from lsgnn.zoo.walks import random_walk
from tests.graphs import two_blocks

GRAPH = two_blocks(n=40)
WEIGHT = np.random.default_rng(0).uniform(0.5, 2.0, GRAPH.num_edges).astype(np.float32)


def star(center: float, ray: float) -> Graph:
    """a → b, a → c of one weight, b → d of another; node d reads nobody."""
    edges = [[0, 0, 1], [1, 2, 3]]
    ids = ["a", "b", "c", "d"]
    return Graph(x=np.eye(4), edge_index=edges, edge_weight=[center, center, ray], y=[0, 1, 0, 1], node_ids=ids)


@pytest.mark.parametrize("factor", [1e-38, 1e-30, 1e30, 1.5e38])
@pytest.mark.parametrize("direction", ["undirected", "out", "in"])
def test_degrees_without_self_loops_know_no_scale(factor: float, direction: str) -> None:
    as_given, scaled = (
        normalized_adjacency(adjacency(replace(GRAPH, edge_weight=weight), direction), "plain").toarray()
        for weight in (WEIGHT, WEIGHT * np.float32(factor))
    )
    np.testing.assert_allclose(scaled, as_given, rtol=1e-5)


def test_weights_whose_sum_no_float32_holds_are_normalised_by_their_sum() -> None:
    A = adjacency(star(3e38, 1.0), "undirected")
    found = normalized_adjacency(A, "with_self_loop").toarray()
    # degrees: a 6e38, b 3e38 (+ 1), c 3e38, d 1 (+ 1 for the node itself)
    assert found[0, 1] == pytest.approx(3 / np.sqrt(6 * 3), rel=1e-6)
    assert found[0, 2] == pytest.approx(3 / np.sqrt(6 * 3), rel=1e-6)
    assert found[1, 3] == pytest.approx(1 / np.sqrt(3e38 * 2), rel=1e-6)


def test_heavy_weights_share_out_a_mean_as_light_ones_do() -> None:
    light, heavy = (
        precompute(replace(GRAPH, edge_weight=w), LSGNNConfig(degree="plain"))
        for w in (WEIGHT, WEIGHT * np.float32(1.5e38))
    )
    np.testing.assert_allclose(heavy.similarity.naive_localsim(), light.similarity.naive_localsim(), atol=1e-5)


@pytest.mark.parametrize("normalised", [random_walk, directed_norm])
def test_filters_of_peers_know_no_scale_either(normalised: Callable[[sp.csr_array], sp.csr_array]) -> None:
    light, heavy = (
        normalised(adjacency(replace(GRAPH, edge_weight=weight), "out")).toarray()
        for weight in (WEIGHT, WEIGHT * np.float32(1.5e38))
    )
    np.testing.assert_allclose(heavy, light, rtol=1e-5)


@pytest.mark.parametrize(
    ("graph", "settings", "message"),
    [
        (
            star(3e38, 1e-38),
            {"direction": "out", "degree": "plain"},
            r"node 'a' reads node 'b' 1.22e\+38 times.*beyond the 1e\+18.*set direction to undirected",
        ),
        (
            star(1e20, 1.0),
            {"adjacency_embedding": True},
            r"the edge 'a' → 'b' has weight 1e\+20, but adjacency_embedding reads weights as they are, up to 1e\+18: "
            "divide all weights",
        ),
        (
            replace(star(1.0, 1.0), x=np.diag([1.0, 1e30, 1.0, 1.0]), feature_names=("f", "g", "h", "i")),
            {"feature_norm": "none"},
            r"node 'b' has 1e\+30 in feature 'g', which makes 1e\+30 with feature_norm='none', but a training takes up "
            r"to 1e\+18: set feature_norm to l2 or standard",
        ),
    ],
)
def test_what_cannot_be_trained_on_is_named_before_anything_is_trained(
    graph: Graph, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        precompute(graph, LSGNNConfig(**settings))


def test_sparse_features_are_named_too() -> None:
    x = np.zeros((40, 40))
    x[:, 0], x[7, 9] = 1.0, -1e25
    with pytest.raises(InputError, match=r"node 7 has -1e\+25 in feature 9"):
        precompute(replace(GRAPH, x=x), LSGNNConfig(feature_norm="none"))


def test_neighbours_too_far_apart_for_localsim_are_named() -> None:
    far = replace(GRAPH, x=GRAPH.x * np.float32(1e12))
    settings = {"feature_norm": "none", "similarity": "euclidean", "epochs": 2, "K": 1}
    with pytest.raises(TrainingDiverged, match=r"node number \d+ is .*e\+12 away .*'euclidean'.*similarity to cosine"):
        fit(far, LSGNNConfig(**settings))
    fit(far, LSGNNConfig(**settings, weights="graph"))  # reads no similarity


def test_peers_that_read_weights_as_they_are_say_so() -> None:
    heavy = replace(GRAPH, edge_weight=WEIGHT * np.float32(1e30))
    for model in ("linkx", "wrgat"):
        with pytest.raises(TrainingDiverged, match=f"but {model} reads weights as they are"):
            zoo.get(model).prepare(heavy, zoo.get(model).config())
