"""Votes by hand."""

import numpy as np
import pytest

from lsgnn.train.ensemble import mean_logits


def test_the_vote_is_the_log_of_the_mean_probability() -> None:
    sure, torn = (np.log(np.array([p], dtype=np.float32)) for p in ([0.9, 0.1], [0.5, 0.5]))
    voted = mean_logits([sure + 3, torn - 2])  # what is added to all logits of a member changes no probability
    assert voted.dtype == np.float32
    assert np.exp(voted)[0].tolist() == pytest.approx([0.7, 0.3], rel=1e-5)


def test_each_row_is_voted_on_for_itself() -> None:
    members = [np.log(np.array(p, dtype=np.float32)) for p in ([[0.8, 0.2], [0.4, 0.6]], [[0.6, 0.4], [0.2, 0.8]])]
    np.testing.assert_allclose(np.exp(mean_logits(members)), [[0.7, 0.3], [0.3, 0.7]], rtol=1e-5)


def test_a_single_member_keeps_its_logits() -> None:
    alone = np.array([[3.0, 5.0]], dtype=np.float32)
    assert mean_logits([alone]) is alone
