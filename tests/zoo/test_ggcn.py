import numpy as np
import torch

from lsgnn.graph.graph import Graph
from lsgnn.zoo.ggcn import GGCN
from tests.zoo.reading import GRAPH, built


def test_on_a_regular_graph_the_degree_correction_is_constant() -> None:
    ring = np.arange(6)
    graph = Graph(x=np.eye(6), edge_index=np.stack([ring, (ring + 1) % 6]), y=ring % 2)
    _, inputs = built("ggcn", graph, direction="undirected")
    assert torch.equal(inputs.degree, torch.zeros(12))


def test_a_node_is_no_neighbour_of_itself() -> None:
    _, inputs = built("ggcn", GRAPH)
    assert not (inputs.edges.row == inputs.edges.col).any()


def test_the_residual_decays_with_depth() -> None:
    shares = [GGCN(3, 4, 2, num_layers=5).residual_share(step) for step in range(4)]
    assert shares[0] == 1.0
    assert shares[1] > shares[2] > shares[3] > 0
