"""New nodes attached to a known graph, by hand; against recomputing everything: see test_predict."""

import numpy as np
import pytest
import torch

from lsgnn import Graph, LSGNNConfig
from lsgnn.propagate.precompute import precompute
from lsgnn.runs.new_nodes import attached_rows, new_nodes

# known: 0 ↔ 1 and a self loop on 1; new: 2 → 0, 2 → 1 and a self loop on 2
KNOWN = Graph(x=np.eye(3)[:2], edge_index=[[0, 1, 1], [1, 0, 1]])


def stack(edge_weight: list[float] | None = None, known: Graph = KNOWN, **settings: object) -> np.ndarray:
    """X, one low-pass and one high-pass hop of node 2 [3, 3]."""
    config = LSGNNConfig(K=1, direction="out", **settings)
    new = new_nodes(known, [[0.0, 0.0, 1.0]], [(2, 0), (2, 1), (2, 2)], edge_weight=edge_weight)
    channels = attached_rows(known, precompute(known, config), new, config).channels
    return channels.project(torch.eye(3).expand(3, 3, 3))[:, 0].numpy()


@pytest.mark.parametrize("degree", ["plain", "with_self_loop"])
def test_the_self_loop_filter_counts_a_new_node_once(degree: str) -> None:
    """Degrees with one loop each: 3 for the new node, 2 for the known ones; the loops of the data add nothing."""
    link = 1 / np.sqrt(3 * 2)
    low = [link, link, 1 / 3]
    np.testing.assert_allclose(
        stack(filter="self_loop", degree=degree), [[0, 0, 1], low, [0, 0, 1] - np.array(low)], atol=1e-6
    )


@pytest.mark.parametrize(("degree", "link"), [("plain", 1 / np.sqrt(2 * 1)), ("with_self_loop", 1 / np.sqrt(3 * 2))])
def test_the_degree_of_a_new_node_counts_itself_or_not(degree: str, link: float) -> None:
    expected = [[0, 0, 1], [link, link, 0.25], [-link, -link, 0.75]]
    np.testing.assert_allclose(stack(degree=degree, beta=0.25), expected, atol=1e-6)


def test_light_edges_of_a_new_node_are_divided_by_degrees_below_one() -> None:
    known = Graph(x=KNOWN.x, edge_index=[[0, 1], [1, 0]], edge_weight=[0.1, 0.1])
    a, b = 0.3 / np.sqrt(0.4 * 0.1), 0.1 / np.sqrt(0.4 * 0.1)
    expected = [[0, 0, 1], [a, b, 0.5], [-a, -b, 0.5]]
    np.testing.assert_allclose(stack([0.3, 0.1, 0.7], known, degree="plain", beta=0.5), expected, atol=1e-6)
