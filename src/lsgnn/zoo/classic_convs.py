"""The three classic convolutions, GCN, GraphSAGE and GAT, each from node vectors [n, d] or sparse features to [n, z].

All read a node's neighbours and the node itself. Where the vectors are the graph's own dense features, `smooth` holds
what propagation makes of them, computed once; elsewhere the narrow product comes first and is then propagated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.nn.sparse import SparseMatrix
from lsgnn.zoo.edge_products import EdgePattern
from lsgnn.zoo.layers import DefaultLinear, FeatureLinear

Conv = Literal["gcn", "sage", "gat"]
Vectors = SparseMatrix | Tensor


class GCNConv(nn.Module):
    r""":math:`\hat P H W + b` with :math:`\hat P = \tilde D^{-1/2} (A + I) \tilde D^{-1/2}`; Glorot weights, zero bias.

    Args:
        in_channels: width of H.
        out_channels: z.
    """

    linear: type[FeatureLinear] = FeatureLinear

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.lin = self.linear(in_channels, out_channels)
        self.own: FeatureLinear | None = None  # a map of the node itself

    def reset_parameters(self) -> None:
        self.lin.reset_parameters()
        if self.own is not None:
            self.own.reset_parameters()

    def forward(
        self, h: Vectors, neighbours: SparseMatrix, smooth: Tensor | None = None, residual: FeatureLinear | None = None
    ) -> Tensor:
        """With `residual`, a linear map of h is added: all maps of h itself are one product, all biases one sum."""
        maps = [linear for linear in (self.own, residual) if linear is not None]
        bias = _sum([linear.bias for linear in (self.lin, *maps) if linear.bias is not None])
        total = _mapped(h, _sum([linear.weight for linear in maps]), bias) if maps else bias
        if smooth is not None:
            return torch.addmm(total, smooth, self.lin.weight)
        narrow = h @ self.lin.weight
        return neighbours.add_product(total, narrow) if maps else (neighbours @ narrow).add_(total)


def _mapped(h: Vectors, weight: Tensor, bias: Tensor) -> Tensor:
    """h W + b, without another tensor of that size for the sum."""
    return (h @ weight).add_(bias) if isinstance(h, SparseMatrix) else torch.addmm(bias, h, weight)


def _sum(tensors: list[nn.Parameter]) -> Tensor:
    first: Tensor = tensors[0]
    return sum(tensors[1:], start=first)


class SAGEConv(GCNConv):
    r""":math:`M H W_1 + b + H W_2`, where M takes the mean over a node and its neighbours; begun as torch's layers.

    Args:
        in_channels: width of H.
        out_channels: z.
    """

    linear = DefaultLinear

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(in_channels, out_channels)
        self.own = DefaultLinear(in_channels, out_channels, bias=False)


class GATConv(nn.Module):
    r"""Attention without a bias, the heads side by side: each

    .. math::
        h_i' = \sum_{j \in N_i \cup \{i\}} \alpha_{ij} W h_j, \qquad
        \alpha_{ij} = \mathrm{softmax}_j\, \mathrm{LeakyReLU}_{0.2}(a_d^\top W h_i + a_s^\top W h_j).

    Args:
        in_channels: width of H.
        out_channels: z of all heads together.
        heads: how many; they divide z.
    """

    def __init__(self, in_channels: int, out_channels: int, heads: int = 1) -> None:
        super().__init__()
        self.lin = FeatureLinear(in_channels, out_channels, bias=False)
        self.attention = nn.Parameter(torch.empty(2, heads, out_channels // heads))  # a_d and a_s of each head
        self.reset_parameters()

    def reset_parameters(self) -> None:
        self.lin.reset_parameters()
        for a in self.attention.data:
            nn.init.xavier_uniform_(a)

    def forward(
        self, h: Vectors, neighbours: EdgePattern, smooth: None = None, residual: FeatureLinear | None = None
    ) -> Tensor:
        Wh = self.lin(h)
        to, of = torch.einsum("nhz,khz->khn", Wh.view(len(Wh), *self.attention.shape[1:]), self.attention)
        heads = []
        for head, values in enumerate(Wh.chunk(len(to), dim=1)):
            score = F.leaky_relu(to[head][neighbours.row] + of[head][neighbours.col], 0.2)
            heads.append(neighbours.weighted_sum(neighbours.softmax(score), values))
        out = torch.cat(heads, dim=1)
        return out if residual is None else out + residual(h)


def make_conv(kind: Conv, heads: int) -> Callable[[int, int], nn.Module]:
    """The convolution of that name, given its two widths."""
    if kind == "gat":
        return lambda in_channels, out_channels: GATConv(in_channels, out_channels, heads)
    return SAGEConv if kind == "sage" else GCNConv


def with_self_loops(A: sp.csr_array) -> sp.csr_array:
    """A + I, for an A without self loops [n, n]."""
    return sp.csr_array(A + sp.eye_array(A.shape[0], dtype=np.float32, format="csr"))


def row_means(A: sp.csr_array) -> sp.csr_array:
    """A with rows that add up to one; an empty row stays empty [n, n]."""
    total = np.asarray(A.sum(axis=1), dtype=np.float64)
    scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    values = (A.data * np.repeat(scale, np.diff(A.indptr))).astype(np.float32)
    return sp.csr_array((values, A.indices, A.indptr), shape=A.shape)
