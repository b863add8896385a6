"""Every model of a comparison tuned alike: as many trials, on the validation nodes of the compared splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from lsgnn import zoo
from lsgnn.benchmark.configurations import OfSplits
from lsgnn.benchmark.final_scores import UNSEEN
from lsgnn.files import make_folder
from lsgnn.graph.digest import digest_of_graph, digest_of_split
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Splits
from lsgnn.lines import key_of
from lsgnn.train.metrics import Metric
from lsgnn.tuning import tune


def tuned(
    graph: Graph,
    configs: Mapping[str, OfSplits],
    splits: Splits,
    trials: int,
    metric: Metric,
    folder: Path | None = None,
    on_trial: Callable[[str, Any], None] | None = None,
) -> dict[str, OfSplits]:
    """Model → the configuration its search chose, for every split; as it was where there is nothing to tune.

    A search starts from the configuration that most splits have. The chosen one is trained with a seed that the search
    has not seen. Studies are kept in `folder`, each under a name of all that decides it, and go on from there.
    """
    found = dict(configs)
    for name, of_splits in configs.items():
        if not zoo.get(name).tunable:
            continue
        base = Counter(of_splits.values()).most_common(1)[0][0]
        tuning = tune(
            graph,
            model=name,
            trials=trials,
            base=base,
            splits=splits,
            which=list(of_splits),
            metric=metric,
            grid=False,
            storage=None if folder is None else _study(folder, graph, name, base, splits.take(list(of_splits)), metric),
            on_trial=None if on_trial is None else partial(on_trial, name),
        )
        found[name] = dict.fromkeys(of_splits, tuning.config.replace(seed=UNSEEN))
    return found


def _study(folder: Path, graph: Graph, name: str, base: Any, splits: Splits, metric: Metric) -> Path:
    data = [digest_of_graph(graph), *(digest_of_split(split) for split in splits)]
    return make_folder(folder) / f"{name}-{key_of(data, base.to_dict(), metric)}.db"
