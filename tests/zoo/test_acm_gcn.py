import torch
from torch.nn import functional as F

from lsgnn.zoo.acm_gcn import ACMConv
from tests.zoo.exact import dense, dense_adjacency, exact
from tests.zoo.reading import GRAPH, built

LOW = dense_adjacency(GRAPH) + torch.eye(40, dtype=torch.float64)
LOW = LOW / LOW.sum(dim=1, keepdim=True)


def by_hand(conv: ACMConv, h: torch.Tensor, low: torch.Tensor, structure: torch.Tensor | None = None) -> torch.Tensor:
    W = conv.linear.weight.chunk(3, dim=1)
    identity = torch.eye(len(h), dtype=h.dtype)
    H = [low @ h @ W[0], (identity - low) @ h @ W[1], h @ W[2]] + ([] if structure is None else [structure])
    H = [F.relu(part) for part in H]
    s = torch.stack([torch.sigmoid(part @ v) for part, v in zip(H, conv.v, strict=True)], dim=1)
    a = torch.softmax(s @ conv.mix / len(H), dim=1)
    return (3 if structure is None else 1) * sum(a[:, [c]] * part for c, part in enumerate(H))


def test_low_pass_rows_sum_to_one_and_high_pass_rows_to_zero() -> None:
    _, inputs = built("acm_gcn")
    torch.testing.assert_close(dense(inputs.low), LOW.float())
    torch.testing.assert_close((torch.eye(40) - dense(inputs.low)).sum(dim=1), torch.zeros(40), atol=1e-6, rtol=0)


def test_it_equals_the_formula_on_dense_matrices() -> None:
    module, inputs = exact("acm_gcn", GRAPH)
    low = dense(inputs.low)
    h = F.relu(by_hand(module.conv1, dense(inputs.x), low))
    torch.testing.assert_close(module(inputs), by_hand(module.conv2, h, low), atol=1e-10, rtol=0)


def test_plus_plus_adds_structure_and_a_residual() -> None:
    module, inputs = exact("acm_gcn", GRAPH, variant="++")
    low, A, x = dense(inputs.low), dense_adjacency(GRAPH), dense(inputs.x)
    h = F.relu(by_hand(module.conv1, x, low, A @ module.conv1.structure.weight)) + F.relu(module.residual(x))
    expected = by_hand(module.conv2, h, low, A @ module.conv2.structure.weight)
    torch.testing.assert_close(module(inputs), expected, atol=1e-10, rtol=0)


def test_mixing_weights_sum_to_one() -> None:
    conv = ACMConv(5, 7)
    weights = conv.mixing_weights(torch.randn(3, 11, 7))
    torch.testing.assert_close(weights.sum(dim=0), torch.ones(11))


def test_plus_without_structure_is_the_plain_model() -> None:
    plain, inputs = built("acm_gcn")
    plus, same = built("acm_gcn", variant="+", structure=False)
    torch.testing.assert_close(plain(inputs), plus(same), atol=0, rtol=0)
