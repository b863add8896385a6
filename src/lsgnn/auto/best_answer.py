"""`model="auto"`: probe, search, ensemble. Every choice is made on validation nodes; test labels are not even there."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lsgnn import zoo
from lsgnn.auto.blending import blend_shares, equal_start
from lsgnn.auto.budget import Budget, Clock
from lsgnn.auto.families import Facts, families
from lsgnn.auto.journal import Journal
from lsgnn.auto.ranking import Trial, distinct, mean_score, ranked, seeds_of, unique
from lsgnn.auto.search import OnTrial, search
from lsgnn.auto.settled import Patience, hopeless, least_hopeful
from lsgnn.auto.trial import kept_logits, kept_training
from lsgnn.auto.worker import TrialWorkers
from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.runs.blend import Blend, BoardRow, Part
from lsgnn.runs.judges import dealt
from lsgnn.runs.probe import Choice, resolved
from lsgnn.runs.stages import BASELINE_OPEN, LSGNN_OPEN
from lsgnn.train.environment import environment
from lsgnn.train.metrics import Metric, about, judging_nodes, positive_class, shown, utility
from lsgnn.train.selection import select_by_for
from lsgnn.zoo.prepared import Prepared

LIBRARY = 24  # trials that the ensemble may take from
PER_MODEL = 9  # of them, of one model at most
DEALS = {5: 10_000, 2: 50_000}  # how often a split is dealt out at most, on graphs up to this size
MINUTES = 10.0


@dataclass(frozen=True)
class Found:
    """What a search found: the parts of the ensemble, a leader board, and how LSGNN's probe chose.

    `singles` are each model's best configuration alone, in the order of the board.
    """

    parts: tuple[Part, ...]
    singles: tuple[Part, ...]
    board: tuple[BoardRow, ...]
    choice: Choice | None
    trials: int
    deals: int  # of the training and validation nodes, over which scores of the board are means
    failed: tuple[str, ...] = ()  # trials without a score, each with its reason
    ended_early: bool = False  # because more trials did not pay

    def run(self, graph: Graph, split: Split, metric: Metric, seconds: float, notes: Sequence[str] = ()) -> Blend:
        """The ensemble as a run on the graph."""
        best = self.board[0]
        scored = f"{shown(metric, utility(metric, best.val))} validation {about(metric).title}"
        mean = f", as the mean of {self.deals} resampled splits" if self.deals > 1 else ""
        told = [f"{self.trials} trials; of {len(self.board)} models the best alone is {best.title} with {scored}{mean}"]
        if self.ended_early:
            told.append(
                f"ended after {self.trials} trials, before the budget was used up: the last ones of each of the best "
                "models improved no more than noise on the validation nodes would"
            )
        if self.failed:
            told.append(f"{len(self.failed)} trial(s) had no score; the last one: {self.failed[-1]}")
        return Blend(
            graph=graph,
            config=self.parts[0].config,
            split=split,
            members=tuple(part.trained for part in self.parts),
            seconds={"search": seconds},
            environment=environment(),
            notes=(*graph.notes, *notes, *told),
            metric=metric,
            tried=self.choice.tried if self.choice else (),
            parts=self.parts,
            board=self.board,
        )


def best_answer(
    graph: Graph,
    split: Split,
    metric: Metric,
    *,
    minutes: float | None = None,
    trials: int | None = None,
    storage: Path | None = None,
    seed: int = 0,
    workers: int = 2,
    stop_early: bool = True,
    clock: Clock = "wall",
    on_trial: OnTrial | None = None,
) -> Found:
    """Searches all suitable models under one budget and ensembles the best.

    Args:
        graph: the graph; labels of test nodes are blanked before anything else.
        minutes: by the clock; 10 where there is no budget of trials.
        trials: how many configurations to train; the search is then deterministic.
        storage: a folder for the journal; a search that was stopped goes on from it.
        workers: processes that train, one thread each.
        stop_early: end before the budget is used up when more trials stop paying (`settled`).
        clock: of the minutes: wall time, or CPU time of each worker (`budget`).
    """
    for name, value in (("minutes", minutes), ("trials", trials), ("workers", workers)):
        if value is not None and not value > 0:
            raise InputError(f"{name}={value} is out of range: it must be positive")
    minutes = MINUTES if minutes is None and trials is None else minutes
    budget = Budget(trials, 60 * minutes if minutes is not None else math.inf, clock, workers)
    blind = replace(graph, y=split.visible(graph.y), splits=None, name="graph")
    deals, positive = dealt(split, blind, most=_affordable_deals(blind)), positive_class(blind.y)
    with _folder(storage) as folder:
        journal = Journal(folder, blind, deals, metric, positive)
        lsgnn, choice = _probed(blind, split, metric, seed)
        shared = {name: getattr(lsgnn, name) for name in BASELINE_OPEN}
        found = [
            replace(family, starts=tuple(_by(metric, start, seed) for start in family.starts))
            for family in families(Facts(blind, metric, budget.limit / len(deals)), lsgnn, shared)
        ]
        nodes = judging_nodes(metric, blind.y[split.val])
        slack = partial(hopeless, metric, nodes)
        patience = Patience.over(nodes, len(deals)) if stop_early else None
        with TrialWorkers(folder, workers) as pool:
            searched = search(found, journal, pool, budget, slack, patience, seed, on_trial)
        done = searched.trials
        kept = [trial for trial in unique(done) if journal.has(trial)]
        library = _library(kept, len(deals))
        classes = [blind.y[deal.val] for deal in deals]
        logits = [kept_logits(journal.file(trial.outcome.key), len(deals)) for trial in library]
        scores = [trial.score for trial in library]
        hope = least_hopeful(max(scores), slack, len(deals))
        start = equal_start([trial.model for trial in library], scores, hope)
        shares = blend_shares(logits, classes, metric, positive, start, seed)
        parts = _parts(library, shares, journal)
        board, best = _board(done, kept, parts, len(deals))
        singles = tuple(_part(trial, 0.0, journal) for trial in best)
    failed = tuple(f"{trial.model} ({trial.outcome.error})" for trial in done if trial.outcome.error)
    return Found(parts, singles, board, choice, len(done), len(deals), failed, searched.ended_early)


def _affordable_deals(graph: Graph) -> int:
    """Every deal costs a training run on the whole graph: on a large one a second opinion is dear."""
    size = graph.num_nodes + graph.num_edges / 10
    return next((most for most, limit in DEALS.items() if size <= limit), 1)


def _probed(graph: Graph, split: Split, metric: Metric, seed: int) -> tuple[Any, Choice | None]:
    base = LSGNNConfig(seed=seed)
    base = base.replace(select_by=select_by_for(metric, base.select_by))
    return resolved(Prepared(graph), zoo.get("lsgnn"), base, [split], metric=metric, open_to=LSGNN_OPEN)


def _by(metric: Metric, config: Any, seed: int) -> Any:
    return config.replace(select_by=select_by_for(metric, config.select_by), seed=seed)


@contextmanager
def _folder(storage: Path | None) -> Iterator[Path]:
    if storage is not None:
        yield storage
        return
    with tempfile.TemporaryDirectory(prefix="lsgnn-auto-") as folder:
        yield Path(folder)


def _library(trials: Sequence[Trial], deals: int) -> list[Trial]:
    """The best trials and the best of every model, so that the ensemble has something to choose from."""
    order = ranked(trials, deals)
    of_model, kept = dict[str, int](), list[Trial]()
    for trial in order:
        of_model[trial.model] = of_model.get(trial.model, 0) + 1
        if of_model[trial.model] == 1 or (of_model[trial.model] <= PER_MODEL and len(kept) < LIBRARY):
            kept.append(trial)
    return kept


def _parts(library: Sequence[Trial], shares: Any, journal: Journal) -> tuple[Part, ...]:
    """The members of the ensemble, the largest share first, and, if none of them can, one that attaches new nodes."""
    order = [int(number) for number in np.argsort(-shares, kind="stable") if shares[number] > 0]
    chosen = [(library[number], float(shares[number])) for number in order]
    if all(trial.config.tied_to_graph for trial, _ in chosen):
        spare = next((trial for trial in library if not trial.config.tied_to_graph), None)
        chosen += [(spare, 0.0)] if spare else []
    return tuple(_part(trial, share, journal) for trial, share in chosen)


def _part(trial: Trial, share: float, journal: Journal) -> Part:
    return Part(trial.model, trial.config, kept_training(journal.file(trial.outcome.key)), share)


def _board(
    trials: Sequence[Trial], kept: Sequence[Trial], parts: Sequence[Part], deals: int
) -> tuple[tuple[BoardRow, ...], tuple[Trial, ...]]:
    """Each model's best configuration, by its mean over seeds, and its trial; the best model first."""
    rows = []
    for model in dict.fromkeys(trial.model for trial in trials):
        own = [trial for trial in trials if trial.model == model]
        of_model = distinct(ranked([trial for trial in kept if trial.model == model], deals))
        best = max(of_model, key=lambda trial: mean_score(trial, own, deals), default=None)
        if best is None:
            continue
        row = BoardRow(
            model=model,
            title=zoo.get(model).title,
            configuration=_changes(best.config),
            val=mean_score(best, own, deals),
            seeds=len(seeds_of(best, own, deals)),
            trials=len(own),
            share=sum(part.share for part in parts if part.model == model),
            seconds=sum(trial.outcome.cpu_seconds for trial in own),
        )
        rows.append((row, best))
    rows.sort(key=lambda pair: -pair[0].val)
    return tuple(row for row, _ in rows), tuple(trial for _, trial in rows)


def _changes(config: Any) -> dict[str, Any]:
    """What differs from the model's defaults."""
    default = type(config)().to_dict()
    return {name: value for name, value in config.to_dict().items() if value != default[name] and name != "seed"}
