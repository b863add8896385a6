"""Temperature scaling: what it finds, what it never changes, and the error it is judged by."""

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.train.calibration import calibrated_temperature, expected_calibration_error, fit_temperature


def drawn_from_their_softmax(n: int = 4000, C: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Logits [n, C] that are perfectly calibrated: each label is drawn with the probabilities they state."""
    random = np.random.default_rng(0)
    logits = random.standard_normal((n, C)) * 2
    return logits, (logits + random.gumbel(size=(n, C))).argmax(axis=1)


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
def test_the_temperature_undoes_a_known_scale(scale):
    logits, y = drawn_from_their_softmax()
    assert fit_temperature(logits * scale, y) == pytest.approx(scale, rel=0.05)


def test_the_temperature_minimises_the_negative_log_likelihood():
    from scipy.special import log_softmax

    logits, y = drawn_from_their_softmax(500)
    best = fit_temperature(logits * 3, y)
    loss = {T: -log_softmax(logits * 3 / T, axis=1)[np.arange(500), y].mean() for T in (best, best * 1.2, best / 1.2)}
    assert min(loss, key=lambda T: loss[T]) == best


def test_the_same_input_gives_the_same_temperature_bit_for_bit():
    logits, y = drawn_from_their_softmax(100)
    assert fit_temperature(logits, y) == fit_temperature(logits.copy(), y.copy())


def test_a_handful_of_rows_cannot_claim_certainty():
    logits = np.array([[2.0, 0.0]] * 3)
    assert 0.2 < fit_temperature(logits, np.zeros(3, int)) < 1  # all right: surer, but not certain
    assert 1 < fit_temperature(logits, np.ones(3, int)) < 20  # all wrong


def test_one_row_weighs_as_much_as_the_prior():
    """With z = a / T the optimum is log T = -z / (1 + e^z) for the right class; here z = 1."""
    T = np.exp(-1 / (1 + np.e))
    assert fit_temperature(np.array([[T, 0.0]]), np.array([0])) == pytest.approx(T, rel=1e-6)


def test_it_stays_within_its_bounds_whatever_the_logits():
    logits = np.array([[1e6, 0.0]] * 50 + [[0.0, 1e6]] * 50)
    assert 1 / 20.01 < fit_temperature(logits, np.repeat([1, 0], 50)) < 20.01
    assert 1 / 20.01 < fit_temperature(logits / 1e7, np.repeat([0, 1], 50)) < 20.01


def test_without_rows_nothing_is_changed_and_bad_logits_are_refused():
    assert fit_temperature(np.zeros((0, 3)), np.zeros(0, int)) == 1.0
    with pytest.raises(InputError, match="NaN or infinite"):
        fit_temperature(np.array([[np.nan, 0.0]]), np.array([0]))
    with pytest.raises(InputError, match=r"pass \[rows, classes\]"):
        fit_temperature(np.zeros((2, 3)), np.zeros(3, int))


@pytest.mark.parametrize("scale", [0.3, 4.0])
def test_a_temperature_that_helps_unseen_rows_is_kept_whole(scale):
    logits, y = drawn_from_their_softmax(200)
    assert calibrated_temperature(logits * scale, y) == fit_temperature(logits * scale, y)


def test_a_temperature_that_only_fits_its_own_rows_is_dropped():
    """Logits that are calibrated already: whatever a few rows prefer is chance."""
    random = np.random.default_rng(0)
    logits, y = drawn_from_their_softmax()
    kept = []
    for _ in range(40):
        rows = random.choice(len(y), 25, replace=False)
        T = calibrated_temperature(logits[rows], y[rows])
        assert T in (1.0, fit_temperature(logits[rows], y[rows]))
        kept.append(T != 1.0)
    assert 0 < np.mean(kept) < 0.5


def test_cross_fitting_by_hand():
    """19 rows are too few to tell. Of 20, all sure and right, each fifth says what the others say; of 20 with one
    mistake, logits as they are lose less than what the rows around that one prefer."""
    logits = np.array([[1.0, 0.0]] * 20)
    right, once_wrong = np.zeros(20, int), np.eye(20, dtype=int)[0]
    assert calibrated_temperature(logits[:19], right[:19]) == 1.0
    assert calibrated_temperature(logits, right) == fit_temperature(logits, right) < 0.5
    sure = logits * np.log(19)  # 19 of 20 are right, as stated
    assert calibrated_temperature(sure, once_wrong) == 1.0


def test_bad_logits_are_refused_however_few():
    with pytest.raises(InputError, match="NaN or infinite"):
        calibrated_temperature(np.array([[np.nan, 0.0]]), np.array([0]))
    assert calibrated_temperature(np.zeros((0, 3)), np.zeros(0, int)) == 1.0


def test_the_calibration_error_is_the_mean_gap_between_confidence_and_accuracy():
    probabilities = np.array([[0.9, 0.1], [0.9, 0.1], [0.6, 0.4], [0.6, 0.4]])
    y = np.array([0, 1, 0, 0])  # the 0.9 bin is right half of the time, the 0.6 bin always
    assert expected_calibration_error(probabilities, y) == pytest.approx((2 * 0.4 + 2 * 0.4) / 4)


def test_certain_and_right_is_an_error_of_zero_and_certain_and_wrong_of_one():
    certain = np.array([[1.0, 0.0]] * 4)
    assert expected_calibration_error(certain, np.zeros(4, int)) == 0
    assert expected_calibration_error(certain, np.ones(4, int)) == 1
    assert np.isnan(expected_calibration_error(certain[:0], np.zeros(0, int)))
    with pytest.raises(InputError, match="bins=0"):
        expected_calibration_error(certain, np.zeros(4, int), bins=0)


def test_bins_are_equally_wide_and_closed_on_the_right():
    probabilities, y = np.array([[0.5, 0.5], [0.6, 0.4]]), np.array([1, 0])  # sure by half and wrong; right
    assert expected_calibration_error(probabilities, y, bins=2) == pytest.approx((0.5 + 0.4) / 2)
    assert expected_calibration_error(probabilities, y, bins=1) == pytest.approx((0.5 - 0.4) / 2)
    near = np.array([[0.62, 0.38], [0.66, 0.34]])  # in one of 15 bins, but not of 14 or 16
    assert expected_calibration_error(near, y) == pytest.approx((0.62 + 0.66 - 1) / 2)


def test_a_confidence_that_rounding_put_above_one_is_in_the_last_bin():
    probabilities = np.array([[1.0000001, 0.0], [0.99, 0.01]])
    assert expected_calibration_error(probabilities, np.array([1, 0])) == pytest.approx((1 - 0.01) / 2, abs=1e-6)
