"""A default that looks first: short training runs on validation nodes decide what nobody decided.

Stage by stage (features, direction, hops, …) the candidates differ in one thing from what was chosen so far, and the
simplest within a standard error of the best is taken: noise decides nothing. Test nodes are not involved. This is the
one place that understands "auto".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lsgnn import zoo
from lsgnn.graph.splits import Split
from lsgnn.runs.decisions import Decisions
from lsgnn.runs.defaults import suited
from lsgnn.runs.judges import Judges
from lsgnn.runs.probe_cost import MOST, Budget, Size, affordable_width, narrowed
from lsgnn.runs.stages import BASELINE_OPEN, Stage, first_options, stages
from lsgnn.runs.tried import Tried
from lsgnn.train.engine import Engine
from lsgnn.train.metrics import Metric, about, shown, utility
from lsgnn.train.trained import require_memory_for_history
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.protocol import Model

ENOUGH, MAX_DEALS = (
    4_000,
    8,
)  # validation nodes to judge, and deals of the split: more than elsewhere, as much hangs on it
FEW = 60  # epochs that are worth more than another deal
OnStage = Callable[[str], None]


@dataclass(frozen=True)
class Choice:
    """What a probe chose among several candidates, and everything it tried.

    Args:
        deals: of the training and validation nodes, over which scores are means.
    """

    settings: dict[str, Any]
    tried: tuple[Tried, ...]
    metric: Metric = "accuracy"
    deals: int = 1

    def __str__(self) -> str:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        stages = list(dict.fromkeys(row.stage for row in self.tried))
        told = "; ".join(f"{stage}: {' | '.join(self._scores(stage))}" for stage in stages)
        mean = f", mean of {self.deals} resampled splits" if self.deals > 1 else ""
        return f"{chosen} chosen by validation {about(self.metric).title}{mean} ({told})"

    def _scores(self, stage: str) -> Iterator[str]:
        for row in self.tried:
            if row.stage == stage:
                yield f"{row.candidate} {shown(self.metric, utility(self.metric, row.score))}"


class _Probed(NamedTuple):
    """What was decided, in that order, what was tried, and the stages that had something to decide."""

    decided: dict[str, Any] = {}  # noqa: RUF012
    tried: tuple[Tried, ...] = ()
    stages: tuple[Stage, ...] = ()
    deals: int = 1


def resolved(
    prepared: Prepared,
    model: Model[Any],
    config: Any,
    splits: Sequence[Split],
    engine: Engine = "auto",
    metric: Metric = "accuracy",
    open_to: Collection[str] = (),
    on_stage: OnStage | None = None,
) -> tuple[Any, Choice | None]:
    """`config` with whatever is open decided by the validation nodes of the splits, and how; as it is if nothing is.

    Args:
        open_to: names of hyperparameters that nobody decided; those that are "auto" are open anyway.
        on_stage: called with the name of each decision before it is made.

    What is prepared for the candidates stays in `prepared`: the training run that follows computes nothing anew.
    """
    require_memory_for_history(config)  # here, because a probe would be trained for nothing
    undecided = {name for name, value in config.to_dict().items() if value == "auto"} | set(open_to)
    passes, decided = list[_Probed](), dict[str, Any]()
    for judge, names in _passes(model, undecided):
        base = config.replace(**decided) if judge is model else _proxy(judge, config)
        passes.append(_probed(prepared, judge, base, splits, engine, metric, names, on_stage))
        decided |= passes[-1].decided
    if not decided:
        return config, None
    config = suited(config, decided)
    tried = tuple(row for one in passes for row in one.tried)
    if not tried:
        return config, None
    chosen = {name: getattr(config, name) for one in passes for stage in one.stages for name in stage.options[0]}
    return config, Choice(chosen, tried, metric, max(one.deals for one in passes))


def _passes(model: Model[Any], undecided: Collection[str]) -> list[tuple[Model[Any], set[str]]]:
    """Who tries what: LSGNN everything itself; for a baseline, a small MLP how to read the features."""
    if model.name == "lsgnn":
        return [(model, set(undecided))]
    features = set(undecided) & set(BASELINE_OPEN)
    return [(zoo.get("mlp"), features), (model, set(undecided) - features)]


def _proxy(mlp: Model[Any], config: Any) -> Any:
    """The MLP that speaks for a baseline, with whatever of the features is decided already."""
    shared = {name: getattr(config, name) for name in (*BASELINE_OPEN, "select_by", "seed") if hasattr(config, name)}
    return mlp.config(**shared | {"hidden_channels": 32, "lr": 0.05, "epochs": 60})


def _probed(
    prepared: Prepared,
    model: Model[Any],
    config: Any,
    splits: Sequence[Split],
    engine: Engine,
    metric: Metric,
    undecided: Collection[str],
    on_stage: OnStage | None,
) -> _Probed:
    if not undecided:
        return _Probed()
    near = config.replace(K=2) if "K" in undecided else config
    size = Size.of(prepared.graph, splits[0])
    every = stages(prepared.graph, config, undecided, metric, affordable_width(size, near))
    start, todo = config.replace(**first_options(every)), [stage for stage in every if len(stage.options) > 1]
    candidates = [start.replace(**option) for stage in todo for option in stage.options]
    judges, budget = _affordable(prepared, splits, metric, engine, start, candidates)
    start = start.replace(epochs=min(MOST, budget.epochs(candidates), config.epochs))
    probing = Decisions(lambda candidate: judges.judge(model, candidate), start, config.epochs, budget)
    for stage in todo:
        if on_stage is not None:
            on_stage(stage.name)
        probing.decide(narrowed(stage, size, probing.config.replace(epochs=config.epochs)))
    found = {name: getattr(probing.config, name) for stage in every for name in stage.options[0]}
    return _Probed(found, tuple(probing.tried), tuple(todo), len(judges.splits) // len(splits))


def _affordable(
    prepared: Prepared, splits: Sequence[Split], metric: Metric, engine: Engine, start: Any, candidates: Sequence[Any]
) -> tuple[Judges, Budget]:
    """As many deals as leave each training run enough epochs, and what all may cost."""
    size = Size.of(prepared.graph, splits[0])
    for deals in range(MAX_DEALS, 0, -1):
        judges = Judges(prepared, splits, metric, engine, deals, ENOUGH)
        budget = Budget.towards(size, len(judges.splits), start)
        if budget.epochs(candidates) >= FEW:
            break
    return judges, budget
