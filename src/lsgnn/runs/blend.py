"""`Blend`: a run that is an ensemble of several models and configurations, each with a share of its own.

It saves, loads, predicts and reports like any other `Run`. Models that are tied to the nodes they were trained on leave
new nodes and other graphs to those that are not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn import zoo
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.new_nodes import NewNodes
from lsgnn.propagate.structure_features import Scales
from lsgnn.runs.run import Run
from lsgnn.softmax import log_softmax
from lsgnn.train.saved_history import at_least_zero
from lsgnn.train.trained import Trained
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.protocol import Model, logits_of

NAME = "auto"
Logits = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Part:
    """One training run of the ensemble; a share of 0 is kept for what the others cannot do."""

    model: str
    config: Any
    trained: Trained = field(repr=False)
    share: float

    @property
    def entry(self) -> Model[Any]:
        return zoo.get(self.model)


@dataclass(frozen=True)
class BoardRow:
    """A model on the leader board of a search: its best configuration, and what it scored on validation nodes."""

    model: str
    title: str
    configuration: dict[str, Any]  # what differs from the model's defaults
    val: float  # higher is better
    seeds: int
    trials: int
    share: float  # in the ensemble
    seconds: float  # of CPU time, all its trials together

    @classmethod
    def of(cls, saved: Mapping[str, Any]) -> BoardRow:
        """The way back from a saved run; raises where it is damaged."""
        row = cls(**saved)
        if not isinstance(row.model, str) or not isinstance(row.title, str) or not isinstance(row.configuration, dict):
            raise TypeError("the leader board is no table of models")
        for value in (row.seeds, row.trials, row.share, row.seconds):
            at_least_zero(value)
        return replace(row, val=float(row.val))


@dataclass(frozen=True, eq=False, kw_only=True)
class Blend(Run):
    """An ensemble of models; see `Run` for the rest.

    Args:
        parts: the training runs, the largest share first; `members` are the same, and `config` is that of the first.
        board: the leader board of the search that found them.
    """

    model: str = NAME
    parts: tuple[Part, ...] = field(repr=False)
    board: tuple[BoardRow, ...] = field(default=(), repr=False)

    @property
    def title(self) -> str:
        return "Auto"

    @property
    def module(self) -> None:
        """There is no single one."""
        return None

    @cached_property
    def modules(self) -> list[Any]:
        parts = sorted(enumerate(self.parts), key=lambda numbered: _reads(numbered[1]))  # to prepare each thing once
        made = {number: self._module(part) for number, part in parts}
        return [made[number] for number in range(len(self.parts))]

    def _module(self, part: Part) -> Any:
        inputs = self._shared(part.entry, part.config)
        return part.entry.module(self.graph, inputs, part.config, part.trained.state_dict)

    @cached_property
    def _shared(self) -> Prepared:
        return Prepared(self.graph, keep=2)

    @cached_property
    def logits(self) -> Logits:
        def of(part: Part) -> Logits:
            inputs = self._shared(part.entry, part.config)
            return part.entry.quick_logits(self.graph, inputs, part.config, part.trained.state_dict)

        return _mixed([part for part in self.parts if part.share], of)

    def _logits_elsewhere(self, graph: Graph) -> Logits:
        def of(part: Part) -> Logits:
            inputs = part.entry.prepare(graph, part.config, Scales.of(self.graph, part.config))
            return logits_of(self._module(part), part.entry.readable(inputs, part.config))

        return _mixed(self.untied, of)

    def logits_new(self, new: NewNodes, exact: bool) -> Logits:
        def of(part: Part) -> Logits:
            inputs, scales = self._shared(part.entry, part.config), Scales.of(self.graph, part.config)
            return logits_of(
                self._module(part), part.entry.attached(self.graph, inputs, new, part.config, scales, exact)
            )

        return _mixed(self.attachable, of)

    @property
    def untied(self) -> list[Part]:
        """The models that can be applied to other graphs."""
        return [part for part in self.parts if not part.config.tied_to_graph]

    @property
    def attachable(self) -> list[Part]:
        """The models that can be applied to new nodes."""
        return [part for part in self.parts if not part.config.tied_to_nodes]

    def require_not_tied(self, what: str) -> None:
        self._require_any(self.untied, what)

    def require_attachable(self) -> None:
        self._require_any(self.attachable, "new nodes")

    def _require_any(self, parts: Sequence[Part], what: str) -> None:
        self.require_features_of_nodes(what)
        if not parts:
            raise InputError(
                f"each of the {len(self.parts)} models of this ensemble keeps parameters of each node, and cannot be "
                f"applied to {what}: train another model, lsgnn for one"
            )

    def settings_toml(self) -> str:
        tables = [
            f"[[members]]\nmodel = {json.dumps(part.model)}\nshare = {part.share!r}\n\n"
            f"[members.config]\n{part.config.to_toml()}"
            for part in self.parts
        ]
        return f"model = {json.dumps(self.model)}\n\n" + "\n".join(tables)

    def summary(self) -> dict[str, Any]:
        return super().summary() | {"board": [asdict(row) for row in self.board]}


def _reads(part: Part) -> str:
    """Parts that read the same things have the same."""
    return f"{part.model} {part.config.structure_features} {part.config.input_settings}"


def _mixed(parts: Sequence[Part], logits: Callable[[Part], Logits]) -> Logits:
    """The log of the mean probability, weighted by the shares; by equal ones where all are 0."""
    shares = np.array([part.share for part in parts])
    shares = shares / shares.sum() if shares.any() else np.full(len(parts), 1 / len(parts))
    total: Any = 0.0
    for number in sorted(range(len(parts)), key=lambda number: _reads(parts[number])):
        p = np.exp(log_softmax(np.asarray(logits(parts[number]), np.float64), axis=1))
        total = total + shares[number] * p
    return np.asarray(np.log(np.maximum(total, 1e-30)), dtype=np.float32)
