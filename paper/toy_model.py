r"""The paper's equations on one-dimensional features, for many graphs at once.

With K = 1 a node has three scalars: :math:`h_I = x`, :math:`h_L = \hat P x` and :math:`h_H = x - \hat P x`. They are
reduced to z columns, weighed and read out,

.. math::
    Z = \sum_c \alpha_c \odot \mathrm{ReLU}(h_c w_c), \qquad \hat Y = [\mathrm{ReLU}(h_I w_I) \,\|\, Z]\, W + b,

without the row normalisation of the released code, which would keep nothing of a one-dimensional feature but its sign.
ReLU(h w) is ReLU(h) ReLU(w) + ReLU(−h) ReLU(−w), so the n × z blocks are never formed: every graph costs n × 2 numbers
per channel. All parameters have a leading axis of B graphs, which train side by side and share nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class ToyInputs:
    """B graphs of n nodes.

    Args:
        h: channels [B, c, n]; the first is the raw feature where `raw_block` is used.
        phi: what steers the weights [B, n]; None for weights of the whole graph.
        y: classes 0 or 1 [B, n].
        train, val, test: masks [B, n].
    """

    h: Tensor
    phi: Tensor | None
    y: Tensor
    train: Tensor
    val: Tensor
    test: Tensor


class ToyLSGNN(nn.Module):
    """Logits [B, n, 2] of B graphs.

    Args:
        inputs: the graphs; φ is standardised over each graph, which the first layer of MLP_α could do as well.
        raw_block: whether the reduced raw feature is part of the output, as in the full model.
        z: width of the reduction and of MLP_α.
    """

    def __init__(self, inputs: ToyInputs, raw_block: bool, z: int = 16) -> None:
        super().__init__()
        B, c, _ = inputs.h.shape
        self.parts = torch.stack([inputs.h.relu(), (-inputs.h).relu()], dim=2)  # [B, c, 2, n]
        self.reduce = _uniform(B, c, z, bound=math.sqrt(6 / (1 + z)))
        self.out = _uniform(B, z, 2, bound=1 / math.sqrt(2 * z))
        self.bias = _uniform(B, 1, 2, bound=1 / math.sqrt(2 * z))
        self.raw_out = _uniform(B, z, 2, bound=1 / math.sqrt(2 * z)) if raw_block else None
        self.steering: Tensor | None = None
        if inputs.phi is None:
            self.alpha = nn.Parameter(torch.ones(B, 1, c))
            return
        phi = inputs.phi - inputs.phi.mean(dim=1, keepdim=True)
        phi = phi / phi.std(dim=1, keepdim=True).clamp_min(1e-12)
        self.steering = torch.stack([phi, phi**2], dim=-1)  # [B, n, 2]
        self.hidden = _uniform(B, 2, z, bound=1 / math.sqrt(2))
        self.hidden_bias = _uniform(B, 1, z, bound=1 / math.sqrt(2))
        self.weigh = _uniform(B, z, c, bound=1 / math.sqrt(z))
        self.weigh_bias = _uniform(B, 1, c, bound=1 / math.sqrt(z))

    def weights(self) -> Tensor:
        """α [B, n or 1, c]."""
        if self.steering is None:
            return self.alpha
        return F.silu(self.steering @ self.hidden + self.hidden_bias) @ self.weigh + self.weigh_bias

    def forward(self) -> Tensor:
        w = torch.stack([self.reduce.relu(), (-self.reduce).relu()], dim=2)  # [B, c, 2, z]
        fused = self.weights().transpose(1, 2).unsqueeze(2) * self.parts  # [B, c, 2, n]
        read = w @ self.out.unsqueeze(1)  # [B, c, 2, 2]
        logits = fused.flatten(1, 2).transpose(1, 2) @ read.flatten(1, 2) + self.bias
        if self.raw_out is not None:
            logits = logits + self.parts[:, 0].transpose(1, 2) @ (w[:, 0] @ self.raw_out)
        return logits


def train_toy(inputs: ToyInputs, raw_block: bool, seed: int, epochs: int, lr: float, patience: int) -> list[float]:
    """Test accuracy (%) of each graph at its epoch of best validation loss; the test nodes are read once, at the end.

    Training ends when no graph has improved for `patience` epochs.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = ToyLSGNN(inputs, raw_block)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    best = torch.full((len(inputs.y),), torch.inf)
    state = [p.detach().clone() for p in model.parameters()]
    last = 0
    for epoch in range(epochs):
        loss = F.cross_entropy(model().flatten(0, 1), inputs.y.flatten(), reduction="none").view_as(inputs.y)
        val_loss = _mean(loss.detach(), inputs.val)
        better = val_loss < best
        if better.any():
            last, best = epoch, torch.where(better, val_loss, best)
            for kept, parameter in zip(state, model.parameters(), strict=True):
                kept[better] = parameter.detach()[better]
        elif epoch - last >= patience:
            break
        optimizer.zero_grad()
        _mean(loss, inputs.train).sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    with torch.no_grad():
        for kept, parameter in zip(state, model.parameters(), strict=True):
            parameter.copy_(kept)
        right = (model().argmax(dim=-1) == inputs.y).float()
    accuracy: list[float] = (100 * _mean(right, inputs.test)).tolist()
    return accuracy


def _mean(values: Tensor, mask: Tensor) -> Tensor:
    """Mean over the masked nodes of each graph [B]."""
    return (values * mask).sum(dim=1) / mask.sum(dim=1)


def _uniform(*shape: int, bound: float) -> nn.Parameter:
    return nn.Parameter(torch.empty(shape).uniform_(-bound, bound))
