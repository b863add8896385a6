"""Who judges a choice: the validation nodes of a split and, where they are few, of the split dealt out anew.

Test nodes are in no deal, and their labels are blanked before anything is trained.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import TrainingDiverged
from lsgnn.graph.graph import Graph
from lsgnn.graph.resampled_splits import resampled
from lsgnn.graph.splits import Split, Splits
from lsgnn.runs.paired import Judged
from lsgnn.train.engine import Engine
from lsgnn.train.metrics import Metric, positive_class
from lsgnn.zoo.jobs import Job, quick_logits, train_many
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.protocol import Model

ENOUGH = 1_500  # validation nodes whose accuracy is known within 1.3 points
MAX_DEALS = 5


class Judges:
    """Scores configurations of any model on the same validation nodes.

    Args:
        prepared: the graph, and what models have prepared of it.
        splits: whose validation nodes judge; each is dealt out anew until enough nodes have judged.
        metric: what is scored.
        deals: how often at most each split is used; 1 for the split as it is.
        enough: validation nodes, over all deals.
    """

    def __init__(
        self,
        prepared: Prepared,
        splits: Sequence[Split],
        metric: Metric,
        engine: Engine = "auto",
        deals: int = MAX_DEALS,
        enough: int = ENOUGH,
    ) -> None:
        self.prepared, self.metric, self.engine = prepared, metric, engine
        self.splits = [deal for split in splits for deal in dealt(split, prepared.graph, len(splits), deals, enough)]
        seen = np.any([split.train | split.val for split in splits], axis=0)
        self.positive = positive_class(prepared.graph.y[seen])

    def judge(self, model: Model[Any], config: Any) -> Judged | TrainingDiverged:
        """What a configuration scores; the reason where its training run diverges."""
        jobs = [Job(model, config, split) for split in self.splits]
        try:
            trained = train_many(self.prepared, jobs, self.engine if model.name == "lsgnn" else "auto")
        except TrainingDiverged as error:
            return error
        y = self.prepared.graph.y
        logits, classes = list[NDArray[np.float32]](), list[NDArray[np.int64]]()
        for split, one in zip(self.splits, trained, strict=True):
            logits.append(quick_logits(self.prepared, model, config, one)[split.val])
            classes.append(y[split.val])
        return Judged(self.metric, self.positive, tuple(logits), tuple(classes))


def dealt(split: Split, graph: Graph, shared_by: int = 1, most: int = MAX_DEALS, enough: int = ENOUGH) -> list[Split]:
    """The split and, until enough nodes have judged, further deals of its training and validation nodes."""
    wanted = math.ceil(enough / (shared_by * max(1, int(split.val.sum()))))
    repeats = max(1, min(most, wanted))
    return list(resampled(Splits(split.train, split.val, split.test), split.visible(graph.y), repeats))
