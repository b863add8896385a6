"""Softmax and its logarithm, the same bits as scipy's: `scipy.special` takes a tenth of a second to import."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.floating[Any])


def softmax(x: NDArray[Number], axis: int) -> NDArray[Number]:
    """exp(x), so that it sums to 1 along the axis."""
    shares = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(shares / shares.sum(axis=axis, keepdims=True))


def log_softmax(x: NDArray[Number], axis: int) -> NDArray[Number]:
    """Its logarithm, without rounding small shares to 0; of an infinite maximum no difference is taken."""
    largest = x.max(axis=axis, keepdims=True)
    shifted = x - np.where(np.isfinite(largest), largest, 0).astype(x.dtype)
    with np.errstate(divide="ignore"):
        return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True)))
