r"""What the reduction does to a channel between its weights and ReLU: how much of a row's size is left.

Rows of length one, as the released code has them, treat all nodes alike, but hide how large an aggregated row is, and
with it the degree. Batch norm,

.. math::
    y_{iq} = w_q \frac{h_{iq} - \mu_q}{\sqrt{\sigma_q^2 + \epsilon}} + b_q,

brings each column q of each channel to one scale and keeps how rows differ in size. :math:`\mu` and :math:`\sigma` are
those of the rows in training; a trained model keeps their running averages, so that a row is classified on its own.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.config import ReduceNorm


class RowNorm(nn.Module):
    """Rows of each channel [c, b, z] scaled to length one; zero rows stay zero."""

    def forward(self, h: Tensor) -> Tensor:
        return F.normalize(h, dim=-1)


class ChannelBatchNorm(nn.BatchNorm1d):
    """Batch norm of every column of every channel [c, b, z]; its parameters are [c·z], channel by channel."""

    def __init__(self, num_channels: int, width: int) -> None:
        super().__init__(num_channels * width)
        self.num_channels = num_channels

    def forward(self, h: Tensor) -> Tensor:
        c, b, z = h.shape
        columns = super().forward(h.transpose(0, 1).reshape(b, c * z))
        return columns.view(b, c, z).transpose(0, 1)


def make_channel_norm(kind: ReduceNorm, num_channels: int, width: int) -> nn.Module:
    """The norm of one layer of the reduction."""
    if kind == "batch":
        return ChannelBatchNorm(num_channels, width)
    return RowNorm() if kind == "row" else nn.Identity()


def folded(norm: nn.BatchNorm1d) -> tuple[Tensor, Tensor]:
    """Scale and shift of each column that do all of a trained batch norm in one go, in double precision."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    scale = norm.weight.double() / torch.sqrt(norm.running_var.double() + norm.eps)
    return scale, norm.bias.double() - scale * norm.running_mean.double()
