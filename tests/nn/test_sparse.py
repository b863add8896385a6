import scipy.sparse as sp
import torch

from lsgnn.nn.sparse import SparseMatrix

MATRIX = torch.tensor([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]])
SPARSE = SparseMatrix.of(sp.csr_array(MATRIX.numpy()))


def test_products_and_their_gradients_equal_dense_ones() -> None:
    dense = torch.randn(3, 4, requires_grad=True)
    out = SPARSE @ dense
    out.square().sum().backward()
    expected = MATRIX @ dense
    assert torch.allclose(out, expected)
    assert torch.allclose(dense.grad, MATRIX.T @ (2 * expected).detach())


def test_a_product_is_added_in_place_with_both_gradients() -> None:
    bias, dense = torch.randn(4, requires_grad=True), torch.randn(3, 4, requires_grad=True)
    total = bias.repeat(2, 1)
    out = SPARSE.add_product(total, dense)
    assert out.data_ptr() == total.data_ptr()
    out.square().sum().backward()
    expected = bias + MATRIX @ dense
    assert torch.allclose(out, expected)
    assert torch.allclose(bias.grad, (2 * expected).sum(dim=0).detach())
    assert torch.allclose(dense.grad, MATRIX.T @ (2 * expected).detach())


def test_a_vector_is_multiplied_too() -> None:
    assert torch.equal(SPARSE @ torch.ones(3), MATRIX @ torch.ones(3))


def test_first_columns_are_cut_off_with_their_transpose() -> None:
    cut = SPARSE.first_columns(2)
    assert torch.equal(cut.forward.to_dense(), MATRIX[:, :2])
    assert torch.equal(cut.transpose.to_dense(), MATRIX[:, :2].T)


def test_dropout_scales_what_it_keeps_and_transposes_the_same_values() -> None:
    torch.manual_seed(0)
    dropped = SPARSE.dropout(0.5)
    assert torch.equal(dropped.forward.to_dense().T, dropped.transpose.to_dense())
    kept = dropped.forward.to_dense()[MATRIX > 0]
    assert all(v in (0, *(2 * MATRIX[MATRIX > 0])) for v in kept)
    assert SPARSE.dropout(0.5, training=False) is SPARSE
