"""Quick probes: a few simple models and LSGNN in each direction, with default settings, scored on validation nodes.

They answer three questions before any tuning: do features help, do edges help, and in which direction. Test nodes are
not read: their labels are hidden from every model, and no score of theirs is computed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsgnn.config import Direction, LSGNNConfig, TrainingConfig
from lsgnn.errors import InputError, LSGNNWarning, TrainingDiverged
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.report.intervals import Estimate, mean_interval, share_interval

NUM_SPLITS = 3  # enough for an interval, and Debian's graph is diagnosed in half a minute
PATIENCE = 40  # epochs without improvement: a probe is a first look, not a record
OnStep = Callable[[str], None]


@dataclass(frozen=True)
class Probe:
    """One model under default settings; scores are validation accuracies in percent, one per split."""

    model: str
    title: str
    settings: dict[str, Any]
    scores: tuple[float, ...]
    accuracy: Estimate


@dataclass(frozen=True)
class Probes:
    """All probes on the same splits; none, with the reason, where the graph does not allow any."""

    splits: str
    num_splits: int
    validation_nodes: int
    interval: str
    rows: tuple[Probe, ...]
    not_run: str = ""

    def get(self, title: str) -> Probe | None:
        return next((row for row in self.rows if row.title == title), None)

    def lsgnn(self, direction: Direction, weights: str = "localsim") -> Probe | None:
        wanted = {"direction": direction, "weights": weights}
        return next((row for row in self.rows if row.model == "lsgnn" and row.settings == wanted), None)

    def gain(self, probe: Probe, over: Probe) -> Estimate:
        """How far `probe` is ahead, in points, paired by split; with a single split, as for two independent shares."""
        if self.num_splits > 1:
            return mean_interval(np.subtract(probe.scores, over.scores).tolist())
        gap, n = probe.accuracy.mean - over.accuracy.mean, max(1, self.validation_nodes)
        variance = sum((p := row.accuracy.mean / 100) * (1 - p) / n for row in (probe, over))
        half = 100 * 1.96 * float(np.sqrt(variance))
        return Estimate(gap, (gap - half, gap + half))


def base_config(graph: Graph, seed: int = 0) -> LSGNNConfig:
    """What `fit` starts from."""
    from lsgnn.runs.defaults import suited_to

    return suited_to(graph, LSGNNConfig(seed=seed, patience=PATIENCE))


def probe_splits(graph: Graph) -> tuple[str, list[Split], list[str]]:
    """The kind of splits, the first few of them, and what to know about them; raises where nothing can be learned."""
    from lsgnn.graph.split_checks import check_split, default_splits

    graph.require_classes()
    # the splits that `fit` would use, so that its test nodes are the ones that stay unread here
    splits = list(default_splits(graph))[:NUM_SPLITS]
    notes: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LSGNNWarning)  # the same words come back as notes
        for split in splits:
            notes += [note for note in check_split(graph, split) if note not in notes]
    return "official" if graph.splits is not None else "stratified 60/20/20", splits, notes


def run_probes(
    graph: Graph,
    kind: str,
    splits: Sequence[Split],
    directions: Sequence[Direction],
    seed: int = 0,
    on_step: OnStep | None = None,
) -> Probes:
    """Trains each probe on each split; the last takes the best direction, with one set of weights for all nodes."""
    from lsgnn import zoo

    hidden = [_without_test_labels(graph, split) for split in splits]
    size = int(np.mean([split.val.sum() for split in splits]))
    base = base_config(graph, seed)

    def probe(model: str, title: str, config: TrainingConfig, settings: dict[str, Any]) -> Probe:
        entry, scores = zoo.get(model), []
        inputs = entry.prepare(hidden[0], config)  # reads no label
        for seen, split in zip(hidden, splits, strict=True):
            try:
                logits = entry.solve(seen, split, config, inputs).logits[split.val]
                scores.append(100 * float((logits.argmax(axis=1) == graph.y[split.val]).mean()))
            except TrainingDiverged:
                scores.append(0.0)  # it has learned nothing, and the others may tell more
            if on_step is not None:
                on_step(title)
        return Probe(model, title, settings, tuple(scores), _accuracy(scores, size))

    def rows() -> Iterator[Probe]:
        yield probe("majority", "Majority class", zoo.get("majority").config(seed=seed), {})
        # one width and scaling for all, so that reading edges is the difference
        same = {s: getattr(base, s) for s in ("seed", "patience", "feature_norm", "hidden_channels")}
        yield probe("mlp", "MLP (features only)", zoo.get("mlp").config(**same), {})
        yield probe("sgc", "SGC (smoothed features)", zoo.get("sgc").config(**same), {})
        tried = []
        for direction in directions:
            settings = {"direction": direction, "weights": "localsim"}
            tried.append(probe("lsgnn", f"LSGNN, {direction}", base.replace(**settings), settings))
            yield tried[-1]
        best = max(tried, key=lambda row: row.accuracy.mean).settings["direction"]
        settings = {"direction": best, "weights": "graph"}
        yield probe("lsgnn", f"LSGNN, {best}, same weights for all nodes", base.replace(**settings), settings)

    interval = "t interval over splits" if len(splits) > 1 else "Wilson interval over validation nodes"
    return Probes(kind, len(splits), size, interval, tuple(rows()))


def no_probes(reason: str) -> Probes:
    return Probes(splits="", num_splits=0, validation_nodes=0, interval="", rows=(), not_run=reason)


def num_probe_steps(graph: Graph, directions: Sequence[Direction]) -> int:
    """How often `run_probes` calls `on_step`; 0 where it cannot run."""
    try:
        return (4 + len(directions)) * len(probe_splits(graph)[1])
    except InputError:
        return 0


def _without_test_labels(graph: Graph, split: Split) -> Graph:
    y = split.visible(graph.y)
    return replace(graph, y=y, splits=None)


def _accuracy(scores: Sequence[float], validation_nodes: int) -> Estimate:
    if len(scores) > 1:
        return mean_interval(scores)
    share = share_interval(scores[0] / 100 * validation_nodes, validation_nodes)
    return Estimate(scores[0], (100 * share.low, 100 * share.high))
