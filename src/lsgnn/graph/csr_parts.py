"""The four arrays of a CSR matrix from a file → the matrix, every number checked.

scipy hands them to compiled code that trusts them: an index outside the shape reads and writes foreign memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.errors import InputError


def csr_of_parts(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: NDArray[Any], name: str = "x"
) -> sp.csr_array:
    """The matrix [rows, columns] of float32 whose row i has data[indptr[i] : indptr[i + 1]]; `name` is for messages."""
    try:
        return _csr(data, indices, indptr, shape)
    except InputError as error:
        raise InputError(str(error).replace("x_", f"{name}_").replace("parts of x", f"parts of {name}")) from error


def _csr(data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: NDArray[Any]) -> sp.csr_array:
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or not all(0 <= int(v) < 2**63 for v in shape):
        raise _unfit(f"x_shape is {_shown(shape)}, but a shape is two whole numbers")
    rows, columns = (int(v) for v in shape)
    for key, part in (("x_data", data), ("x_indices", indices), ("x_indptr", indptr)):
        if part.ndim != 1:
            raise _unfit(f"{key} has shape {part.shape}, but it is a list")
        if part.dtype.kind not in ("fiub" if key == "x_data" else "iu"):
            raise _unfit(f"{key} holds {part.dtype} values, but it holds {'' if key == 'x_data' else 'whole '}numbers")
    if len(indices) != len(data):
        raise _unfit(f"there are {len(indices)} x_indices for {len(data)} values in x_data")
    if len(indptr) != rows + 1:
        raise _unfit(f"x_indptr has {len(indptr)} values, but {rows} rows need {rows + 1}")
    if indptr[0] != 0 or indptr[-1] > len(data):
        raise _unfit(f"x_indptr goes from {indptr[0]} to {indptr[-1]}, but x_data has {len(data)} values")
    falls = indptr[1:] < indptr[:-1]
    if falls.any():
        row = int(falls.argmax())
        raise _unfit(f"x_indptr falls from {indptr[row]} to {indptr[row + 1]} in row {row}, but it must rise")
    data, indices = data[: indptr[-1]], indices[: indptr[-1]]
    outside = (indices < 0) | (indices >= columns)
    if outside.any():
        raise _unfit(f"x_indices holds {indices[outside.argmax()]}, but the columns are 0..{columns - 1}")
    with np.errstate(over="ignore"):  # what does not fit becomes infinite and is reported with its row
        data = data.astype(np.float32, copy=False)
    wide = np.int32 if max(columns, len(data)) < 2**31 else np.int64
    return sp.csr_array(
        (data, indices.astype(wide, copy=False), indptr.astype(wide, copy=False)), shape=(rows, columns)
    )


def _shown(array: NDArray[Any]) -> str:
    return str(array.tolist()) if array.size <= 4 else f"an array of shape {array.shape}"


def _unfit(reason: str) -> InputError:
    return InputError(f"the CSR parts of x do not fit each other ({reason}): write them again")
