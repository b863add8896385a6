"""One decision after the other: what a probe has chosen so far, and what it knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsgnn.errors import TrainingDiverged
from lsgnn.runs.paired import Judged, simplest_of_the_best
from lsgnn.runs.probe_cost import LONGEST_STAGE, Budget
from lsgnn.runs.stages import Stage
from lsgnn.runs.tried import Tried

LONGER = 3  # times as many epochs at most, where short training runs would mislead


class Decisions:
    """Decides stage by stage; the candidates of each differ in one thing from what was chosen before.

    Args:
        judge: trains a configuration and scores it; none is judged twice.
        config: where to start, with as few epochs as a probe can afford.
        most_epochs: of the training run that all of this is for.
        budget: what candidates that train longer may cost; None for whatever it takes.
    """

    def __init__(
        self,
        judge: Callable[[Any], Judged | TrainingDiverged],
        config: Any,
        most_epochs: int,
        budget: Budget | None = None,
    ) -> None:
        self.judge, self.config, self.most_epochs, self.budget = judge, config, most_epochs, budget
        self.tried: list[Tried] = []
        self._known: dict[Any, Judged | TrainingDiverged] = {}

    def decide(self, stage: Stage) -> None:
        """Takes the simplest option that is within so many standard errors of the best."""
        candidates = [self.config.replace(**option) for option in stage.options]
        if stage.longer:
            epochs = self._longer(candidates)
            candidates = [one.replace(epochs=epochs) for one in candidates]
        found = [self._judged(one) for one in candidates]
        judged = [(number, one) for number, one in enumerate(found) if isinstance(one, Judged)]
        if not judged:  # whatever is wrong, it is not what this stage decides
            raise next(one for one in found if isinstance(one, TrainingDiverged))
        taken = judged[simplest_of_the_best([one for _, one in judged], stage.errors)][0]
        for number, one in judged:
            self.tried.append(Tried(stage.name, stage.label(number), one.score, number == taken))
        self.config = self.config.replace(**stage.options[taken])

    def _longer(self, candidates: list[Any]) -> int:
        short: int = self.config.epochs
        longer = min(self.most_epochs, LONGER * short)
        if self.budget is not None:
            longer = min(longer, self.budget.epochs(candidates, LONGEST_STAGE))
        return max(short, longer)

    def _judged(self, config: Any) -> Judged | TrainingDiverged:
        if config not in self._known:
            self._known[config] = self.judge(config)
        return self._known[config]
