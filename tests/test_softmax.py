"""Our softmax is scipy's, to the bit."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.special

from lsgnn.softmax import log_softmax, softmax


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 300.0])
def test_same_bits_as_scipy(kind: type, scale: float) -> None:
    x = (np.random.default_rng(0).normal(size=(200, 7)) * scale).astype(kind)

    for axis in (0, 1):
        np.testing.assert_array_equal(softmax(x, axis=axis), scipy.special.softmax(x, axis=axis))
        np.testing.assert_array_equal(log_softmax(x, axis=axis), scipy.special.log_softmax(x, axis=axis))


def test_impossible_classes_have_no_share() -> None:
    x = np.array([[0.0, -np.inf, 0.0]])

    np.testing.assert_array_equal(softmax(x, axis=1), [[0.5, 0.0, 0.5]])
    np.testing.assert_array_equal(log_softmax(x, axis=1), scipy.special.log_softmax(x, axis=1))


def test_fit_does_not_import_scipy_special() -> None:
    code = "import sys, lsgnn.runs.fit, lsgnn.train.train_lsgnn; sys.exit('scipy.special' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
