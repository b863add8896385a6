"""The search itself: quick probes of every family, successive halving over families, fresh seeds for the best.

A family that no longer improves is left alone, and when all are, the search ends after a few seeds (`settled`).

What trial i tries depends on the results of trials 0 … i − LAG alone, whatever the number of workers and whoever is
quicker: with a budget of trials the search is deterministic, and one that was killed repeats its steps from the journal
and goes on. A budget of minutes decides when a phase ends, so that such searches differ from machine to machine.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import optuna

from lsgnn.auto.budget import Budget
from lsgnn.auto.families import Family
from lsgnn.auto.journal import Journal
from lsgnn.auto.ranking import Trial, complete, distinct, ranked
from lsgnn.auto.settled import PATIENCE, Patience, least_hopeful
from lsgnn.auto.trial import Outcome, Task
from lsgnn.auto.worker import TrialWorkers
from lsgnn.errors import InputError
from lsgnn.tuning.limits import limits_of, nearest
from lsgnn.tuning.study import quiet_optuna

LAG = 4  # trials under way at a time; more than workers, so that none waits for the slowest
PROBES, FIRST, SECOND = 0.25, 0.55, 0.80  # where phases end: shares of the budget
KEPT = (6, 3)  # families that go on after the probes and after the first round
PROBE_EPOCHS = 100
LEAST = 4  # families that are probed, however few minutes there are
FRESH = 8  # configurations that are trained again with fresh seeds
SEEDS = 4  # of each, where nothing else pays
MOST_SEEDS = 99
STRIDE = 1_000  # between the seeds of one training and the next
OnTrial = Callable[[int, Sequence[Trial]], None]
Slack = Callable[[float], float]


def search(
    found: Sequence[Family],
    journal: Journal,
    workers: TrialWorkers,
    budget: Budget,
    slack: Slack,
    patience: Patience | None = None,
    seed: int = 0,
    on_trial: OnTrial | None = None,
) -> Searched:
    """All trials in the order they were proposed.

    Args:
        slack: how far behind the best, given the score of that, a trial is stopped after its first deal.
        patience: when a family is left alone; None for never, so that the whole budget is used.
    """
    plan = _Plan(found, journal, budget, slack, patience, seed)
    trials, waiting = list[Trial](), deque[_Proposal]()

    def finish_one() -> None:
        proposal = waiting.popleft()
        outcome = journal.known(proposal.task.key)
        if outcome is None:
            outcome = workers.wait(proposal.task.key)
            journal.add(outcome)
        budget.trained += outcome.cpu_seconds
        trials.append(Trial(proposal.task.model, proposal.config, outcome, proposal.phase))
        proposal.tell(outcome)
        journal.keep_best(ranked(trials, journal.deals))
        if on_trial is not None:
            on_trial(len(trials), trials)

    for proposal in plan.proposals(trials):
        if proposal is None:  # the end of a phase: what comes next depends on all of it
            while waiting:
                finish_one()
            continue
        if journal.known(proposal.task.key) is None:
            workers.submit(proposal.task)
        waiting.append(proposal)
        while len(waiting) >= LAG:
            finish_one()
    while waiting:
        finish_one()
    if not any(complete(trial, journal.deals) for trial in trials):
        reasons = [trial.outcome.error for trial in trials if trial.outcome.error]
        raise InputError(f"no trial was finished ({reasons[-1] if reasons else 'none was begun'}): allow more minutes")
    return Searched(tuple(trials), plan.ended_early)


@dataclass(frozen=True)
class Searched:
    """What a search has done.

    Args:
        ended_early: True if it stopped before its budget was used up, because more trials did not pay.
    """

    trials: tuple[Trial, ...]
    ended_early: bool


@dataclass(frozen=True)
class _Proposal:
    task: Task
    config: Any
    phase: str
    tell: Callable[[Outcome], None]


class _Plan:
    """What to try next, given what is known."""

    def __init__(
        self,
        found: Sequence[Family],
        journal: Journal,
        budget: Budget,
        slack: Slack,
        patience: Patience | None,
        seed: int,
    ) -> None:
        self.families, self.journal, self.budget, self.slack = found, journal, budget, slack
        self.patience, self.ended_early = patience, False
        self.studies = {family.model: _study(family, seed + number) for number, family in enumerate(found)}
        self.count = 0

    def proposals(self, trials: Sequence[Trial]) -> Iterator[_Proposal | None]:
        """One after the other; `trials` grows between two of them. None asks for all of them to be finished."""
        yield from self._probes(trials)
        for kept, end, last in zip(KEPT, (FIRST, SECOND), PATIENCE, strict=True):
            yield None
            chosen = self._best_families(trials, kept)
            yield from self._round(chosen, trials, end, last, f"the best {len(chosen)} models")
        yield None
        settled = self.patience is not None and not any(self._pays(family, trials, last) for family in chosen)
        if self.patience is not None and settled:
            yield from self._fresh_seeds(trials, self.patience.trials(FRESH), self.patience.trials(SEEDS))
        else:
            yield from self._fresh_seeds(trials, FRESH, MOST_SEEDS)
        self.ended_early = settled and self.budget.used(self.count) < 1.0

    def _probes(self, trials: Sequence[Trial]) -> Iterator[_Proposal]:
        starts = [(family, start) for family in self.families for start in family.starts[:1]]
        starts += [(family, start) for family in self.families for start in family.starts[1:]]
        for family, start in starts:
            if self.budget.used(self.count) >= PROBES and self.count >= min(LEAST, self.budget.trials or LEAST):
                return
            short = start.replace(epochs=min(start.epochs, PROBE_EPOCHS))
            yield self._proposal(family.model, short, "probe", trials)

    def _round(
        self, chosen: Sequence[Family], trials: Sequence[Trial], end: float, last: int, phase: str
    ) -> Iterator[_Proposal]:
        """Trials of the families in turn, the full length of each start first."""
        queues = {family.model: deque(self._unseen_starts(family, trials)) for family in chosen}
        while going := [family for family in chosen if queues[family.model] or self._pays(family, trials, last)]:
            for family in going:
                if self.budget.used(self.count) >= end:
                    return
                if queue := queues[family.model]:
                    yield self._proposal(family.model, queue.popleft(), phase, trials)
                else:
                    yield self._drawn(family, phase, trials)

    def _pays(self, family: Family, trials: Sequence[Trial], last: int) -> bool:
        """True if another configuration of the family may still be the best: so many last ones gained something, and
        half as many have not left it beyond hope."""
        if not family.tunable or self.patience is None:
            return family.tunable
        own, order = [trial for trial in trials if trial.model == family.model], ranked(trials, self.journal.deals)
        if order and len(own) > self.patience.trials(last) // 2:
            hope = least_hopeful(order[0].score, self.slack, self.journal.deals)
            if not any(trial.model == family.model and trial.score >= hope for trial in order):
                return False
        return not self.patience.is_over(own, last)

    def _unseen_starts(self, family: Family, trials: Sequence[Trial]) -> list[Any]:
        """The family's starts at full length, the better probed first."""
        done = {trial.config for trial in trials}
        probed = {trial.config: trial.score for trial in trials if trial.model == family.model}
        short = {start: start.replace(epochs=min(start.epochs, PROBE_EPOCHS)) for start in family.starts}
        ranked = sorted(family.starts, key=lambda start: -probed.get(short[start], -math.inf))
        return [start for start in ranked if start not in done]

    def _drawn(self, family: Family, phase: str, trials: Sequence[Trial]) -> _Proposal:
        study = self.studies[family.model]
        trial = study.ask()
        config = family.starts[0].replace(**family.space(trial))

        def tell(outcome: Outcome) -> None:
            failed = not outcome.scores
            state = optuna.trial.TrialState.FAIL if failed else optuna.trial.TrialState.COMPLETE
            study.tell(trial, None if failed else outcome.score, state=state)

        return self._proposal(family.model, config, phase, trials, tell)

    def _fresh_seeds(self, trials: Sequence[Trial], count: int, rounds: int) -> Iterator[_Proposal]:
        """The best configurations with other seeds, round after round: luck averages out, and so do seeds."""
        best = distinct(ranked(trials, self.journal.deals))[:count]
        for number in range(1, rounds + 1):
            for trial in best:
                if self.budget.used(self.count) >= 1.0:
                    return
                if self.budget.remaining < 2 * trial.outcome.cpu_seconds:  # another one is before it in the queue
                    continue
                config = trial.config.replace(seed=trial.config.seed + STRIDE * number)
                yield self._proposal(trial.model, config, "fresh seeds", trials)

    def _proposal(
        self,
        model: str,
        config: Any,
        phase: str,
        trials: Sequence[Trial],
        tell: Callable[[Outcome], None] = lambda outcome: None,
    ) -> _Proposal:
        self.count += 1
        best = next(iter(ranked(trials, self.journal.deals)), None)
        key = self.journal.key(model, config, self.budget.limit)
        bar = best.outcome.scores if best and phase != "fresh seeds" else ()
        slack = self.slack(best.score) if best else math.inf
        task = Task(key, model, config.to_dict(), bar, slack, self.budget.limit)
        return _Proposal(task, config, phase, tell)

    def _best_families(self, trials: Sequence[Trial], count: int) -> list[Family]:
        """Those whose best trial scored highest, stopped ones included."""
        best = {family.model: -math.inf for family in self.families}
        for trial in trials:
            best[trial.model] = max(best[trial.model], trial.score)
        order = sorted(self.families, key=lambda family: -best[family.model])
        return [family for family in order if best[family.model] > -math.inf][:count]


def _study(family: Family, seed: int) -> optuna.Study:
    """A search of one family's space, from the point of it that is nearest to where the family starts."""
    quiet_optuna()
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=5)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    if family.tunable:
        study.enqueue_trial(nearest(family.starts[0].to_dict(), limits_of(family.space)))
    return study
