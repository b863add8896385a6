r"""Are probabilities to be believed? Temperature scaling, and how far confidence is from accuracy.

.. math::
    p = \mathrm{softmax}(\mathrm{logits} / T), \qquad
    T = \arg\min_T \sum_i -\log p_{i, y_i} + \tfrac12 (\log T)^2.

One number, fitted on validation rows: it changes how sure the model is, never what it says. The second term is a weak
prior, worth about one row: without it a handful of rows that are all right (or all wrong) would claim certainty.
A temperature is used only where cross-fitting says that it helps rows it was not fitted on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.softmax import log_softmax, softmax

FOLDS = 5
FEWEST_ROWS = 20  # four in each fold
MAX_LOG_TEMPERATURE = float(np.log(20.0))  # T stays between 1/20 and 20
BISECTIONS = 30  # to 6e-9


def fit_temperature(logits: NDArray[np.floating], y: NDArray[np.integer]) -> float:
    """The temperature for logits [b, C] of rows with known classes [b]; 1 where there are none."""
    logits, y = np.asarray(logits, dtype=np.float64), np.asarray(y)
    if logits.ndim != 2 or y.shape != logits.shape[:1]:
        raise InputError(f"logits have shape {logits.shape} and y {y.shape}: pass [rows, classes] and [rows]")
    if not np.isfinite(logits).all():
        raise InputError("the logits hold NaN or infinite values: lower lr and train again")
    if not len(y):
        return 1.0
    low, high = -MAX_LOG_TEMPERATURE, MAX_LOG_TEMPERATURE
    for _ in range(BISECTIONS):  # not by scipy.optimize, which takes a third of a second to import
        middle = (low + high) / 2
        low, high = (low, middle) if _slope(logits, y, middle) > 0 else (middle, high)
    return float(np.exp((low + high) / 2))


def _slope(logits: NDArray[np.floating], y: NDArray[np.integer], log_temperature: float) -> float:
    """Of the loss, prior included, by log T: Σ (logit of the class − mean logit under p) / T + log T."""
    scaled = logits * np.exp(-log_temperature)
    mean = (softmax(scaled, axis=1) * scaled).sum(axis=1)
    return float((scaled[np.arange(len(y)), y] - mean).sum() + log_temperature)


def calibrated_temperature(logits: NDArray[np.floating], y: NDArray[np.integer]) -> float:
    """`fit_temperature`, if it lowers the loss of rows that it has not seen, else 1.

    Each fifth of the rows is scored by the temperature that the other four fifths prefer (fifths are drawn with a fixed
    seed). If the sum of these losses is not below that of the logits as they are, or there are fewer than 20 rows to
    tell by, the logits stay as they are.
    """
    temperature = fit_temperature(logits, y)
    if len(y) < FEWEST_ROWS:
        return 1.0
    logits, y = np.asarray(logits, dtype=np.float64), np.asarray(y)
    fold = np.random.default_rng(0).permutation(len(y)) % FOLDS
    held_out = [(fit_temperature(logits[fold != f], y[fold != f]), fold == f) for f in range(FOLDS)]
    scaled = sum(_loss(logits[rows] / T, y[rows]) for T, rows in held_out)
    return temperature if scaled < _loss(logits, y) else 1.0


def _loss(logits: NDArray[np.floating], y: NDArray[np.integer]) -> float:
    """Negative log-likelihood, summed over rows."""
    return float(-log_softmax(logits, axis=1)[np.arange(len(y)), y].sum())


def expected_calibration_error(probabilities: NDArray[np.floating], y: NDArray[np.integer], bins: int = 15) -> float:
    """Mean gap between confidence and accuracy over equally wide bins of confidence (Guo et al. 2017); 0 is perfect."""
    if bins < 1:
        raise InputError(f"bins={bins} is out of range: it must be at least 1")
    if not len(y):
        return float("nan")
    confidence = np.asarray(probabilities.max(axis=1), dtype=np.float64)
    right = probabilities.argmax(axis=1) == y
    # bins are open on the left, so that a confidence of exactly 1 is in the last one
    which = np.clip(np.ceil(confidence * bins).astype(np.int64) - 1, 0, bins - 1)
    gap = np.bincount(which, confidence - right, minlength=bins)
    return float(np.abs(gap).sum() / len(y))
