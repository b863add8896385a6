import pytest
import torch
from torch_geometric.nn import GATConv

from lsgnn.zoo.inputs import message_edges
from tests.zoo.reading import GRAPH, built, features_l1


@pytest.mark.parametrize("direction", ["undirected", "out"])
def test_it_equals_two_plain_gat_convs(direction: str) -> None:
    module, inputs = built("gat", direction=direction, heads=3, out_heads=2)
    first, second = GATConv(12, 8, heads=3), GATConv(24, 3, heads=2, concat=False)
    first.load_state_dict({**module.attend.state_dict(), "lin.weight": module.linear.weight.t()})
    second.load_state_dict(module.out.state_dict())
    edges = message_edges(GRAPH, direction)  # they add the self loops themselves
    theirs = second(torch.nn.functional.elu(first(features_l1(GRAPH), edges)), edges)
    torch.testing.assert_close(module(inputs), theirs, atol=1e-6, rtol=1e-5)
