import torch

from lsgnn.propagate.filters import adjacency
from tests.zoo.reading import GRAPH, built, features_l1


def test_it_equals_the_dense_formula() -> None:
    module, inputs = built("fagcn", eps=0.4, num_layers=2)
    A = torch.from_numpy(adjacency(GRAPH, "undirected").toarray())
    degree = A.sum(dim=1)
    norm = A / torch.sqrt(degree[:, None] * degree).clamp(min=1e-9)
    h = h0 = module.first(features_l1(GRAPH)).relu()
    for layer in module.layers:
        target, source = h @ layer.att_r.weight.t(), h @ layer.att_l.weight.t()  # g = [target part ‖ source part]
        h = 0.4 * h0 + (norm * torch.tanh(target + source.t())) @ h
    torch.testing.assert_close(module(inputs), module.last(h), atol=1e-5, rtol=1e-4)


def test_an_isolated_node_keeps_only_its_share_of_the_start() -> None:
    module, inputs = built("fagcn", eps=0.4)
    h0 = module.first(inputs.x).relu()
    torch.testing.assert_close(module(inputs)[-1], module.last(0.4 * h0)[-1], atol=1e-6, rtol=1e-5)
