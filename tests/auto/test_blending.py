"""Which models an ensemble takes: those that help each other, none that does not."""

import numpy as np
import pytest

from lsgnn.auto.blending import MOST_PARTS, blend_shares

Y = np.arange(60) % 3


def logits(right: np.ndarray, strength: float = 3.0) -> np.ndarray:
    """Logits that favour the right class on these nodes, and the next one elsewhere."""
    chosen = np.where(right, Y, (Y + 1) % 3)
    return (strength * np.eye(3)[chosen]).astype(np.float32)


def shares(candidates: list[np.ndarray], **more: int) -> np.ndarray:
    return blend_shares([[one] for one in candidates], [Y], "accuracy", 1, **more)


def test_a_perfect_model_is_taken_alone_and_a_bad_one_never() -> None:
    everywhere, nowhere = np.ones(60, bool), np.zeros(60, bool)
    assert shares([logits(everywhere), logits(nowhere)]).tolist() == [1, 0]
    assert shares([logits(nowhere), logits(everywhere)]).tolist() == [0, 1]
    assert shares([logits(nowhere)]).tolist() == [1]  # there is no other


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
    first = shares(candidates)
    assert (first > 0).sum() <= MOST_PARTS
    assert first.tolist() == shares(candidates).tolist()
    assert shares(candidates, seed=1).tolist() != first.tolist()


def test_nothing_to_choose_from_is_an_error() -> None:
    with pytest.raises(ValueError, match="no candidate"):
        blend_shares([], [Y], "accuracy", 1)
