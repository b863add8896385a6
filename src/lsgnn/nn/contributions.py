r"""The logits of a node as a sum over hops and channels: what `explain` shows.

Given its weights α, a node's logits are a sum. With :math:`N_k = \max(\|Z^{(k)}\|, \epsilon)` (1 without `out_norm`)
and the block :math:`W_k` of the output layer that reads hop k,

.. math::
    \mathrm{logit} = b + W_0 \frac{G_I}{N_0} + \sum_{k=1}^K \Big(
        W_k \frac{\alpha_I^{(k)} G_I}{N_k} + W_k \frac{\alpha_L^{(k)} G_L^{(k)}}{N_k}
        + W_k \frac{\alpha_H^{(k)} G_H^{(k)}}{N_k}\Big),

so every term is an exact contribution, and together they are the logit. An MLP head is linear as well once the node has
fixed which of its ReLUs are open: its Jacobian at the node takes the place of W and what remains is the bias, so the
sum is exact there too.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lsgnn.nn.channel_norm import folded
from lsgnn.nn.fusion import fuse
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import Rows

EPSILON = 1e-12  # of F.normalize


@dataclass(frozen=True)
class Contributions:
    """One model's logits of b rows as a sum; everything in double precision. C is 1 where one class was asked for."""

    alpha: Tensor  # [b, K, 3]
    own: Tensor  # [b, C]
    hops: Tensor  # [b, K, 3, C]
    links: Tensor  # [b, C]
    bias: Tensor  # [b, C]

    @property
    def logits(self) -> Tensor:
        return self.own + self.hops.sum(dim=(1, 2)) + self.links + self.bias


@torch.no_grad()
def contributions(model: LSGNN, rows: Rows, classes: Tensor | None = None) -> Contributions:
    """Takes the logits of rows apart, term by term: of all classes, or of one for each row (`classes` [b])."""
    reduced = model.reduce(rows.channels)  # [2K+1, b, z]
    alpha = model.fusion(rows, reduced[0])  # [b, K, 3]
    blocks = fuse(reduced, alpha).double()  # [b, K+1, z]
    G, a, K = reduced.transpose(0, 1).double(), alpha.double(), model.K
    channels = torch.stack([G[:, :1].expand(-1, K, -1), G[:, 1 : K + 1], G[:, K + 1 :]], dim=2)  # [b, K, 3, z]
    terms = a.unsqueeze(-1) * channels
    if model.adjacency is not None and rows.links is not None:
        blocks = torch.cat([blocks, rows.pick(model.adjacency(rows.links)).double().unsqueeze(1)], dim=1)
    size = blocks.norm(dim=-1, keepdim=True).clamp_min(EPSILON) if model.out_norm else torch.ones_like(blocks[..., :1])
    blocks = blocks / size
    W, bias = _linear_at(model.head, blocks.flatten(1), classes)
    W = W.view(*W.shape[:2], *blocks.shape[1:])  # [b, C, blocks, z]
    hops = torch.einsum("bckz,bkxz->bkxc", W[:, :, 1 : K + 1], terms / size[:, 1 : K + 1].unsqueeze(2))
    own, *links = (torch.einsum("bcz,bz->bc", W[:, :, k], blocks[:, k]) for k in (0, *range(K + 1, blocks.shape[1])))
    return Contributions(a, own, hops, links[0] if links else torch.zeros_like(own), bias)


def _linear_at(head: nn.Module, h: Tensor, classes: Tensor | None) -> tuple[Tensor, Tensor]:
    """(W, b) with head(h) = W h + b at each row, in double precision: [b, C, blocks·z] and [b, C]."""
    last = head if isinstance(head, nn.Linear) else head[-1] if isinstance(head, nn.Sequential) else None
    assert isinstance(last, nn.Linear)
    if classes is None:
        out, bias = last.weight.double().expand(len(h), -1, -1), last.bias.double().expand(len(h), -1)
    else:
        out, bias = last.weight.double()[classes].unsqueeze(1), last.bias.double()[classes].unsqueeze(1)
    if last is head:
        return out, bias
    assert isinstance(head, nn.Sequential)
    first, norm, *_ = head
    assert isinstance(first, nn.Linear)
    assert isinstance(norm, nn.BatchNorm1d)
    scale, shift = folded(norm)
    W, b = scale.unsqueeze(-1) * first.weight.double(), scale * first.bias.double() + shift
    open = (h @ W.T + b > 0).double()
    out = out * open.unsqueeze(1)
    return out @ W, out @ b + bias
