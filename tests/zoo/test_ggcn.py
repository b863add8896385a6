import numpy as np
import torch
from torch.nn import functional as F

from lsgnn.graph.graph import Graph
from lsgnn.zoo.ggcn import GGCN, GGCNConv
from tests.zoo.exact import dense, dense_adjacency, exact
from tests.zoo.reading import GRAPH, built


def by_hand(conv: GGCNConv, h: torch.Tensor, A: torch.Tensor) -> torch.Tensor:
    n = len(A)
    A_hat = A + torch.eye(n, dtype=A.dtype)
    scale = A_hat.sum(dim=1) ** -0.5
    A_hat = scale[:, None] * A_hat * scale
    Wh = h @ conv.linear.weight + conv.linear.bias
    e = F.cosine_similarity(Wh[:, None], Wh[None], dim=-1)
    e.fill_diagonal_(0)
    t = torch.where(A > 0, A_hat.diagonal()[:, None] / A_hat.clamp_min(1e-30) - 1, 0.0)
    M = e * A_hat * F.softplus(conv.degree[0] * t + conv.degree[1])
    c = torch.softmax(conv.share, 0)
    return F.softplus(conv.scale) * (c[0] * F.relu(M) @ Wh - c[1] * F.relu(-M) @ Wh + c[2] * Wh)


def test_it_equals_the_dense_formula_with_its_decaying_residual() -> None:
    module, inputs = exact("ggcn", GRAPH, num_layers=3, eta=0.7)
    with torch.no_grad():  # away from the start, where all shares are equal
        for conv in module.convs:
            conv.share.copy_(torch.tensor([0.3, -0.5, 0.1]))
    A, x = dense_adjacency(GRAPH, "out"), dense(inputs.x)
    total = F.elu(x @ module.first.weight + module.first.bias)
    total = total + F.elu(by_hand(module.convs[0], x, A))
    total = total + np.log(0.7 / 3**3 + 1) * F.elu(by_hand(module.convs[1], total, A))
    torch.testing.assert_close(module(inputs), by_hand(module.convs[2], total, A), atol=1e-6, rtol=1e-6)


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
