import numpy as np
import scipy.sparse as sp
import torch

from lsgnn.zoo.edge_products import EdgePattern
from tests.zoo.exact import doubled

PLACES = sp.csr_array(np.array([[0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 0, 1]], dtype=np.float32))
EDGES: EdgePattern = doubled(EdgePattern.of(PLACES))
H = torch.arange(8.0, dtype=torch.float64).view(4, 2)


def weights() -> torch.Tensor:
    return torch.linspace(-1, 1, 7, dtype=torch.float64, requires_grad=True)


def test_edges_are_read_row_by_row() -> None:
    assert EDGES.row.tolist() == [0, 0, 1, 1, 3, 3, 3]
    assert EDGES.col.tolist() == [1, 2, 0, 3, 0, 1, 3]


def test_a_weighted_sum_is_the_product_with_the_dense_matrix() -> None:
    w = weights()
    W = torch.zeros(4, 4, dtype=torch.float64).index_put((EDGES.row, EDGES.col), w)
    torch.testing.assert_close(EDGES.weighted_sum(w, H), W @ H)


def test_dots_are_entries_of_the_dense_product() -> None:
    torch.testing.assert_close(EDGES.dot(H, H + 1), (H @ (H + 1).t())[EDGES.row, EDGES.col])


def test_a_softmax_sums_to_one_per_row_and_survives_large_scores() -> None:
    share = EDGES.softmax(1e4 * weights())
    total = torch.zeros(4, dtype=torch.float64).index_add(0, EDGES.row, share)
    torch.testing.assert_close(total, torch.tensor([1.0, 1.0, 0.0, 1.0], dtype=torch.float64))


def test_gradients_are_those_of_the_formulas() -> None:
    h = H.clone().requires_grad_()
    assert torch.autograd.gradcheck(EDGES.weighted_sum, (weights(), h))
    assert torch.autograd.gradcheck(lambda u, v: EDGES.dot(u, v), (h, H.clone().requires_grad_()))
    assert torch.autograd.gradcheck(EDGES.softmax, (weights(),))
