import torch
from torch.nn import functional as F

from tests.zoo.exact import dense, dense_adjacency, exact
from tests.zoo.reading import GRAPH, built, dense_gcn_filter, features_l1


def test_hops_are_powers_with_and_without_self_loops() -> None:
    _, inputs = built("fsgnn", K=2)
    A = dense_adjacency(GRAPH, "out")
    scale = torch.where(A.sum(dim=1) > 0, A.sum(dim=1) ** -0.5, 0.0)
    A, P, x = (scale[:, None] * A * scale).float(), dense_gcn_filter(GRAPH, "out"), features_l1(GRAPH)
    expected = [x, A @ x, P @ x, A @ A @ x, P @ P @ x]
    for hop, by_hand in zip(inputs.hops, expected, strict=True):
        torch.testing.assert_close(dense(hop), by_hand, atol=1e-6, rtol=1e-5)


def test_it_equals_the_formula() -> None:
    module, inputs = exact("fsgnn", GRAPH, K=2, hidden_channels=4)
    with torch.no_grad():
        module.hop.copy_(torch.tensor([1.0, -1.0, 0.5, 2.0, 0.0]))
    a, blocks = torch.softmax(module.hop, 0), []
    for c, hop in enumerate(inputs.hops):
        linear = module.linears[c]
        h = dense(hop) @ linear.weight + linear.bias
        blocks.append(a[c] * h / h.norm(dim=1, keepdim=True).clamp_min(1e-12))
    expected = F.relu(torch.cat(blocks, dim=1)) @ module.out.weight + module.out.bias
    torch.testing.assert_close(module(inputs), expected, atol=1e-10, rtol=0)


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
