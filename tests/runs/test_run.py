"""A `Run` in memory: calibrated predictions, metrics, members, pickles."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from lsgnn.train.calibration import calibrated_temperature
from tests.graphs import random_graph, two_blocks
from tests.trained import small_run


@pytest.fixture(scope="module")
def run():
    return small_run(two_blocks(), epochs=30, lr=0.05)


def test_the_temperature_comes_from_the_validation_nodes(run):
    val = run.split.val
    assert run.temperature == calibrated_temperature(run.logits[val], run.graph.y[val])


def test_calibration_changes_probabilities_but_no_prediction(run):
    calibrated, raw = run.predict(), run.predict(calibrated=False)
    assert calibrated.labels == raw.labels
    assert np.abs(calibrated.probabilities - raw.probabilities).max() > 1e-3
    np.testing.assert_allclose(calibrated.probabilities.sum(axis=1), 1, atol=1e-6)


def test_a_temperature_above_one_makes_the_run_less_sure(run):
    doubtful = replace(run, known_temperature=2.0)
    raw, calibrated = (doubtful.predict(calibrated=c).probabilities.astype(np.float64) for c in (False, True))
    assert (calibrated.max(axis=1) < raw.max(axis=1)).all()
    np.testing.assert_allclose(
        np.log(calibrated[:, 0] / calibrated[:, 1]), np.log(raw[:, 0] / raw[:, 1]) / 2, atol=1e-5
    )


def test_metrics_tell_the_calibration_error_before_and_after(run):
    parts = {f"{part}_{score}" for part in ("train", "val", "test") for score in ("loss", "accuracy")}
    errors = {f"{part}_{key}" for part in ("val", "test") for key in ("ece", "ece_uncalibrated")}
    assert set(run.metrics) == parts | errors
    assert all(0 <= run.metrics[key] <= 1 for key in errors)
    assert run.summary()["temperature"] == run.temperature


def test_a_part_without_nodes_has_no_metrics():
    from lsgnn import Split

    train, val = (np.arange(40) % 2 == part for part in (0, 1))
    run = small_run(split=Split(train, val, np.zeros(40, bool)))
    assert not any(key.startswith("test") for key in run.metrics)


def test_members_vote_by_their_mean_probability():
    run = small_run(members=3)
    from scipy.special import softmax

    each = [softmax(model(run.rows).detach().numpy(), axis=1) for model in run.modules]
    np.testing.assert_allclose(run.predict(calibrated=False).probabilities, np.mean(each, axis=0), atol=1e-6)


def test_a_pickled_run_predicts_the_same_and_carries_nothing_derived(run):
    _ = run.logits
    again = pickle.loads(pickle.dumps(run))
    assert "logits" not in vars(again)
    np.testing.assert_array_equal(again.logits, run.logits)
    assert again.temperature == run.temperature


def test_the_same_seed_gives_the_same_run_bit_for_bit():
    first, second = small_run(random_graph()), small_run(random_graph())
    np.testing.assert_array_equal(first.logits, second.logits)
    assert first.temperature == second.temperature


def test_the_settings_of_a_run_are_those_it_was_given():
    """Guards the other tests here: `fit` without a config would choose direction and weights for itself."""
    run = small_run(direction="in", weights="graph")
    assert (run.config.direction, run.config.weights) == ("in", "graph")
    assert small_run().config.weights == "localsim"
