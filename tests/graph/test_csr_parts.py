"""CSR matrices from files: nothing unchecked reaches compiled code."""

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.graph.csr_parts import csr_of_parts

GOOD = {"data": [1.0, 2.0, 3.0], "indices": [2, 0, 1], "indptr": [0, 1, 3], "shape": [2, 3]}


def csr(**changes):
    return csr_of_parts(**{key: np.array(part) for key, part in (GOOD | changes).items()})


def test_good_parts_are_a_matrix():
    assert csr().toarray().tolist() == [[0, 0, 1], [2, 3, 0]]


@pytest.mark.parametrize("kind", [">f4", "f2", "f8", "i1", ">u8", "?"])
def test_every_kind_of_number_is_read(kind):
    data = np.array([1, 0, 1], kind)
    assert csr(data=data, indices=np.array([2, 0, 1], ">i2"), indptr=np.array([0, 1, 3], "u8")).toarray().sum() == 2


def test_values_behind_the_last_row_are_left_out():
    assert csr(data=[1.0, 2.0, 3.0, 9.0], indices=[2, 0, 1, 99]).nnz == 3


BAD = {
    "falling": ({"indptr": [0, 3, 1], "shape": [2, 3]}, "x_indptr falls from 3 to 1 in row 1, but it must rise"),
    "not from 0": ({"indptr": [1, 1, 3]}, "x_indptr goes from 1 to 3"),
    "negative start": ({"indptr": [-1, 1, 3]}, "x_indptr goes from -1 to 3"),
    "beyond the data": ({"indptr": [0, 1, 9]}, "goes from 0 to 9, but x_data has 3 values"),
    "too short": ({"indptr": [0, 3]}, "x_indptr has 2 values, but 2 rows need 3"),
    "empty": ({"indptr": np.zeros(0, int)}, "x_indptr has 0 values"),
    "float indptr": ({"indptr": [0.0, 1.0, 3.0]}, "x_indptr holds float64 values, but it holds whole numbers"),
    "flat indices": ({"indices": [[2, 0, 1]]}, r"x_indices has shape \(1, 3\), but it is a list"),
    "index too large": ({"indices": [2, 0, 3]}, r"x_indices holds 3, but the columns are 0\.\.2"),
    "index huge": ({"indices": [2, 0, 2**62]}, "x_indices holds 4611686018427387904"),
    "index negative": ({"indices": [2, -1, 1]}, "x_indices holds -1"),
    "boolean indices": ({"indices": [True, False, True]}, "x_indices holds bool values"),
    "too few indices": ({"indices": [2, 0]}, "there are 2 x_indices for 3 values"),
    "text data": ({"data": ["a", "b", "c"]}, "x_data holds <U1 values, but it holds numbers"),
    "complex data": ({"data": [1j, 2, 3]}, "x_data holds complex128 values"),
    "single number": ({"data": 1.0}, r"x_data has shape \(\), but it is a list"),
    "flat shape": ({"shape": 6}, "x_shape is 6, but a shape is two whole numbers"),
    "long shape": ({"shape": [2, 3, 1]}, r"x_shape is \[2, 3, 1\]"),
    "float shape": ({"shape": [2.0, 3.0]}, r"x_shape is \[2.0, 3.0\]"),
    "negative shape": ({"shape": [2, -3]}, r"x_shape is \[2, -3\]"),
    "huge shape": ({"shape": np.array([2, 2**64 - 1], np.uint64)}, "x_shape is"),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD.keys())
def test_every_wrong_part_is_named(changes, message):
    with pytest.raises(
        InputError, match=rf"the CSR parts of x do not fit each other \(.*{message}.*\): write them again"
    ):
        csr(**changes)
