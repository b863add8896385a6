"""Is another family of models ahead on this graph? Short training runs of five of them, on validation nodes.

`fit` of LSGNN without a configuration asks, so that nobody who needs another model has to find that out alone. The runs
are short (by estimate, so that they are the same everywhere), which can only make the others look worse than they are.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from lsgnn import zoo
from lsgnn.errors import InputError
from lsgnn.graph.splits import Split
from lsgnn.runs.defaults import suited
from lsgnn.runs.judges import Judges
from lsgnn.runs.paired import Judged
from lsgnn.runs.probe_cost import Size, torch_epoch_seconds
from lsgnn.train.metrics import Metric, about, shown, utility
from lsgnn.train.selection import select_by_for
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.presets import zoo_preset

RIVALS = ("trees", "mlp", "classic", "linkx", "acm_gcn")
SECONDS = 5.0  # CPU time of each, by estimate
TREE_US = 5.0  # a tree, per training node and, up to 64 of them, share of the columns
MOST, LEAST = 100, 15  # epochs; a model that would have fewer is not asked
PATIENCE = 40  # or less, if the model has less itself
CLEARLY = 0.01  # of a score between 0 and 1: less is not worth another model


@dataclass(frozen=True)
class Rival:
    """Another model, and what it scored on the validation nodes (higher is better)."""

    model: str
    title: str
    score: float
    ahead: bool


def rivals(prepared: Prepared, split: Split, metric: Metric, own: Judged, shared: dict[str, Any]) -> list[Rival]:
    """What other families score; `ahead` are those that lead by more than a point and a standard error.

    Args:
        own: LSGNN's logits on the validation nodes of the split.
        shared: hyperparameters that suit every model on this graph (`feature_norm`, `class_weight`, …).
    """

    def asked(name: str, prepared: Prepared = prepared) -> Rival | None:
        config = quick_config(Size.of(prepared.graph, split), name, metric, shared)
        if config is None:
            return None
        try:
            judged = Judges(prepared, [split], metric, deals=1).judge(zoo.get(name), config)
        except InputError:  # for want of memory, say
            return None
        if not isinstance(judged, Judged):
            return None
        ahead = judged.score - own.score > max(CLEARLY, judged.error_of_lead(own))
        return Rival(name, zoo.get(name).title, judged.score, ahead)

    pool = ThreadPoolExecutor(max_workers=1)  # trees draw nothing from torch's one random stream: they grow meanwhile
    try:
        trees = pool.submit(asked, "trees", Prepared(prepared.graph))
        others = [asked(name) for name in RIVALS if name != "trees"]
        return [rival for rival in (trees.result(), *others) if rival is not None]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def quick_config(size: Size, model: str, metric: Metric, shared: dict[str, Any]) -> Any | None:
    """The model's default, cut to what the time allows; None where that is too little to learn from."""
    config = suited(zoo_preset(model, ""), shared)
    config = config.replace(select_by=select_by_for(metric, config.select_by))
    if model == "classic":
        config = config.replace(hidden_channels=64, num_layers=2, lr=0.01)
    if model == "trees":  # one per class and epoch
        per_epoch = max(2, size.classes) * size.train * min(1.0, size.columns / 64) * TREE_US * 1e-6
    else:
        channels, edges = 3 if model == "acm_gcn" else 1, 0 if model == "mlp" else 2 * size.edges
        per_epoch = torch_epoch_seconds(size, config, channels, edges)
    epochs = int(min(MOST, config.epochs, SECONDS / max(per_epoch, 1e-9)))
    return config.replace(epochs=epochs, patience=min(PATIENCE, config.patience)) if epochs >= LEAST else None


def note_on(rivals: list[Rival], metric: Metric, own: float) -> str:
    """The best of those ahead, in words, and how to train it; empty if there is none."""
    ahead = [rival for rival in rivals if rival.ahead]
    if not ahead:
        return ""
    best = max(ahead, key=lambda rival: rival.score)
    theirs, ours = (shown(metric, utility(metric, score)) for score in (best.score, own))
    return (
        f"{best.title} reaches {theirs} validation {about(metric).title} in a short training run, LSGNN {ours}: "
        f"train it as the model {best.model!r}, or let a search decide (the model 'auto')"
    )
