import torch

from tests.zoo.reading import GRAPH, built, dense_gcn_filter, features_l1


def test_it_equals_the_formula_with_a_score_per_node_and_hop() -> None:
    module, inputs = built("dagnn", K=3)
    P, h, expected = dense_gcn_filter(GRAPH), module.mlp(features_l1(GRAPH)), 0.0
    for _ in range(4):
        expected = expected + torch.sigmoid(h @ module.retain.weight.t() + module.retain.bias) * h
        h = P @ h
    torch.testing.assert_close(module(inputs), expected, atol=1e-6, rtol=1e-5)


def test_keeping_all_of_every_hop_makes_it_gprgnn_with_ones() -> None:
    dagnn, inputs = built("dagnn", K=3, dropout=0.5)
    gprgnn, _ = built("gprgnn", K=3)
    with torch.no_grad():
        dagnn.retain.bias.fill_(50.0)  # σ(50) = 1
        gprgnn.gamma.fill_(1.0)
    gprgnn.mlp.load_state_dict(dagnn.mlp.state_dict())
    torch.testing.assert_close(dagnn(inputs), gprgnn(inputs), atol=1e-6, rtol=1e-5)
