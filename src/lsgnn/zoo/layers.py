"""Layers that several baselines share: linear maps and perceptrons that read sparse or dense features alike."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.nn.sparse import SparseMatrix


def drop(x: SparseMatrix | Tensor, p: float, training: bool) -> SparseMatrix | Tensor:
    """Dropout of features: of the stored values only, where they are sparse."""
    return x.dropout(p, training) if isinstance(x, SparseMatrix) else F.dropout(x, p, training)


class FeatureLinear(nn.Module):
    r"""The first layer of every baseline, :math:`X W + b`, for sparse and for dense X; Glorot weights, zero bias.

    Args:
        in_channels: d.
        out_channels: z.
        bias: learn b.
    """

    def __init__(self, in_channels: int, out_channels: int, bias: bool = True) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.xavier_uniform_(self.weight)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, x: SparseMatrix | Tensor) -> Tensor:
        out = x @ self.weight
        return out if self.bias is None else out + self.bias

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, {self.out_channels}, bias={self.bias is not None})"


class DefaultLinear(FeatureLinear):
    r""":math:`X W + b` for sparse and for dense X, begun as torch's own linear layers: uniform in ±1/√d."""

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.in_channels)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)


class FeatureMLP(nn.Module):
    r"""A perceptron with dropout before every layer,
    :math:`H = \sigma(\mathrm{drop}(X) W_1) \dots`, :math:`Y = \mathrm{drop}(H) W_L`.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        num_layers: L ≥ 1.
        dropout: before every layer.
        bias: in every layer.
        relu: False leaves the hidden layers linear.
        drop_input: False spares the features, so that dropout comes before the later layers only.
        linear: what its layers are, and so how they begin.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        dropout: float = 0.5,
        bias: bool = True,
        relu: bool = True,
        drop_input: bool = True,
        linear: type[FeatureLinear] = FeatureLinear,
    ) -> None:
        super().__init__()
        widths = [in_channels, *[hidden_channels] * (num_layers - 1), out_channels]
        self.layers = nn.ModuleList(linear(d, z, bias) for d, z in pairwise(widths))
        self.dropout, self.relu, self.drop_input = dropout, relu, drop_input

    def reset_parameters(self) -> None:
        for layer in self.layers:
            layer.reset_parameters()  # type: ignore[operator]

    @property
    def first_layer(self) -> Iterable[nn.Parameter]:
        """What TensorFlow codes of this field put their L2 penalty on."""
        return self.layers[0].parameters()

    def forward(self, x: SparseMatrix | Tensor) -> Tensor:
        h: SparseMatrix | Tensor = x
        for number, layer in enumerate(self.layers):
            p = self.dropout if number > 0 or self.drop_input else 0.0
            out: Tensor = layer(drop(h, p, self.training))
            h = F.relu(out) if self.relu and number + 1 < len(self.layers) else out
        return out


def decay_only(model: nn.Module, decayed: Iterable[nn.Parameter], weight_decay: float) -> list[dict[str, Any]]:
    """Optimiser groups with weight decay on some parameters and none on the others."""
    chosen = list(decayed)
    identities = {id(p) for p in chosen}
    others = [p for p in model.parameters() if id(p) not in identities]
    groups = [{"params": chosen, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
    return [group for group in groups if group["params"]]


def kernels(model: nn.Module) -> list[nn.Parameter]:
    """The matrices of a model, without biases and other vectors: what Keras regularises."""
    return [p for p in model.parameters() if p.dim() >= 2]
