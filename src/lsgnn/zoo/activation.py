r"""Normalisation, ReLU and dropout as one step, :math:`\mathrm{drop}\,\mathrm{ReLU}\,\mathrm{norm}(X)`.

Of deep, wide networks on one CPU core this is the larger half of an epoch: torch goes over the node vectors ten times
and draws a random number per entry. With batch normalisation it is four passes here (`lsgnn.zoo.activation_kernels`),
and sixteen random bits per entry are enough. On other devices, torch's own functions do the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

LEVELS = 2**16  # of sixteen random bits: dropout is exact to 1 in 65,536


def activated(norm: nn.Module, x: Tensor, p: float, training: bool) -> Tensor:
    """drop(ReLU(norm(x))) of node vectors [n, z]; dropout with probability p, in training only."""
    p = p if training else 0.0
    if isinstance(norm, nn.BatchNorm1d) and x.device.type == "cpu" and x.dtype == torch.float32:
        return _batch_normed(norm, x, p, training)
    return quick_dropout(F.relu(norm(x)), p)


def quick_dropout(x: Tensor, p: float) -> Tensor:
    """Entries dropped with probability p, the others scaled up; on a CPU a tenth of the time of torch's own."""
    if p == 0:
        return x
    if x.device.type != "cpu":
        return F.dropout(x, p)
    least, kept = _threshold(p)
    return x * ((random_bits(x.shape) >= least) * kept)


def random_bits(shape: torch.Size) -> Tensor:
    """Sixteen random bits per entry from torch's stream, as numbers -32768 … 32767."""
    size = shape.numel()
    words = torch.empty(-(-size // 4), dtype=torch.int64).random_(-(2**63), None)
    return words.view(torch.int16)[:size].view(shape)


def _threshold(p: float) -> tuple[int, float]:
    """The least number that is kept, and by how much what is kept is scaled up."""
    dropped = min(round(p * LEVELS), LEVELS - 1)
    return dropped - LEVELS // 2, LEVELS / (LEVELS - dropped)


def _batch_normed(norm: nn.BatchNorm1d, x: Tensor, p: float, training: bool) -> Tensor:
    if training:
        out: Tensor = _NormReluDrop.apply(x, norm.weight, norm.bias, norm, p)  # type: ignore[no-untyped-call]
        return out
    if x.requires_grad or norm.running_mean is None or norm.running_var is None:
        return F.relu(norm(x))
    from lsgnn.zoo.activation_kernels import scaled_relu  # Numba loads slowly

    factor = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach().numpy()
    result = torch.empty_like(x, memory_format=torch.contiguous_format)
    mean, shift = norm.running_mean.numpy(), norm.bias.detach().numpy()
    scaled_relu(x.contiguous().numpy(), mean, factor, shift, result.numpy())
    return result


class _NormReluDrop(torch.autograd.Function):
    """In training: the moments are those of the nodes, and the module's running moments follow them, as in torch."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, norm: nn.BatchNorm1d, p: float) -> Tensor:
        from lsgnn.zoo.activation_kernels import column_sums, scaled_relu, scaled_relu_dropped

        x = x.contiguous()
        n, z = x.shape
        sums = np.zeros((2, z))
        column_sums(x.numpy(), sums[0], sums[1])
        mean = sums[0] / n
        variance = np.maximum(sums[1] / n - mean**2, 0.0)
        _follow(norm, mean, variance * n / max(n - 1, 1))
        inverse = 1 / np.sqrt(variance + norm.eps)
        factor = weight.detach().numpy() * inverse
        scale = _single(mean), _single(factor), bias.detach().numpy()
        out, gain = torch.empty_like(x), 1.0
        if p == 0:
            scaled_relu(x.numpy(), *scale, out.numpy())
        else:
            least, gain = _threshold(p)
            scaled_relu_dropped(x.numpy(), *scale, random_bits(x.shape).numpy(), least, gain, out.numpy())
        ctx.save_for_backward(x, out)
        ctx.moments = mean, inverse, factor, gain
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        from lsgnn.zoo.activation_kernels import gradient_of_input, gradient_sums

        (x, out), (mean, inverse, factor, gain) = ctx.saved_tensors, ctx.moments
        n, z = x.shape
        g, y, xs = grad.contiguous().numpy(), out.numpy(), x.numpy()
        sums = np.zeros((2, z))
        gradient_sums(g, y, xs, sums[0], sums[1])
        to_bias = gain * sums[0]
        to_weight = inverse * (gain * sums[1] - mean * to_bias)  # sum of gradient · (x - mean) / std
        # factor · (g - mean of g - x̂ · mean of g·x̂), with x̂ = (x - mean) / std
        of_x = -factor * inverse * to_weight / n
        scale = _single(mean), _single(gain * factor), _single(of_x), _single(-factor * to_bias / n)
        result = torch.empty_like(x)
        gradient_of_input(g, y, xs, *scale, result.numpy())
        return result, torch.from_numpy(_single(to_weight)), torch.from_numpy(_single(to_bias)), None, None


def _single(numbers: NDArray[np.float64]) -> NDArray[np.float32]:
    return numbers.astype(np.float32)


def _follow(norm: nn.BatchNorm1d, mean: NDArray[np.float64], variance: NDArray[np.float64]) -> None:
    """The running moments of a module in training: a step towards those of this epoch."""
    if norm.running_mean is None or norm.running_var is None or norm.num_batches_tracked is None:
        return
    share = 0.1 if norm.momentum is None else norm.momentum
    norm.num_batches_tracked += 1
    norm.running_mean.lerp_(torch.from_numpy(_single(mean)), share)
    norm.running_var.lerp_(torch.from_numpy(_single(variance)), share)
