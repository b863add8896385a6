"""Sparse matrices for torch: a constant CSR matrix that multiplies dense ones, with gradients, on any device."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn import functional as F


@dataclass(frozen=True)
class SparseMatrix:
    """A constant matrix [m, n]; keeps its transpose, because the gradient of A @ B with respect to B is Aᵀ @ G.

    `order` finds each value of the transpose among the values of the matrix.
    """

    forward: Tensor
    transpose: Tensor
    order: Tensor

    @classmethod
    def of(cls, matrix: sp.csr_array) -> SparseMatrix:
        positions = sp.csr_array((np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
        flipped = sp.csr_array(positions.T)
        order = flipped.data.astype(np.int64)
        transpose = sp.csr_array((matrix.data[order], flipped.indices, flipped.indptr), shape=flipped.shape)
        return cls(_torch_csr(matrix), _torch_csr(transpose), torch.from_numpy(order))

    @property
    def shape(self) -> torch.Size:
        return self.forward.shape

    def dropout(self, p: float, training: bool = True) -> SparseMatrix:
        """Each stored value dropped with probability p, the others scaled up (zeros stay zero in any case)."""
        if not training or p == 0:
            return self
        values = F.dropout(self.forward.values(), p)
        return SparseMatrix(_like(self.forward, values), _like(self.transpose, values[self.order]), self.order)

    def to(self, device: torch.device | str) -> SparseMatrix:
        return SparseMatrix(self.forward.to(device), self.transpose.to(device), self.order.to(device))

    def __matmul__(self, dense: Tensor) -> Tensor:
        product: Tensor = _Multiply.apply(dense, self.forward, self.transpose)  # type: ignore[no-untyped-call]
        return product


class _Multiply(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, dense: Tensor, matrix: Tensor, transpose: Tensor) -> Tensor:
        ctx.transpose = transpose
        return matrix @ dense

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return ctx.transpose @ grad.contiguous(), None, None


def _like(matrix: Tensor, values: Tensor) -> Tensor:
    """A CSR tensor with the places of `matrix` and other values."""
    return torch.sparse_csr_tensor(
        matrix.crow_indices(), matrix.col_indices(), values, size=matrix.shape, check_invariants=False
    )


def _torch_csr(matrix: sp.csr_array) -> Tensor:
    with warnings.catch_warnings():  # torch calls its CSR layout "beta" on first use
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            torch.from_numpy(matrix.indptr.astype(np.int64)),
            torch.from_numpy(matrix.indices.astype(np.int64)),
            torch.from_numpy(matrix.data.astype(np.float32)),
            size=matrix.shape,
            check_invariants=True,
        )
