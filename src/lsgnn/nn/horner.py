r"""The hops of both channels by Horner's rule, from reduced features: no propagated feature is ever formed.

Hop k of channel c is :math:`\sum_{s=0}^{k} M_{cks} \hat A^s X W_{ck}`. With the partial sums

.. math::
    T_{ck}^{(s)} = M_{cks} X W_{ck} + \hat A\, T_{ck}^{(s+1)}, \qquad T_{ck}^{(k+1)} = 0,

it is :math:`T_{ck}^{(0)}`. A node reads :math:`T^{(s+1)}` of its neighbours and nothing else of them.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


def by_horner(reduced: Tensor, mixing: Tensor, move: Callable[[Tensor], Tensor]) -> Tensor:
    """X W_c [n, 2K+1, z] → the channels [n, 2K+1, z]: X, low-pass hops 1 … K, high-pass hops 1 … K.

    Args:
        reduced: the features times each channel's own matrix.
        mixing: M [2, K, K+1].
        move: Â times the partial sums T^(s) [n, 2, K-s+1, z] of the hops s … K; it is called for s = K, …, 1.
    """
    K, (n, _, z) = mixing.shape[1], reduced.shape
    first, hops = reduced[:, :1], reduced[:, 1:].view(n, 2, K, z)
    M = mixing.unsqueeze(-1)  # [2, K, K+1, 1]
    total = hops[:, :, K:]  # hops whose highest power was met so far: none yet
    for s in range(K, 0, -1):
        total = torch.cat([M[:, s - 1 : s, s] * hops[:, :, s - 1 : s], total], dim=2)  # hop s joins with Â^s
        total = move(total).view_as(total) + M[:, s - 1 :, s - 1] * hops[:, :, s - 1 :]
    return torch.cat([first, total.reshape(n, 2 * K, z)], dim=1)
