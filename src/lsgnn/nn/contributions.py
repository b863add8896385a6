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
    """One model's logits of one row as a sum; everything in double precision."""

    alpha: Tensor  # [K, 3]
    own: Tensor  # [C]
    hops: Tensor  # [K, 3, C]
    links: Tensor  # [C]
    bias: Tensor  # [C]

    @property
    def logits(self) -> Tensor:
        return self.own + self.hops.sum(dim=(0, 1)) + self.links + self.bias


@torch.no_grad()
def contributions(model: LSGNN, rows: Rows) -> Contributions:
    """Takes the logits of a single row apart, term by term."""
    reduced = model.reduce(rows.channels)  # [2K+1, 1, z]
    alpha = model.fusion(rows, reduced[0])  # [1, K, 3]
    blocks = fuse(reduced, alpha)[0].double()  # [K+1, z]
    G, a, K = reduced[:, 0].double(), alpha[0].double(), model.K
    channels = torch.stack([G[:1].expand(K, -1), G[1 : K + 1], G[K + 1 :]], dim=1)  # [K, 3, z]
    terms = a.unsqueeze(-1) * channels
    if model.adjacency is not None and rows.links is not None:
        blocks = torch.cat([blocks, rows.pick(model.adjacency(rows.links)).double()])
    size = (
        blocks.norm(dim=-1, keepdim=True).clamp_min(EPSILON) if model.out_norm else torch.ones(len(blocks), 1).double()
    )
    blocks = blocks / size
    W, bias = _linear_at(model.head, blocks.flatten())
    W = W.view(len(W), *blocks.shape)  # [C, blocks, z]
    hops = torch.einsum("ckz,kxz->kxc", W[:, 1 : K + 1], terms / size[1 : K + 1].unsqueeze(1))
    links = W[:, K + 1] @ blocks[K + 1] if len(blocks) > K + 1 else torch.zeros_like(bias)
    return Contributions(a, W[:, 0] @ blocks[0], hops, links, bias)


def _linear_at(head: nn.Module, h: Tensor) -> tuple[Tensor, Tensor]:
    """(W, b) with head(h) = W h + b at this row, in double precision."""
    if isinstance(head, nn.Linear):
        return head.weight.double(), head.bias.double()
    assert isinstance(head, nn.Sequential)
    first, norm, _, last = head
    assert isinstance(first, nn.Linear)
    assert isinstance(last, nn.Linear)
    assert isinstance(norm, nn.BatchNorm1d)
    scale, shift = folded(norm)
    W, b = scale.unsqueeze(-1) * first.weight.double(), scale * first.bias.double() + shift
    open = (W @ h + b > 0).double()
    out = last.weight.double() * open
    return out @ W, out @ b + last.bias.double()
