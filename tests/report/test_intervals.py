import math

import numpy as np
import pytest
from numpy.typing import NDArray

from lsgnn import InputError
from lsgnn.report.intervals import mean_interval, percentile_interval, resampled_scores, share_interval


def test_mean_interval_is_the_t_interval() -> None:
    found = mean_interval([1.0, 2.0, 3.0])  # mean 2, s = 1, t(0.975, 2) = 4.3027, half width 4.3027 / √3
    assert found.mean == 2.0
    assert (found.low, found.high) == pytest.approx((2 - 2.48414, 2 + 2.48414), abs=1e-4)


def test_one_value_has_no_interval() -> None:
    found = mean_interval([7.0])
    assert found.interval is None
    assert found.low == found.mean == found.high == 7.0


def test_wilson_interval_by_hand() -> None:
    found = share_interval(8, 10)  # the textbook example: 0.490 to 0.943
    assert found.mean == 0.8
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_a_share_of_everything_stays_within_zero_and_one() -> None:
    assert share_interval(5, 5).high == 1.0
    assert share_interval(0, 5).low == 0.0


def test_a_share_of_nothing_is_not_defined() -> None:
    assert math.isnan(share_interval(0, 0).mean)


def test_resampling_a_share_agrees_with_wilson() -> None:
    right = np.arange(400) < 320
    found = percentile_interval(0.8, resampled_scores(lambda rows: right[rows].mean(), 400))
    wilson = share_interval(320, 400)
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), abs=0.015)


def test_draws_without_a_score_are_left_out_and_too_few_give_no_interval() -> None:
    def needs_the_first(rows: NDArray[np.int64]) -> float:
        if 0 not in rows:
            raise InputError("the only node of its class is missing")
        return 1.0

    scores = resampled_scores(needs_the_first, 3)
    assert 0 < sum(map(math.isnan, scores)) < len(scores) / 2  # (2/3)³ = 30 % of draws miss it
    assert percentile_interval(1.0, scores).interval == (1.0, 1.0)
    assert percentile_interval(1.0, [float("nan")] * 200).interval is None
