import copy

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.zoo.activation import activated, quick_dropout, random_bits


def batch_norm(z: int = 5) -> nn.BatchNorm1d:
    norm = nn.BatchNorm1d(z)
    nn.init.uniform_(norm.weight, 0.5, 2.0)
    nn.init.uniform_(norm.bias, -1.0, 1.0)
    return norm


def gradients(norm: nn.Module, x: Tensor, out: Tensor) -> list[Tensor]:
    towards = torch.linspace(-1, 2, out.numel()).view(out.shape)
    return list(torch.autograd.grad((out * towards).sum(), [x, *norm.parameters()]))


def test_without_dropout_output_gradients_and_running_moments_are_torchs() -> None:
    torch.manual_seed(0)
    norm, x = batch_norm(), (3 * torch.randn(40, 5) + 7).requires_grad_()
    theirs = copy.deepcopy(norm)
    out, expected = activated(norm, x, 0.0, True), F.relu(theirs(x))
    torch.testing.assert_close(out, expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(gradients(norm, x, out), gradients(theirs, x, expected), atol=2e-5, rtol=1e-4)
    torch.testing.assert_close(norm.state_dict(), theirs.state_dict())


def test_with_dropout_the_gradients_are_those_of_the_same_mask() -> None:
    torch.manual_seed(0)
    norm, x = batch_norm(), torch.randn(200, 5, requires_grad=True)
    theirs = copy.deepcopy(norm)
    out = activated(norm, x, 0.75, True)
    alike = F.relu(theirs(x)) * (out > 0) * 4  # one in four is kept, four times as large
    torch.testing.assert_close(out, alike, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(gradients(norm, x, out), gradients(theirs, x, alike), atol=5e-5, rtol=1e-4)
    positive = F.relu(theirs(x)) > 0
    assert 0.15 < float((out > 0).sum() / positive.sum()) < 0.35


@pytest.mark.parametrize("norm", [batch_norm(), nn.LayerNorm(5), nn.Identity()], ids=["batch", "layer", "none"])
def test_in_evaluation_nothing_is_dropped_and_running_moments_are_read(norm: nn.Module) -> None:
    x = torch.randn(30, 5)
    norm(2 * x + 1)
    norm.eval()
    before = copy.deepcopy(norm.state_dict())
    with torch.no_grad():
        torch.testing.assert_close(activated(norm, x, 0.9, False), F.relu(norm(x)), atol=1e-6, rtol=1e-5)
    with_gradient = activated(norm, x.requires_grad_(), 0.9, False)
    assert torch.autograd.grad(with_gradient.sum(), x)[0].any()
    assert all(torch.equal(before[name], tensor) for name, tensor in norm.state_dict().items())


def test_a_value_that_is_no_number_stays_visible() -> None:
    x = torch.tensor([[1.0], [float("nan")], [-1.0]])
    assert activated(nn.BatchNorm1d(1), x.requires_grad_(), 0.0, True).isnan().any()
    assert activated(nn.BatchNorm1d(1).eval(), x.detach(), 0.0, False).isnan().tolist() == [[False], [True], [False]]


def test_columns_of_large_values_are_normalised_all_the_same() -> None:
    x = 1e6 + torch.arange(8.0)[:, None] + 0.5  # the mean is a number of single precision
    out = activated(nn.BatchNorm1d(1), x.clone().requires_grad_(), 0.0, True)
    expected = (torch.arange(8.0) - 3.5) / 5.25**0.5
    torch.testing.assert_close(out[:, 0], expected.relu(), atol=1e-5, rtol=0)


def test_dropout_keeps_the_share_it_should_and_the_mean() -> None:
    torch.manual_seed(0)
    x = torch.ones(1000, 50)
    out = quick_dropout(x, 0.3)
    assert abs(float((out == 0).float().mean()) - 0.3) < 0.01
    assert torch.allclose(out[out > 0], torch.tensor(1 / 0.7), atol=1e-4)
    assert quick_dropout(x, 0.0) is x


def test_random_bits_come_from_torchs_stream_and_take_every_value() -> None:
    torch.manual_seed(3)
    first = random_bits(torch.Size((101, 999)))  # not a multiple of four
    torch.manual_seed(3)
    assert torch.equal(first, random_bits(torch.Size((101, 999))))
    assert first.min() < -32_000
    assert first.max() > 32_000
    assert abs(float(first.double().mean())) < 200
