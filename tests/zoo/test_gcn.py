import pytest
import torch
from torch_geometric.nn import GCNConv

from lsgnn.zoo.inputs import message_edges
from tests.zoo.reading import GRAPH, built, dense_gcn_filter, features_l1


@pytest.mark.parametrize("direction", ["undirected", "out", "in"])
def test_it_equals_pygs_gcn_conv_and_the_dense_formula(direction: str) -> None:
    module, inputs = built("gcn", direction=direction)
    W1, W2 = (layer.weight.data for layer in module.layers)
    first, second = GCNConv(12, 64, bias=False), GCNConv(64, 3, bias=False)
    first.lin.weight.data, second.lin.weight.data = W1.t(), W2.t()
    x, edges = features_l1(GRAPH), message_edges(GRAPH, direction)
    theirs = second(first(x, edges).relu(), edges)
    torch.testing.assert_close(module(inputs), theirs, atol=1e-6, rtol=1e-5)
    P = dense_gcn_filter(GRAPH, direction)
    torch.testing.assert_close(module(inputs), P @ (P @ x @ W1).relu() @ W2, atol=1e-6, rtol=1e-5)


def test_weight_decay_acts_on_the_first_layer_alone() -> None:
    module, _ = built("gcn", num_layers=3)
    decayed, spared = module.parameter_groups(5e-4)
    assert [p is module.layers[0].weight for p in decayed["params"]] == [True]
    assert spared["weight_decay"] == 0.0
    assert len(spared["params"]) == 2
