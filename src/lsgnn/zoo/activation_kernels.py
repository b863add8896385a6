"""The inner loops of `lsgnn.zoo.activation`, compiled: what torch does to node vectors in ten passes, in four."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.compiled import entry_point

Floats = NDArray[np.float32]
Sums = NDArray[np.float64]


@entry_point("activations, 2 s")
def column_sums(x: Floats, total: Sums, squares: Sums) -> None:
    """total += column sums of x [n, z], squares += those of x²; doubles, so that large values do no harm."""
    for i in range(x.shape[0]):
        row = x[i]
        for c in range(row.shape[0]):
            value = np.float64(row[c])
            total[c] += value
            squares[c] += value * value


@entry_point("activations, 2 s")
def scaled_relu(x: Floats, mean: Floats, factor: Floats, shift: Floats, out: Floats) -> None:
    """out = ReLU((x - mean) · factor + shift), column by column."""
    for i in range(x.shape[0]):
        row, target = x[i], out[i]
        for c in range(row.shape[0]):
            value = (row[c] - mean[c]) * factor[c] + shift[c]
            target[c] = np.float32(0) if value <= 0 else value  # not a number stays so: a divergence must show


@entry_point("activations, 2 s")
def scaled_relu_dropped(
    x: Floats,
    mean: Floats,
    factor: Floats,
    shift: Floats,
    bits: NDArray[np.int16],
    least: int,
    kept: float,
    out: Floats,
) -> None:
    """out = kept · ReLU((x - mean) · factor + shift) where the random bits are at least `least`, else 0."""
    bound, gain = np.int16(least), np.float32(kept)
    for i in range(x.shape[0]):
        row, drawn, target = x[i], bits[i], out[i]
        for c in range(row.shape[0]):
            value = (row[c] - mean[c]) * factor[c] + shift[c]
            value = np.float32(0) if value <= 0 else value * gain
            target[c] = value if drawn[c] >= bound else np.float32(0)


@entry_point("activations, 2 s")
def gradient_sums(grad: Floats, out: Floats, x: Floats, total: Sums, products: Sums) -> None:
    """total += column sums of the gradients that passed (where out > 0), products += those of gradient · x."""
    for i in range(x.shape[0]):
        row, passed, value = grad[i], out[i], x[i]
        for c in range(row.shape[0]):
            g = np.float64(row[c]) if passed[c] > 0 else 0.0
            total[c] += g
            products[c] += g * value[c]


@entry_point("activations, 2 s")
def gradient_of_input(
    grad: Floats,
    out: Floats,
    x: Floats,
    mean: Floats,
    of_grad: Floats,
    of_x: Floats,
    constant: Floats,
    result: Floats,
) -> None:
    """result = of_grad · gradient (where out > 0) + of_x · (x - mean) + constant, column by column."""
    for i in range(x.shape[0]):
        row, passed, value, target = grad[i], out[i], x[i], result[i]
        for c in range(row.shape[0]):
            g = row[c] if passed[c] > 0 else np.float32(0)
            target[c] = of_grad[c] * g + of_x[c] * (value[c] - mean[c]) + constant[c]
