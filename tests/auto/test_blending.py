"""Which models an ensemble takes: those that help each other, none that does not."""

import numpy as np
import pytest
from scipy.special import softmax

from lsgnn.auto.blending import BEGINNING, MOST_PARTS, STEPS, blend_shares, equal_start

Y = np.arange(60) % 3


def logits(right: np.ndarray, strength: float = 3.0) -> np.ndarray:
    """Logits that favour the right class on these nodes, and the next one elsewhere."""
    chosen = np.where(right, Y, (Y + 1) % 3)
    return (strength * np.eye(3)[chosen]).astype(np.float32)


def shares(candidates: list[np.ndarray], start: list[float] | None = None, **more: int) -> np.ndarray:
    begin = np.eye(len(candidates))[0] if start is None else np.array(start)
    return blend_shares([[one] for one in candidates], [Y], "accuracy", 1, begin, **more)


def test_a_selection_that_begins_with_a_perfect_model_takes_no_other() -> None:
    everywhere, nowhere = np.ones(60, bool), np.zeros(60, bool)
    assert shares([logits(everywhere), logits(nowhere)]).tolist() == [1, 0]
    assert shares([logits(nowhere)]).tolist() == [1]  # there is no other


def test_better_models_are_added_until_the_ensemble_scores_as_they_do() -> None:
    everywhere, nowhere = np.ones(60, bool), np.zeros(60, bool)
    candidates = [logits(nowhere), *[logits(everywhere)] * 3]  # so that every bag of two has a better one
    found = shares(candidates)
    assert 0.5 < found[1:].sum() <= STEPS / (BEGINNING + STEPS)
    mixed = np.tensordot(found, softmax(np.stack(candidates), axis=2), axes=1)
    assert (mixed.argmax(axis=1) == Y).all()


def test_a_lucky_model_does_not_push_its_equals_out() -> None:
    random = np.random.default_rng(0)
    candidates = [logits(random.random(60) < 0.5, strength=0.5) for _ in range(5)]
    lucky = candidates[0] + logits(random.random(60) < 0.9, strength=9.0)
    found = shares([lucky, *candidates[1:]], start=[0.2] * 5)
    least = 0.2 * BEGINNING / (BEGINNING + STEPS)
    assert (found >= 0.99 * least).all()


def test_the_start_is_the_best_candidate_of_every_model_that_has_hope() -> None:
    models, scores = ["gcn", "gcn", "mlp", "trees"], [0.8, 0.79, 0.78, 0.5]
    assert equal_start(models, scores, 0.7).tolist() == [0.5, 0, 0.5, 0]
    assert equal_start(models, scores, 0.8).tolist() == [1, 0, 0, 0]


def test_models_that_are_wrong_elsewhere_help_each_other() -> None:
    random = np.random.default_rng(0)
    candidates = [logits(random.random(60) < 0.7) for _ in range(9)]
    found = shares(candidates)
    assert found.sum() == pytest.approx(1)
    assert (found > 0).sum() > 2
    mixed = np.tensordot(found, np.stack(candidates), axes=1)
    alone = max((one.argmax(axis=1) == Y).mean() for one in candidates)
    assert (mixed.argmax(axis=1) == Y).mean() > alone


def test_shares_are_few_and_the_same_every_time() -> None:
    random = np.random.default_rng(1)
    candidates = [random.standard_normal((60, 3)).astype(np.float32) for _ in range(30)]
    start = [1 / 13] * 13 + [0.0] * 17
    first = shares(candidates, start)
    assert (first > 0).sum() <= MOST_PARTS
    assert first.tolist() == shares(candidates, start).tolist()
    assert shares(candidates, start, seed=1).tolist() != first.tolist()
    same = shares([logits(np.ones(60, bool))] * 13, [1 / 13] * 13)  # nothing is better than what it begins with
    assert same.tolist() == [1 / MOST_PARTS] * MOST_PARTS + [0] * (13 - MOST_PARTS)
