import torch
from torch_geometric.nn import MLP as PyGMLP

from tests.zoo.reading import GRAPH, built, features_l1


def test_it_equals_pygs_mlp_with_the_same_weights() -> None:
    module, inputs = built("mlp", bias=True, num_layers=3, hidden_channels=8)
    theirs = PyGMLP([12, 8, 8, 3], norm=None).eval()
    for ours, layer in zip(module.mlp.layers, theirs.lins, strict=True):
        layer.weight.data, layer.bias.data = ours.weight.data.t(), ours.bias.data
    torch.testing.assert_close(module(inputs), theirs(features_l1(GRAPH)))


def test_it_reads_no_edge() -> None:
    module, inputs = built("mlp", direction="out")
    assert not hasattr(inputs, "adj")
    assert len(list(module.parameters())) == 2  # two matrices, no biases


def test_weight_decay_spares_the_biases() -> None:
    module, _ = built("mlp", bias=True)
    decayed, spared = module.parameter_groups(0.1)
    assert all(p.dim() == 2 for p in decayed["params"])
    assert all(p.dim() == 1 for p in spared["params"])
