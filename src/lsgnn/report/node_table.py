"""The nodes of a run as rows for the page's table, and its most confident mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.graph.splits import Split
from lsgnn.runs.predictions import Predictions
from lsgnn.runs.run import Run

MAX_NODES = 5000  # rows in the page: more would make the file heavy on a phone
MAX_MISTAKES = 15
PART_NAMES = ("no part", "train", "validation", "test")
COLUMNS = (
    *(("id", "text"), ("part", "part"), ("true", "class"), ("predicted", "class"), ("confidence", "share")),
    *(("neighbours", "count"), ("homophily", "number")),
)


@dataclass(frozen=True)
class Mistake:
    """A node that the model was sure about and wrong."""

    id: str
    true: str
    predicted: str
    confidence: float
    degree: int
    homophily: float


@dataclass(frozen=True)
class NodeTable:
    """Rows for the page's script, which sorts, searches and pages through them.

    Args:
        columns: name and kind of each column: text, part, class, said (a class and its probability), share, count or
            number. Parts and classes are numbers into `PART_NAMES` and `classes`, so that names are stored once.
        classes: the names of the classes; a class that is not known is -1.
        rows: one value per column, None where there is none.
        total: how many nodes there would be without a limit.
        known: the column of the true class, which others are compared with.
    """

    columns: tuple[tuple[str, str], ...]
    classes: tuple[str, ...]
    rows: list[list[Any]]
    total: int
    known: int = 2

    def to_dict(self) -> dict[str, Any]:
        return {
            "kinds": [kind for _, kind in self.columns],
            "known": self.known,
            "parts": list(PART_NAMES),
            "classes": list(self.classes),
            "rows": self.rows,
        }


def parts_of(split: Split) -> NDArray[np.int64]:
    """0 none, 1 train, 2 validation, 3 test [n]."""
    return np.asarray(split.train + 2 * split.val.astype(np.int64) + 3 * split.test.astype(np.int64))


def shown_classes(run: Run, show_test: bool) -> NDArray[np.int64]:
    """The true classes that a page may show [n]; -1 elsewhere.

    Those of test nodes are left out unless asked for: with them the page would give the test score away.
    """
    return np.asarray(run.graph.y if show_test else np.where(run.split.test, -1, run.graph.y))


def table_order(run: Run) -> NDArray[np.int64]:
    """All nodes [n]: those without a label come first, then test, validation and training nodes."""
    return np.lexsort((np.arange(run.graph.num_nodes), -parts_of(run.split), run.graph.labelled))


def node_table(
    run: Run,
    predictions: Predictions,
    degree: NDArray[np.int64],
    homophily: NDArray[np.float64],
    limit: int = MAX_NODES,
    show_test: bool = False,
) -> NodeTable:
    """All nodes, or the first `limit` of `table_order`; a homophily that would tell a class is left out with it."""
    true = shown_classes(run, show_test)
    part, n = parts_of(run.split), run.graph.num_nodes
    homophily = np.where(true < 0, np.nan, homophily)
    wanted = table_order(run)[:limit]
    predicted, confidence = predictions.predicted, predictions.confidence
    rows = [
        [
            str(run.graph.node_ids[i]),
            int(part[i]),
            int(true[i]),
            int(predicted[i]),
            round(float(confidence[i]), 4),
            int(degree[i]),
            None if np.isnan(homophily[i]) else round(float(homophily[i]), 3),
        ]
        for i in wanted
    ]
    return NodeTable(COLUMNS, run.graph.class_names, rows, n)


def wrong_nodes(run: Run, predictions: Predictions, among: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The wrong predictions among some labelled nodes, most confident first."""
    y = run.graph.y
    wrong = np.flatnonzero(among & (y >= 0) & (predictions.predicted != y))
    return wrong[np.argsort(-predictions.confidence[wrong], kind="stable")]


def confident_mistakes(
    run: Run,
    predictions: Predictions,
    among: NDArray[np.bool_],
    degree: NDArray[np.int64],
    homophily: NDArray[np.float64],
    limit: int = MAX_MISTAKES,
) -> list[Mistake]:
    """The first of `wrong_nodes`, for people."""
    y, names = run.graph.y, run.graph.class_names
    predicted, confidence = predictions.predicted, predictions.confidence
    return [
        Mistake(
            id=str(run.graph.node_ids[i]),
            true=names[y[i]],
            predicted=names[predicted[i]],
            confidence=float(confidence[i]),
            degree=int(degree[i]),
            homophily=float(homophily[i]),
        )
        for i in wrong_nodes(run, predictions, among)[:limit]
    ]
