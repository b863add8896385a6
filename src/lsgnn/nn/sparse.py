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

    def first_columns(self, count: int) -> SparseMatrix:
        """The matrix without its last columns [m, count]."""
        parts = (self.forward.values(), self.forward.col_indices(), self.forward.crow_indices())
        whole = sp.csr_array(tuple(part.numpy() for part in parts), shape=tuple(self.shape))
        return SparseMatrix.of(sp.csr_array(whole[:, :count]))

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

    def add_product(self, total: Tensor, dense: Tensor) -> Tensor:
        """`total` + A @ `dense`, written over `total` [m, z]: no other tensor of that size is made."""
        result: Tensor = _AddProduct.apply(total, dense, self.forward, self.transpose)  # type: ignore[no-untyped-call]
        return result


class _Multiply(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, dense: Tensor, matrix: Tensor, transpose: Tensor) -> Tensor:
        ctx.transpose = transpose
        return product(matrix, dense)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return product(ctx.transpose, grad.contiguous()), None, None


class _AddProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, total: Tensor, dense: Tensor, matrix: Tensor, transpose: Tensor) -> Tensor:
        ctx.transpose = transpose
        ctx.mark_dirty(total)
        return torch.addmm(total, matrix, dense, out=total)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:
        return grad, product(ctx.transpose, grad.contiguous()), None, None


def product(matrix: Tensor, dense: Tensor) -> Tensor:
    """A CSR matrix [m, n] times a dense one [n, z], without gradients; `matrix @ dense` copies its result once more."""
    if dense.dim() != 2:
        return matrix @ dense
    out = dense.new_zeros(matrix.shape[0], dense.shape[1])
    return torch.addmm(out, matrix, dense, out=out)


def _like(matrix: Tensor, values: Tensor) -> Tensor:
    """A CSR tensor with the places of `matrix` and other values."""
    return torch.sparse_csr_tensor(
        matrix.crow_indices(), matrix.col_indices(), values, size=matrix.shape, check_invariants=False
    )


def _torch_csr(matrix: sp.csr_array) -> Tensor:
    # what multiplies on a CPU reads short indices: longer ones would be shortened for every product
    whole = np.int32 if max(matrix.nnz, *matrix.shape) < 2**31 else np.int64
    with warnings.catch_warnings():  # torch calls its CSR layout "beta" on first use
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            torch.from_numpy(matrix.indptr.astype(whole)),
            torch.from_numpy(matrix.indices.astype(whole)),
            torch.from_numpy(matrix.data.astype(np.float32)),
            size=matrix.shape,
            check_invariants=True,
        )
