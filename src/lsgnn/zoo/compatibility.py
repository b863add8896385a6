"""How often classes meet along edges: what CPGNN's belief propagation starts from."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from lsgnn.nn.sparse import SparseMatrix

SINKHORN_ROUNDS = 3000  # at most
TINY = 1e-9  # a pair of classes that never meets still needs a positive entry, or Sinkhorn may divide by zero


def compatibility(walk: SparseMatrix, beliefs: Tensor, labelled: Tensor, y: Tensor) -> Tensor:
    r""":math:`\hat H` [C, C]: for each class, the mean over its labelled nodes of their neighbours' mean belief, made
    doubly stochastic and symmetric, minus 1/C.

    Nodes with a label count with it, the others with their prior. A class without a labelled node is seen through the
    others, and what is unknown even so shares what is left of its row.

    Args:
        walk: :math:`D^{-1} A` [n, n].
        beliefs: the prior's probabilities [n, C].
        labelled: whose labels may be read [n].
        y: labels [n].
    """
    C = beliefs.shape[1]
    known = F.one_hot(y[labelled], C).to(beliefs.dtype)
    beliefs = beliefs.masked_scatter(labelled.unsqueeze(-1), known)
    seen = known.t() @ (walk @ beliefs)[labelled]
    H = filled(seen / known.sum(dim=0).unsqueeze(-1))
    H = sinkhorn(H.clamp_min(TINY))
    return (H + H.t()) / 2 - 1 / C


def filled(H: Tensor) -> Tensor:
    """The same matrix without its NaNs: the entry across the diagonal, or an equal share of what its row lacks of 1."""
    H = torch.where(H.isnan(), H.t(), H)
    unknown = H.isnan()
    H = torch.where(unknown, 0.0, H)
    lacks = (1 - H.sum(dim=1, keepdim=True)) / unknown.sum(dim=1, keepdim=True).clamp_min(1)
    return torch.where(unknown, lacks, H)


def sinkhorn(H: Tensor, rounds: int = SINKHORN_ROUNDS) -> Tensor:
    """A positive matrix scaled until rows and columns sum to one."""
    for _ in range(rounds):
        before = H
        H = H / H.sum(dim=0, keepdim=True)
        H = H / H.sum(dim=1, keepdim=True)
        if torch.allclose(H, before, rtol=0, atol=1e-12):
            break
    return H
