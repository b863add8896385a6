import numpy as np
import torch
from torch.nn import functional as F

from lsgnn.graph.graph import Graph
from tests.zoo.exact import dense, exact
from tests.zoo.reading import GRAPH, built


def test_a_link_to_a_node_without_out_links_is_not_lost() -> None:
    graph = Graph(x=np.eye(3), edge_index=np.array([[0, 0], [1, 2]]), y=np.array([0, 1, 0]))
    _, inputs = built("fsgnn", graph, K=1)
    torch.testing.assert_close(dense(inputs.hops[1])[0], torch.tensor([0.0, 0.5**0.5, 0.5**0.5]))


def test_without_hops_it_is_an_mlp() -> None:
    module, inputs = exact("fsgnn", GRAPH, K=0, hop_norm=False)
    h = F.relu(module.linears[0](dense(inputs.x)))
    torch.testing.assert_close(module(inputs), module.out(h), atol=1e-12, rtol=0)


def test_hop_weights_have_a_rate_and_a_decay_of_their_own() -> None:
    module, _ = built("fsgnn", weight_decay_hops=0.1, weight_decay_out=0.2, lr_hops=0.04)
    hops_linear, out, hops = module.parameter_groups(0.3)
    assert (hops_linear["weight_decay"], out["weight_decay"], hops["weight_decay"]) == (0.3, 0.2, 0.1)
    assert hops["lr"] == 0.04
    assert sum(len(g["params"]) for g in (hops_linear, out, hops)) == len(list(module.parameters()))
