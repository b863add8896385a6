"""A node that is a row: a selection of nodes holds their rows and no others."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from lsgnn.nn.sparse import SparseMatrix
from lsgnn.zoo.row_inputs import RowInputs

X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]], dtype=np.float32)


@pytest.mark.parametrize("x", [torch.from_numpy(X), SparseMatrix.of(sp.csr_array(X))], ids=["dense", "sparse"])
def test_a_selection_holds_the_rows_of_its_nodes_and_no_others(x: SparseMatrix | torch.Tensor) -> None:
    chosen = RowInputs(x=x).select(torch.tensor([2, 0]))

    assert tuple(chosen.x.shape) == (2, 2)
    assert torch.equal(chosen.x @ torch.eye(2), torch.tensor([[3.0, 4.0], [1.0, 0.0]]))
