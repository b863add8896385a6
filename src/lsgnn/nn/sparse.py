"""Sparse matrices for torch: a constant CSR matrix that multiplies dense ones, with gradients, on any device."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor


@dataclass(frozen=True)
class SparseMatrix:
    """A constant matrix [m, n]; keeps its transpose, because the gradient of A @ B with respect to B is Aᵀ @ G."""

    forward: Tensor
    transpose: Tensor

    @classmethod
    def of(cls, matrix: sp.csr_array) -> SparseMatrix:
        return cls(_torch_csr(matrix), _torch_csr(sp.csr_array(matrix.T)))

    @property
    def shape(self) -> torch.Size:
        return self.forward.shape

    def to(self, device: torch.device | str) -> SparseMatrix:
        return SparseMatrix(self.forward.to(device), self.transpose.to(device))

    def __matmul__(self, dense: Tensor) -> Tensor:
        product: Tensor = _Multiply.apply(dense, self.forward, self.transpose)  # type: ignore[no-untyped-call]
        return product


class _Multiply(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, dense: Tensor, matrix: Tensor, transpose: Tensor) -> Tensor:  # type: ignore[override]
        ctx.transpose = transpose
        return matrix @ dense

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:  # type: ignore[override]
        return ctx.transpose @ grad.contiguous(), None, None


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
