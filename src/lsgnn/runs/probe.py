"""A default that looks first: short training runs on validation nodes decide what nobody decided.

Stage by stage (features, direction, hops, …) the candidates differ in one thing from what was chosen so far, and the
simplest within a standard error of the best is taken: noise decides nothing. Test nodes are not involved. This is the
one place that understands "auto".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lsgnn import zoo
from lsgnn.config import FeatureNorm
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.runs.decisions import Decisions
from lsgnn.runs.defaults import following, suited
from lsgnn.runs.judges import Judges
from lsgnn.runs.probe_cost import affordable_epochs
from lsgnn.runs.stages import BASELINE_OPEN, Stage, stages
from lsgnn.runs.tried import Tried
from lsgnn.train.engine import Engine
from lsgnn.train.metrics import Metric, about, shown, utility
from lsgnn.train.trained import require_memory_for_history
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.protocol import Model

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
    tried, todo, decided = list[Tried](), list[Stage](), dict[str, Any]()
    for judge, names in _passes(model, undecided):
        base = config.replace(**decided) if judge is model else _proxy(judge, config)
        found, rows, stages_of_it = _probed(prepared, judge, base, splits, engine, metric, names, on_stage)
        decided |= found
        tried += rows
        todo += stages_of_it
    if not decided:
        return config, None
    config = suited(config, decided)
    if not tried:
        return config, None
    deals = len(Judges(prepared, splits, metric, engine).splits) // len(splits)
    chosen = {name: getattr(config, name) for stage in todo for name in stage.options[0]}
    return config, Choice(chosen, tuple(tried), metric, deals)


def probed_feature_norm(graph: Graph, split: Split, metric: Metric = "accuracy") -> tuple[FeatureNorm, str]:
    """How features are best scaled, whatever the model: as a small MLP prefers, and a note that says how it chose.

    An MLP reads nothing but the features, so that what it prefers is a property of them. `compare` gives the answer to
    every model, because a scaling that suits one side only decides a board.
    """
    mlp = zoo.get("mlp")
    proxy = _proxy(mlp, following(mlp.config(), metric))
    found, tried, _ = _probed(Prepared(graph), mlp, proxy, [split], "auto", metric, {"feature_norm"}, None)
    norm: FeatureNorm = found["feature_norm"]
    if not tried:
        return norm, f"feature_norm={norm!r}, the only one for a single column"
    return norm, f"{Choice(found, tuple(tried), metric)}, by a small MLP"


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
) -> tuple[dict[str, Any], list[Tried], list[Stage]]:
    """What was decided, in that order, what was tried, and the stages that had something to decide."""
    if not undecided:
        return {}, [], []
    todo = stages(prepared.graph, config, undecided, metric)
    start = config.replace(**{name: value for stage in todo for name, value in stage.options[0].items()})
    judges = Judges(prepared, splits, metric, engine)
    runs = len(judges.splits) * sum(len(stage.options) for stage in todo if len(stage.options) > 1)
    epochs = affordable_epochs(prepared.graph, start, max(1, runs))
    start = start.replace(epochs=min(epochs, config.epochs))
    probing = Decisions(lambda candidate: judges.judge(model, candidate), start, config.epochs)
    for stage in todo:
        if len(stage.options) > 1:
            if on_stage is not None:
                on_stage(stage.name)
            probing.decide(stage)
    found = {name: getattr(probing.config, name) for stage in todo for name in stage.options[0]}
    return found, probing.tried, [stage for stage in todo if len(stage.options) > 1]
