import optuna
import pytest
from optuna.trial import TrialState, create_trial

from lsgnn.tuning.pruning import HopelessPruner


def study_whose_best_trial_has(*scores: float) -> optuna.Study:
    study = optuna.create_study(direction="maximize", pruner=HopelessPruner(num_val=800))
    study.add_trial(create_trial(value=sum(scores) / len(scores), intermediate_values=dict(enumerate(scores))))
    study.add_trial(create_trial(state=TrialState.PRUNED, intermediate_values={0: 99.0}))  # never compared with
    return study


def is_pruned(study: optuna.Study, *scores: float) -> bool:
    trial = study.ask()
    for step, score in enumerate(scores):
        trial.report(score, step)
    return trial.should_prune()


def test_the_margin_is_two_errors_of_a_difference_between_shares() -> None:
    pruner = HopelessPruner(num_val=800)
    assert pruner.margin(80.0, num_splits=1) == pytest.approx(4.0, abs=0.02)  # 200 √(2 · 0.8 · 0.2 / 800)
    assert pruner.margin(80.0, num_splits=4) == pytest.approx(2.0, abs=0.01)
    assert pruner.margin(100.0, num_splits=1) == pytest.approx(0.5, abs=0.01)  # as if 802 of 804 were right
    assert HopelessPruner(num_val=59).margin(100.0, num_splits=1) > 100 / 59  # one node more is nothing


@pytest.mark.parametrize(
    ("scores", "pruned"),
    [
        ((75.9,), True),  # 4.1 behind on the first split
        ((76.1,), False),
        ((76.1, 77.0), True),  # 3.45 behind on two: the margin is 2.8
        ((78.0, 78.0, 78.5), False),
        ((79.5, 79.6, 79.7, 79.8), True),  # a little behind on each: 1 in 16 by chance
        ((79.5, 79.6, 79.7), False),  # 1 in 8
        ((), False),
    ],
)
def test_far_behind_ends_a_trial_at_once_and_a_little_behind_after_some_splits(
    scores: tuple[float, ...], pruned: bool
) -> None:
    assert is_pruned(study_whose_best_trial_has(80.0, 80.0, 80.0, 80.0), *scores) is pruned


def test_nothing_is_pruned_before_a_trial_is_complete() -> None:
    assert not is_pruned(optuna.create_study(direction="maximize", pruner=HopelessPruner(num_val=800)), 1.0)
