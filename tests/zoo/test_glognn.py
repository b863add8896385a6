import pytest
import torch
from torch.nn import functional as F

from lsgnn.errors import InputError
from lsgnn.zoo.glognn import GlobalConv, GloGNNConfig
from tests.zoo.exact import dense, dense_adjacency, doubled, exact
from tests.zoo.reading import GRAPH, built

torch.manual_seed(0)
H = torch.randn(40, 3, dtype=torch.float64)
H0 = torch.randn(40, 3, dtype=torch.float64)


def by_definition(conv: GlobalConv, H: torch.Tensor, H0: torch.Tensor, A: torch.Tensor) -> torch.Tensor:
    """Z* in its n × n form."""
    a, b, g, eye = conv.alpha, conv.beta, conv.gamma, torch.eye(len(A), dtype=A.dtype)
    hops = sum(lam * torch.linalg.matrix_power(A, k) for k, lam in enumerate(conv.lam, start=1))
    left = (1 - g) * H @ H.t() + b * hops - g * (1 - g) * H0 @ H.t()
    Z = left @ torch.linalg.inv((1 - g) ** 2 * H @ H.t() + (a + b) * eye)
    return (1 - g) * Z @ H + g * H0


@pytest.mark.parametrize(("alpha", "beta", "gamma"), [(0.0, 1.0, 0.0), (1.0, 0.1, 0.7), (77.0, 1000.0, 0.8)])
def test_linear_time_equals_the_definition(alpha: float, beta: float, gamma: float) -> None:
    _, inputs = exact("glognn", GRAPH)
    conv = GlobalConv(3, 3, alpha, beta, gamma).double()
    with torch.no_grad():
        conv.lam.copy_(torch.tensor([0.5, -0.2, 0.9]))
    expected = by_definition(conv, H, H0, dense(inputs.adj))
    torch.testing.assert_close(conv(H, H0, inputs.adj), expected, atol=1e-10, rtol=1e-10)


def test_z_solves_the_problem_it_is_defined_by() -> None:
    """The definition itself: no small change of Z* lowers the objective."""
    _, inputs = exact("glognn", GRAPH)
    A, (a, b, g) = dense(inputs.adj), (0.4, 0.3, 0.2)
    Z = torch.zeros(40, 40, dtype=torch.float64, requires_grad=True)
    gram = (1 - g) ** 2 * H @ H.t() + (a + b) * torch.eye(40, dtype=torch.float64)
    with torch.no_grad():
        Z.copy_(((1 - g) * H @ H.t() + b * A - g * (1 - g) * H0 @ H.t()) @ torch.linalg.inv(gram))
    objective = (H - (1 - g) * Z @ H - g * H0).square().sum() + a * Z.square().sum() + b * (Z - A).square().sum()
    objective.backward()
    torch.testing.assert_close(Z.grad, torch.zeros_like(Z), atol=1e-10, rtol=0)


def test_a_huge_alpha_leaves_only_the_share_of_the_start() -> None:
    _, inputs = exact("glognn", GRAPH)
    conv = GlobalConv(3, 2, alpha=1e12, beta=0.0, gamma=0.6).double()
    torch.testing.assert_close(conv(H, H0, inputs.adj), 0.6 * H0, atol=1e-8, rtol=0)


def test_plus_plus_weighs_classes_in_q_and_in_the_product() -> None:
    _, inputs = exact("glognn", GRAPH)
    conv = GlobalConv(3, 1, alpha=1.0, beta=0.5, gamma=0.3, plus_plus=True).double()
    theta = torch.diag(torch.tensor([0.2, 1.5, -0.7], dtype=torch.float64))
    with torch.no_grad():
        conv.theta.copy_(theta.diagonal())
    Q = 0.7 * H @ torch.linalg.inv(0.49 * H.t() @ H + 1.5 * torch.eye(3, dtype=torch.float64)) @ theta
    T = theta @ H.t() @ Q
    expected = 0.7 * H @ T + 0.5 * dense(inputs.adj) @ Q - 0.21 * H0 @ T + 0.3 * H0
    torch.testing.assert_close(conv(H, H0, inputs.adj), expected, atol=1e-10, rtol=0)


def test_single_precision_stays_close_to_double() -> None:
    module, inputs = built("glognn", alpha=0.0, beta=0.01, gamma=0.0, num_layers=3)
    single = module(inputs).double()
    torch.testing.assert_close(single, module.double()(doubled(inputs)), atol=1e-4, rtol=1e-3)


def test_features_and_adjacency_are_mixed_by_delta() -> None:
    module, inputs = exact("glognn", GRAPH, delta=0.3, num_layers=1, beta=0.0, alpha=1.0, gamma=0.999999)
    walk = dense_adjacency(GRAPH, self_loops=True) + torch.eye(40, dtype=torch.float64)
    walk = walk / walk.sum(dim=1, keepdim=True)
    torch.testing.assert_close(dense(inputs.adj), walk, atol=1e-7, rtol=0)
    start = module.out(F.relu(0.3 * module.from_x(inputs.x) + 0.7 * module.from_adj(walk)))
    torch.testing.assert_close(module(inputs), start, atol=1e-4, rtol=0)


def test_both_penalties_at_zero_are_refused() -> None:
    with pytest.raises(InputError, match="alpha=0 and beta=0"):
        GloGNNConfig(alpha=0.0, beta=0.0)
