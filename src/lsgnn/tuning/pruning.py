"""When the rest of a trial can be saved: its first splits are clearly worse than the same splits of the best trial."""

from __future__ import annotations

import math
import warnings

import optuna
from optuna.trial import FrozenTrial, TrialState

CLEARLY = 2.0  # standard errors of a difference


class HopelessPruner(optuna.pruners.BasePruner):
    """Stops a trial that is far behind the best one after any split, or a little behind on nearly every split.

    Far is more than two standard errors of a difference between two scores p, each a share of k·n validation nodes on k
    splits: √(2 p (1 − p) / (k n)), p drawn towards one half as if four more nodes had been seen. Large graphs so need
    one split to see what is hopeless. A little behind is judged by Optuna's Wilcoxon test, which with p < 0.1 cannot
    speak before the fourth split.
    """

    def __init__(self, num_val: int) -> None:
        self.num_val = num_val
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            self.little_behind = optuna.pruners.WilcoxonPruner(p_threshold=0.1, n_startup_steps=2)

    def prune(self, study: optuna.Study, trial: FrozenTrial) -> bool:
        complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if not complete or not trial.intermediate_values:
            return False
        best = max(complete, key=lambda t: t.value or 0.0)
        seen = trial.intermediate_values.keys() & best.intermediate_values.keys()
        own, other = (sum(t.intermediate_values[s] for s in seen) / len(seen) for t in (trial, best))
        if own < other - self.margin(other, len(seen)):
            return True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # older versions of scipy warn of few splits
            return bool(self.little_behind.prune(study, trial))

    def margin(self, score: float, num_splits: int) -> float:
        """What is far behind a score, both in percent."""
        nodes = self.num_val * num_splits
        share = (score / 100 * nodes + 2) / (nodes + 4)  # two more right, two more wrong: all right proves nothing
        return 100 * CLEARLY * math.sqrt(2 * share * (1 - share) / nodes)
