"""When more trials of a model stop paying."""

import pytest

from lsgnn import zoo
from lsgnn.auto.ranking import Trial
from lsgnn.auto.settled import Patience
from lsgnn.auto.trial import Outcome


def trials(*scores: float, deals: int = 1) -> list[Trial]:
    config = zoo.get("mlp").config()
    return [Trial("mlp", config, Outcome(str(n), (score,) * deals, 1.0), "") for n, score in enumerate(scores)]


def test_it_is_over_when_the_last_trials_gained_no_more_than_asked() -> None:
    patience = Patience(gain=0.01, deals=1, trials=3)
    assert not patience.is_over(trials(0.5, 0.6, 0.6))  # none before the last three
    assert patience.is_over(trials(0.6, 0.5, 0.609, 0.2))
    assert not patience.is_over(trials(0.6, 0.5, 0.62, 0.2))
    assert patience.is_over(trials(0.6, 0.62, 0.2, 0.3, 0.1))


def test_trials_that_were_stopped_or_failed_improve_nothing() -> None:
    patience = Patience(gain=0.01, deals=2, trials=2)
    assert patience.is_over([*trials(0.5, deals=2), *trials(0.9, deals=1), *trials(0.9, deals=0)])
    assert patience.is_over(trials(0.5, 0.6, 0.7, deals=1))  # none was ever scored on all deals


def test_a_gain_is_a_quarter_of_a_standard_error() -> None:
    assert Patience.over(nodes=50, deals=2).gain == pytest.approx(0.25 * 0.05)
