"""When more trials of a model stop paying."""

import json
from pathlib import Path

import numpy as np
import pytest

from lsgnn import zoo
from lsgnn.auto.ranking import Trial
from lsgnn.auto.settled import LEAST_PATIENCE, PATIENCE, Patience, hopeless
from lsgnn.auto.trial import Outcome
from lsgnn.runs.judges import ENOUGH

STORED = sorted((Path(__file__).parents[2] / "paper" / "results" / "tuning" / "extended").glob("*.json"))


def trials(*scores: float, deals: int = 1) -> list[Trial]:
    config = zoo.get("mlp").config()
    return [Trial("mlp", config, Outcome(str(n), (score,) * deals, 1.0), "") for n, score in enumerate(scores)]


def test_it_is_over_when_the_last_trials_gained_no_more_than_asked() -> None:
    patience = Patience(gain=0.01, deals=1)
    assert not patience.is_over(trials(0.5, 0.6, 0.6), 3)  # none before the last three
    assert patience.is_over(trials(0.6, 0.5, 0.609, 0.2), 3)
    assert not patience.is_over(trials(0.6, 0.5, 0.62, 0.2), 3)
    assert patience.is_over(trials(0.6, 0.62, 0.2, 0.3, 0.1), 3)


def test_trials_that_were_stopped_or_failed_improve_nothing() -> None:
    patience = Patience(gain=0.01, deals=2)
    assert patience.is_over([*trials(0.5, deals=2), *trials(0.9, deals=1), *trials(0.9, deals=0)], 2)
    assert patience.is_over(trials(0.5, 0.6, 0.7, deals=1), 2)  # none was ever scored on all deals


def test_a_gain_is_a_quarter_of_a_standard_error() -> None:
    assert Patience.over(nodes=50, deals=2).gain == pytest.approx(0.25 * 0.05)


def test_few_validation_nodes_deserve_few_trials() -> None:
    shares = [Patience.over(nodes, deals=5).share for nodes in (20, 200, 300, 5_000)]
    assert shares == pytest.approx([LEAST_PATIENCE, 1_000 / ENOUGH, 1.0, 1.0])
    few = Patience(gain=0.01, deals=1, share=0.3)
    assert (few.trials(50), few.trials(4), few.trials(1)) == (15, 1, 1)
    assert few.is_over(trials(0.6, 0.5, 0.5, 0.5), 10)  # three of ten
    assert not few.is_over(trials(0.6, 0.7, 0.5, 0.5), 10)


def test_beyond_hope_is_two_standard_errors_of_a_difference_behind() -> None:
    assert hopeless("accuracy", 900, 0.9) == pytest.approx(2 * 0.01)
    assert hopeless("roc_auc", 100, 0.9) == pytest.approx(2 * 0.05)  # whose variance is not known: the widest
    assert hopeless("accuracy", 50, 1.0) > 0


def ended(scores: list[float], last: int, nodes: int = ENOUGH) -> int:
    """After how many trials a search would have ended, if so many nodes have judged."""
    patience, done = Patience.over(nodes, deals=1), trials(*scores)
    return next((count for count in range(1, len(done)) if patience.is_over(done[:count], last)), len(done))


def test_in_the_stored_searches_of_lsgnn_it_saves_trials_and_loses_little() -> None:
    saved, lost = list[float](), list[float]()
    for file in STORED:
        study = json.loads(file.read_text("utf-8"))
        if study["metric"] != "accuracy" or len(study["trials"]) < 100:
            continue
        scores = [np.mean(t["val"]) / 100 if t["state"] == "complete" else 0.0 for t in study["trials"]]
        count = ended(scores, PATIENCE[-1])
        saved.append(1 - count / len(scores))
        lost.append(100 * (max(scores) - max(scores[:count])))
    assert len(lost) >= 5
    assert np.mean(saved) > 0.25
    assert np.mean(lost) < 0.5  # points of validation accuracy


@pytest.mark.parametrize("name", ["texas", "cornell", "wisconsin"])
def test_on_few_nodes_what_it_saves_would_have_raised_no_score_but_that_which_it_was_chosen_by(name: str) -> None:
    study = json.loads(next(file for file in STORED if file.stem == name).read_text("utf-8"))
    full = max(len(t["val"]) for t in study["trials"])
    val = np.array([t["val"] if len(t["val"]) == full else [0.0] * full for t in study["trials"]]) / 100
    random, lost, count = np.random.default_rng(0), list[float](), list[int]()
    for _ in range(20):  # half of the splits choose, the others judge
        order = random.permutation(full)
        chosen_by, judged_by = (val[:, part].mean(axis=1) for part in np.split(order, 2))
        count.append(ended(list(chosen_by), PATIENCE[-1], nodes=5 * 59))
        lost.append(judged_by[chosen_by.argmax()] - judged_by[chosen_by[: count[-1]].argmax()])
    assert np.mean(count) < 0.25 * len(val)
    assert 100 * np.mean(lost) < 1.0  # points of validation accuracy on the other splits
