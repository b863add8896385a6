"""What a model reads to which a node is a row of features and nothing else: a selection of nodes really is smaller."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Self

import scipy.sparse as sp
from torch import Tensor

from lsgnn.nn.sparse import SparseMatrix
from lsgnn.zoo.inputs import NodeInputs, in_numpy


@dataclass(frozen=True, kw_only=True)
class RowInputs(NodeInputs):
    """Features of the nodes that are wanted, and of no others: training reads no row that it does not learn from."""

    def select(self, index: Tensor) -> Self:
        return dataclasses.replace(self, x=rows_of(self.x, index))


def rows_of(matrix: SparseMatrix | Tensor, index: Tensor) -> SparseMatrix | Tensor:
    """Some rows of a sparse or dense matrix."""
    if isinstance(matrix, Tensor):
        return matrix[index]
    return SparseMatrix.of(sp.csr_array(in_numpy(matrix))[index.cpu().numpy()]).to(index.device)
