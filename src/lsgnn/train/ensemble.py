"""Several training runs, one answer: the mean of their probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.softmax import log_softmax


def mean_logits(members: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Logits whose softmax is the mean of the members' probabilities (those of a single member stay as they are)."""
    if len(members) == 1:
        return members[0]
    from scipy.special import logsumexp  # takes a tenth of a second to import

    return np.asarray(logsumexp([log_softmax(m, axis=1) for m in members], axis=0) - np.log(len(members)), np.float32)
