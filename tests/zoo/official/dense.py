"""What the transcriptions share: a graph as dense matrices, and the few normalisations everyone uses."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

Weights = dict[str, Tensor]


@dataclass(frozen=True)
class Dense:
    """A[i, j] = 1 where an edge leads from i to j, self loops included; features, labels, and who is trained on."""

    A: Tensor  # [n, n]
    x: Tensor  # [n, d]
    y: Tensor  # [n]
    train: Tensor  # [n]

    @property
    def both_ways(self) -> Tensor:
        """A without directions."""
        return torch.maximum(self.A, self.A.t())


def without_loops(A: Tensor) -> Tensor:
    return A - torch.diag(A.diagonal())


def with_one_loop(A: Tensor) -> Tensor:
    """One self loop per node, whether the data has one or not."""
    return without_loops(A) + torch.eye(len(A), dtype=A.dtype)


def plus_identity(A: Tensor) -> Tensor:
    """A + I as it is written: a self loop of the data makes it 2."""
    return A + torch.eye(len(A), dtype=A.dtype)


def symmetric_norm(A: Tensor) -> Tensor:
    """D^-1/2 A D^-1/2 with row sums on both sides; a row of zeros scales by zero."""
    degree = A.sum(dim=1)
    scale = torch.where(degree > 0, degree.clamp_min(1e-30) ** -0.5, 0.0)
    return scale[:, None] * A * scale[None, :]


def row_norm(A: Tensor) -> Tensor:
    """D^-1 A; a row of zeros stays one."""
    degree = A.sum(dim=1, keepdim=True)
    return torch.where(degree > 0, A / degree.clamp_min(1e-30), 0.0)


def sum_to_one(x: Tensor) -> Tensor:
    """Features as most of the codes read them; an all-zero row stays one."""
    return row_norm(x)


def linear(w: Weights, name: str, h: Tensor) -> Tensor:
    """h W (+ b), where weights are stored [in, out]."""
    out = h @ w[f"{name}.weight"]
    return out + w[f"{name}.bias"] if f"{name}.bias" in w else out


def two_layers(w: Weights, name: str, x: Tensor) -> Tensor:
    """The perceptron that most models begin with."""
    return linear(w, f"{name}.layers.1", linear(w, f"{name}.layers.0", x).relu())


def batch_norm(w: Weights, name: str, h: Tensor) -> Tensor:
    """In evaluation mode, by its running statistics."""
    scaled = (h - w[f"{name}.running_mean"]) / (w[f"{name}.running_var"] + 1e-5).sqrt()
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]
