"""Several training runs, one answer: the mean of their probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, logsumexp


def mean_logits(members: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Logits whose softmax is the mean of the members' probabilities (those of a single member stay as they are)."""
    if len(members) == 1:
        return members[0]
    return np.asarray(logsumexp([log_softmax(m, axis=1) for m in members], axis=0) - np.log(len(members)), np.float32)
