"""Sums over neighbours with learned edge weights, as sparse products: what GGCN and WRGAT share.

PyG's scatter would hold one vector per edge; here an edge costs one number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from lsgnn.nn.sparse import SparseMatrix, product


@dataclass(frozen=True)
class EdgePattern:
    """The places (i, j) of a sparse matrix [n, n] where node i reads node j; the E values come later.

    Args:
        row: i of each edge [E], ascending.
        places: a CSR matrix with these places; its transpose finds the edges that leave j.
    """

    row: Tensor
    places: SparseMatrix

    @classmethod
    def of(cls, matrix: sp.csr_array) -> EdgePattern:
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).astype(np.int64)
        return cls(torch.from_numpy(row), SparseMatrix.of(matrix))

    @property
    def col(self) -> Tensor:
        """j of each edge [E]."""
        return self.places.forward.col_indices().long()

    @property
    def num_nodes(self) -> int:
        return int(self.places.shape[0])

    def weighted_sum(self, weight: Tensor, h: Tensor) -> Tensor:
        r""":math:`\sum_j w_{ij} h_j` of edge weights [E] and node vectors [n, z] → [n, z]."""
        total: Tensor = _WeightedSum.apply(weight, h, self)  # type: ignore[no-untyped-call]
        return total

    def dot(self, u: Tensor, v: Tensor) -> Tensor:
        r""":math:`u_i \cdot v_j` for every edge: two times [n, z] → [E]."""
        dots: Tensor = _Dot.apply(u, v, self)  # type: ignore[no-untyped-call]
        return dots

    def softmax(self, score: Tensor) -> Tensor:
        """Scores [E] → shares that sum to one over the edges of each row."""
        n = self.num_nodes
        peak = score.new_zeros(n).scatter_reduce(0, self.row, score.detach(), "amax", include_self=False)
        share = torch.exp(score - peak[self.row])
        return share / score.new_zeros(n).scatter_add(0, self.row, share)[self.row]

    def to(self, device: torch.device | str) -> EdgePattern:
        return EdgePattern(self.row.to(device), self.places.to(device))


class _WeightedSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, h: Tensor, edges: EdgePattern) -> Tensor:
        ctx.edges = edges
        ctx.save_for_backward(weight, h)
        return _multiply(edges, weight, h)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        weight, h = ctx.saved_tensors
        to_weight = _dots(ctx.edges, grad, h) if ctx.needs_input_grad[0] else None
        to_h = _multiply_transpose(ctx.edges, weight, grad) if ctx.needs_input_grad[1] else None
        return to_weight, to_h, None


class _Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, u: Tensor, v: Tensor, edges: EdgePattern) -> Tensor:
        ctx.edges = edges
        ctx.save_for_backward(u, v)
        return _dots(edges, u, v)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        u, v = ctx.saved_tensors
        to_u = _multiply(ctx.edges, grad, v) if ctx.needs_input_grad[0] else None
        to_v = _multiply_transpose(ctx.edges, grad, u) if ctx.needs_input_grad[1] else None
        return to_u, to_v, None


def _dots(edges: EdgePattern, u: Tensor, v: Tensor) -> Tensor:
    # ten times as fast as gathering u_i and v_j, and no vector per edge is ever stored
    places = edges.places.forward
    empty = _with_values(places, u.new_zeros(places.values().shape))
    sampled: Tensor = torch.sparse.sampled_addmm(empty, u, v.t(), beta=0.0)
    return sampled.values()


def _multiply(edges: EdgePattern, weight: Tensor, h: Tensor) -> Tensor:
    return product(_with_values(edges.places.forward, weight), h.contiguous())


def _multiply_transpose(edges: EdgePattern, weight: Tensor, h: Tensor) -> Tensor:
    return product(_with_values(edges.places.transpose, weight[edges.places.order]), h.contiguous())


def _with_values(matrix: Tensor, values: Tensor) -> Tensor:
    return torch.sparse_csr_tensor(
        matrix.crow_indices(), matrix.col_indices(), values.contiguous(), size=matrix.shape, check_invariants=False
    )
