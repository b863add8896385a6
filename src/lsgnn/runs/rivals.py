"""Is another family of models ahead on this graph? Short training runs of nine or ten of them, on validation nodes.

`fit` of LSGNN without a configuration asks, so that nobody who needs another model has to find that out alone. The runs
are short (by estimate, so that they are the same everywhere), which can only make the others look worse than they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from lsgnn import zoo
from lsgnn.errors import InputError
from lsgnn.graph.splits import Split
from lsgnn.propagate.structure_features import reads_degrees, with_structure, without_structure
from lsgnn.runs.defaults import suited
from lsgnn.runs.judges import Judges
from lsgnn.runs.paired import Judged
from lsgnn.runs.probe_cost import Size, torch_epoch_seconds
from lsgnn.runs.stages import is_directed
from lsgnn.train.metrics import Metric, about, shown, utility
from lsgnn.train.selection import select_by_for
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.presets import zoo_preset

SECONDS, TOGETHER = 5.0, 15.0  # CPU time of each and of all, by estimate
PASSED_ON_NS = 2.0  # a label, along an edge
TREE_US = 5.0  # a tree, per training node and, up to 64 of them, share of the columns
# convolutions side by side, or what ten narrow ones after each other cost
CHANNELS = {"acm_gcn": 3, "appnp": 3, "dir_gnn": 2}
MOST, LEAST = 100, 15  # epochs; a model that would have fewer is not asked
PATIENCE = 40  # or less, if the model has less itself
CLEARLY = 0.01  # of a score between 0 and 1: less is not worth another model


@dataclass(frozen=True)
class Other:
    """A model to ask, and what of it is not as by default; with settings of its own it has a title of its own."""

    model: str
    own_title: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.own_title or zoo.get(self.model).title

    @property
    def options(self) -> str:
        """What to write on the command line to train it."""
        named = (f" --set {name}={str(value).lower()}" for name, value in self.settings.items())
        return f"--model {self.model}{''.join(named)}"

    @property
    def arguments(self) -> str:
        """The same in Python."""
        return ", ".join((f"model={self.model!r}", *(f"{name}={value!r}" for name, value in self.settings.items())))


# of few labels and many columns, less than a perceptron learns more
LINEAR = Other("mlp", "Linear model", {"num_layers": 1, "bias": True, "lr": 0.05})
TREES_WITH_LABELS = Other("trees", "Boosted trees that read neighbours' labels", {"neighbour_labels": True})
OTHERS = (
    *(Other("trees"), TREES_WITH_LABELS, Other("mlp"), LINEAR),
    *map(Other, ("classic", "linkx", "acm_gcn", "appnp", "label_propagation")),
)
OF_DIRECTIONS = Other("dir_gnn")


@dataclass(frozen=True)
class Rival:
    """Another model, and what it scored on the validation nodes (higher is better)."""

    other: Other
    score: float
    ahead: bool


def rivals(prepared: Prepared, split: Split, metric: Metric, own: Judged, shared: dict[str, Any]) -> list[Rival]:
    """What other families score; `ahead` are those that lead by more than a point and a standard error.

    Args:
        own: LSGNN's logits on the validation nodes of the split.
        shared: hyperparameters that suit every model on this graph (`feature_norm`, `class_weight`, …).
    """

    size, counted = Size.of(prepared.graph, split), dict[str, Prepared]()
    others = (*OTHERS, OF_DIRECTIONS) if is_directed(prepared.graph) else OTHERS
    seconds = seconds_each(size, metric, shared, others)

    def asked(other: Other, prepared: Prepared = prepared) -> Rival | None:
        config = quick_config(size, other, metric, shared, seconds)
        if config is None:
            return None
        if reads_degrees(config):  # edges are counted once per scale of the columns, not once per model
            if config.feature_norm not in counted:
                counted[config.feature_norm] = Prepared(with_structure(prepared.graph, config)[0])
            prepared, config = counted[config.feature_norm], without_structure(config)
        try:
            judged = Judges(prepared, [split], metric, deals=1).judge(zoo.get(other.model), config)
        except InputError:  # for want of memory, say
            return None
        if not isinstance(judged, Judged):
            return None
        ahead = judged.score - own.score > max(CLEARLY, judged.error_of_lead(own))
        return Rival(other, judged.score, ahead)

    pool = ThreadPoolExecutor(max_workers=1)  # trees draw nothing from torch's one random stream: they grow meanwhile
    try:
        apart = Prepared(prepared.graph)
        growing = [pool.submit(asked, other, apart) for other in others if other.model == "trees"]  # these come first
        trained = [asked(other) for other in others[len(growing) :]]
        return [rival for rival in (*(one.result() for one in growing), *trained) if rival is not None]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def seconds_each(size: Size, metric: Metric, shared: dict[str, Any], others: Sequence[Other] = OTHERS) -> float:
    """CPU time that each model may have, so that all keep within theirs: who needs less leaves it to others."""
    full = [(quick_config(size, other, metric, shared), other) for other in others]
    needed = sorted(config.epochs * epoch_seconds(size, other, config) for config, other in full if config is not None)
    left = TOGETHER
    for number, need in enumerate(needed):
        share = left / (len(needed) - number)
        if need > share:
            return share
        left -= need
    return SECONDS


def quick_config(
    size: Size, other: Other, metric: Metric, shared: dict[str, Any], seconds: float = SECONDS
) -> Any | None:
    """The model's default, cut to what the time allows; None where `SECONDS` are too few to learn from.

    Args:
        seconds: at most `SECONDS`; with fewer, no model has less than the epochs that it needs to be asked at all.
    """
    model, config = other.model, suited(zoo_preset(other.model, ""), shared).replace(**other.settings)
    config = config.replace(select_by=select_by_for(metric, config.select_by))
    if model == "classic":
        config = config.replace(hidden_channels=64, num_layers=2, lr=0.01)
    if model == "dir_gnn":
        config = config.replace(hidden_channels=32, num_layers=2, lr=0.03)
    per_epoch = max(epoch_seconds(size, other, config), 1e-9)
    if LEAST * per_epoch > SECONDS:
        return None
    epochs = int(min(MOST, config.epochs, max(LEAST, seconds / per_epoch)))
    return config.replace(epochs=epochs, patience=min(PATIENCE, config.patience))


def epoch_seconds(size: Size, other: Other, config: Any) -> float:
    """CPU time of an epoch, by estimate."""
    if other.model == "label_propagation":  # an epoch is all steps with one α
        return 2.0 * size.edges * max(2, size.classes) * int(config.K) * PASSED_ON_NS * 1e-9
    if other.model == "trees":  # one per class and epoch
        return max(2, size.classes) * size.train * min(1.0, size.columns / 64) * TREE_US * 1e-6
    channels, edges = CHANNELS.get(other.model, 1), 0 if other.model == "mlp" else 2 * size.edges
    return torch_epoch_seconds(size, config, channels, edges)


def note_on(rivals: list[Rival], metric: Metric, own: float) -> str:
    """The best of those ahead, in words, and how to train it; empty if there is none."""
    ahead = [rival for rival in rivals if rival.ahead]
    if not ahead:
        return ""
    best = max(ahead, key=lambda rival: rival.score)
    theirs, ours = (shown(metric, utility(metric, score)) for score in (best.score, own))
    measured = f"{theirs} validation {about(metric).title} in a short training run, against {ours} of LSGNN"
    named = f"{best.other.options} (in Python {best.other.arguments})"
    return f"{best.other.title}: {measured}; train it with {named}, or let a search decide (--model auto)"
