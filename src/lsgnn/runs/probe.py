"""Which neighbours should a node read, and with what weights? A quick look at the validation nodes decides.

Used by `fit` when nobody said: each direction × kind of weights is trained once, briefly, on the training nodes, and
the best validation accuracy wins (a tie goes to the lower validation loss). Test nodes are not involved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsgnn.config import LSGNNConfig, Weights
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.propagate.filters import adjacency
from lsgnn.train.engines import Engine
from lsgnn.train.jobs import Job, SharedPrecompute, train_many

EPOCHS = 100
PROBED: tuple[Weights, ...] = ("localsim", "graph")


@dataclass(frozen=True)
class Choice:
    """The settings a probe prefers, and the validation accuracy of every candidate, in percent."""

    direction: str
    weights: str
    scores: dict[str, float]

    def __str__(self) -> str:
        tried = ", ".join(f"{name} {score:.1f}" for name, score in self.scores.items())
        kinds = {name.partition("/")[2] for name in self.scores}
        weights = f", weights={self.weights!r}" if len(kinds) > 1 else ""
        return f"direction={self.direction!r}{weights} chosen by validation accuracy ({tried})"


def probe(
    graph: Graph,
    split: Split,
    config: LSGNNConfig,
    engine: Engine = "auto",
    kinds: Sequence[Weights] = PROBED,
) -> Choice:
    """Tries every direction that differs on this graph with every kind of weights."""
    directions = ("undirected", "out", "in") if is_directed(graph) else ("undirected",)
    candidates = [(direction, weights) for direction in directions for weights in kinds]
    short = config.replace(epochs=min(config.epochs, EPOCHS))
    jobs = [Job(short.replace(direction=d, weights=w), split) for d, w in candidates]
    results = train_many(SharedPrecompute(graph), jobs, engine)
    best = [result.history[result.best_epoch - 1] for result in results]
    winner = min(range(len(best)), key=lambda c: (-best[c]["val_accuracy"], best[c]["val_loss"]))
    direction, weights = candidates[winner]
    scores = {f"{d}/{w}": 100 * epoch["val_accuracy"] for epoch, (d, w) in zip(best, candidates, strict=True)}
    return Choice(direction, weights, scores)


def is_directed(graph: Graph) -> bool:
    """True if some edge has no counterpart of the same weight the other way."""
    A = adjacency(graph, "out", self_loops=True)
    return bool((A != A.T).nnz)
