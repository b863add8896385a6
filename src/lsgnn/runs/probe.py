"""What `auto` settings become: a quick look at the validation nodes decides. The one place that understands "auto".

Each direction (× kind of weights, for LSGNN) is trained once per split, briefly, on the training nodes, and the best
mean validation accuracy wins (a tie goes to the lower validation loss). Test nodes are not involved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.propagate.filters import adjacency
from lsgnn.train.engine import Engine
from lsgnn.zoo.jobs import Job, train_many
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.protocol import Model

EPOCHS = 100
PROBED_WEIGHTS = ("localsim", "graph")


@dataclass(frozen=True)
class Choice:
    """The settings a probe prefers, and the mean validation accuracy of every candidate, in percent."""

    settings: dict[str, str]
    scores: dict[str, float]

    def __str__(self) -> str:
        tried = ", ".join(f"{name} {score:.1f}" for name, score in self.scores.items())
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{chosen} chosen by validation accuracy ({tried})"


def resolved(
    prepared: Prepared, model: Model[Any], config: Any, splits: Sequence[Split], engine: Engine = "auto"
) -> tuple[Any, Choice | None]:
    """`config` with every "auto" decided by the validation nodes of the splits, and how; as it is where there is none.

    What is prepared for the candidates stays in `prepared`, so that the training that follows computes nothing anew.
    """
    options = _options(prepared.graph, config)
    if not options:
        return config, None
    candidates = [dict(zip(options, values, strict=True)) for values in product(*options.values())]
    if len(candidates) == 1:
        return config.replace(**candidates[0]), None
    short = config.replace(epochs=min(config.epochs, EPOCHS))
    jobs = [Job(model, short.replace(**candidate), split) for candidate in candidates for split in splits]
    results = train_many(prepared, jobs, engine)
    best = [result.history[result.best_epoch - 1] for result in results]
    by_candidate = [best[c * len(splits) : (c + 1) * len(splits)] for c in range(len(candidates))]
    accuracy = [float(np.mean([epoch["val_accuracy"] for epoch in epochs])) for epochs in by_candidate]
    loss = [float(np.mean([epoch["val_loss"] for epoch in epochs])) for epochs in by_candidate]
    winner = candidates[min(range(len(candidates)), key=lambda c: (-accuracy[c], loss[c]))]
    config = config.replace(**winner)
    scores = {_label(config, candidate): 100 * a for candidate, a in zip(candidates, accuracy, strict=True)}
    return config, Choice(winner, scores)


def _options(graph: Graph, config: Any) -> dict[str, tuple[str, ...]]:
    """Setting → what it may become, for every setting that is "auto"."""
    options: dict[str, tuple[str, ...]] = {}
    if getattr(config, "direction", "") == "auto":
        options["direction"] = ("undirected", "out", "in") if is_directed(graph) else ("undirected",)
    if getattr(config, "weights", "") == "auto":
        options["weights"] = PROBED_WEIGHTS
    return options


def _label(config: Any, candidate: dict[str, str]) -> str:
    full = config.replace(**candidate)
    return "/".join(str(getattr(full, name)) for name in ("direction", "weights") if hasattr(full, name))


def is_directed(graph: Graph) -> bool:
    """True if some edge has no counterpart of the same weight the other way."""
    A = adjacency(graph, "out", self_loops=True)
    return bool((A != A.T).nnz)
