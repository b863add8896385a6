import pytest
import torch
from torch_geometric.nn import MixHopConv

from lsgnn.nn.sparse import SparseMatrix
from lsgnn.zoo.inputs import gcn_filter, message_edges
from lsgnn.zoo.mixhop import MixHopLayer
from tests.zoo.reading import GRAPH, built, dense_gcn_filter, features_l1

ADJ = SparseMatrix.of(gcn_filter(GRAPH, "undirected"))


def test_the_layer_equals_pygs_mixhop_conv() -> None:
    ours, theirs = MixHopLayer(12, 4, [0, 1, 3]), MixHopConv(12, 4, powers=[0, 1, 3], bias=False)
    kept = [theirs.lins[p] for p in (0, 1, 3)]  # PyG has a place for power 2 as well
    for linear, weight in zip(kept, ours.parameters(), strict=True):
        linear.weight.data = weight.data.t()
    x = features_l1(GRAPH)
    torch.testing.assert_close(ours(x, ADJ), theirs(x, message_edges(GRAPH, "undirected")), atol=1e-6, rtol=1e-5)


def test_with_power_one_alone_it_is_a_gcn_layer() -> None:
    layer, x = MixHopLayer(12, 4, [1]), features_l1(GRAPH)
    (weight,) = layer.parameters()
    torch.testing.assert_close(layer(x, ADJ), dense_gcn_filter(GRAPH) @ x @ weight, atol=1e-6, rtol=1e-5)


def test_shares_far_from_equal_are_penalised() -> None:
    module, _ = built("mixhop")
    assert float(module.penalty().detach()) == 0
    with torch.no_grad():
        module.q.copy_(torch.tensor([3.0, 0.0, 0.0]))
    assert float(module.penalty().detach()) == pytest.approx(3e-3)
    linear, _ = built("mixhop", head="linear")
    assert float(linear.penalty().detach()) == 0


def test_the_psum_head_starts_as_the_mean_over_powers() -> None:
    module, inputs = built("mixhop", head="psum")
    h = module.first(inputs.x, inputs.adj)
    segments = module.second(module.norm(h).relu(), inputs.adj).view(40, 3, 3)  # [n, powers, C]
    torch.testing.assert_close(module(inputs), segments.mean(dim=1), atol=1e-6, rtol=1e-5)
