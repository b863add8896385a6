"""Quick probes: a few simple models and LSGNN in each direction, with default settings, scored on validation nodes.

They answer four questions before any tuning: do features help, do a node's degrees, do its neighbours, and in which
direction. Degrees are asked about apart, because models that take means over neighbours do not see them. Test nodes
are not read: their labels are hidden from every model, and no score of theirs is computed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import ClassWeight, Direction, LSGNNConfig, TrainingConfig
from lsgnn.errors import InputError, LSGNNWarning, TrainingDiverged
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.report.graph_variants import labelled_rows, labelled_table, without_edges
from lsgnn.report.intervals import Estimate, mean_interval, percentile_interval, resampled_scores, share_interval
from lsgnn.report.scoring import Scoring
from lsgnn.train.metrics import UNBALANCED, Metric, about, displayed, largest_share, measure, utility, worst

if TYPE_CHECKING:
    from lsgnn.train.trained import Trained
    from lsgnn.zoo.prepared import Prepared
    from lsgnn.zoo.protocol import Model

NUM_SPLITS = (
    3  # enough for an interval; one where a single split has `ENOUGH` validation nodes for an interval over them
)
MORE_SPLITS = 5  # where a class is rare: a handful of its nodes validates each split
PATIENCE = 40  # epochs without improvement: a probe is a first look, not a record
SMALL = 5_000_000  # stored features and edges of a graph on which several models train at once without crowding memory
TREES_GROWN = 40  # at most, of each boosting: the first ones tell
FEATURES, DEGREES = "MLP (features only)", "MLP (features and degrees)"
SMOOTHED = "SGC (smoothed features)"
TREES_ALONE, TREES = "Boosted trees (features only)", "Boosted trees (features, neighbours, degrees)"
ONE_SPLIT = ("interval of resampled validation nodes", "Wilson interval over validation nodes")
OnStep = Callable[[str], None]
Begun: TypeAlias = "tuple[Prepared, list[Trained | None]]"  # a training run for each split


@dataclass(frozen=True)
class Probe:
    """One model under default settings; scores are of validation nodes, one per split, in percent (but a log loss).

    `resampled` are the scores of resampled validation nodes, where there is one split and the metric is no share.
    """

    model: str
    title: str
    settings: dict[str, Any]
    scores: tuple[float, ...]
    score: Estimate
    resampled: tuple[float, ...] = ()


@dataclass(frozen=True)
class Probes:
    """All probes on the same splits; none, with the reason, where the graph does not allow any."""

    splits: str
    num_splits: int
    validation_nodes: int
    interval: str
    rows: tuple[Probe, ...]
    not_run: str = ""
    metric: Metric = "accuracy"

    def get(self, title: str) -> Probe | None:
        return next((row for row in self.rows if row.title == title), None)

    def lsgnn(self, direction: Direction, weights: str = "localsim") -> Probe | None:
        wanted = {"direction": direction, "weights": weights}
        return next((row for row in self.rows if row.model == "lsgnn" and row.settings == wanted), None)

    def best(self, rows: Sequence[Probe]) -> Probe:
        return max(rows, key=lambda row: utility(self.metric, row.score.mean))

    def gain(self, probe: Probe, over: Probe) -> Estimate:
        """How far `probe` is ahead, in points, paired by split; with one split by nodes, resampled or as shares."""
        if self.num_splits > 1:
            return mean_interval([utility(self.metric, a - b) for a, b in zip(probe.scores, over.scores, strict=True)])
        gap = utility(self.metric, probe.score.mean - over.score.mean)
        if self.metric != "accuracy":
            pairs = zip(probe.resampled, over.resampled, strict=True)
            return percentile_interval(gap, [utility(self.metric, a - b) for a, b in pairs])
        n = max(1, self.validation_nodes)
        variance = sum((p := row.score.mean / 100) * (1 - p) / n for row in (probe, over))
        half = 100 * 1.96 * float(np.sqrt(variance))
        return Estimate(gap, (gap - half, gap + half))


def base_config(graph: Graph, seed: int = 0, unbalanced: bool = False) -> LSGNNConfig:
    """What `fit` starts from; where one class is nearly all, the classes count the same in the loss."""
    from lsgnn.runs.defaults import suited_to

    weight: ClassWeight = "balanced" if unbalanced else "none"
    config: LSGNNConfig = suited_to(graph, LSGNNConfig(seed=seed, patience=PATIENCE, class_weight=weight))
    return config


def probe_splits(graph: Graph) -> tuple[str, list[Split], list[str]]:
    """The kind of splits, the first few of them, and what to know about them; raises where nothing can be learned."""
    from lsgnn.graph.split_checks import check_split, default_splits
    from lsgnn.runs.judges import ENOUGH

    graph.require_classes()
    # the splits that `fit` would use, so that its test nodes are the ones that stay unread here
    splits = list(default_splits(graph))
    usual = NUM_SPLITS if splits[0].val.sum() < ENOUGH else 1
    splits = splits[: MORE_SPLITS if _unbalanced(graph, splits[0]) else usual]
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
    scoring: Scoring,
    seed: int = 0,
    on_step: OnStep | None = None,
) -> Probes:
    """Trains each probe on each split; the last takes the best direction, with one set of weights for all nodes."""
    from lsgnn import zoo
    from lsgnn.zoo.jobs import quick_logits

    metric, base = scoring.metric, base_config(graph, seed, scoring.unbalanced)
    size = int(np.mean([split.val.sum() for split in splits]))
    # one width and scaling for all, so that reading edges is the difference
    learning: dict[str, Any] = {"seed": seed, "class_weight": base.class_weight}
    if metric != "accuracy":
        learning["select_by"] = "val_loss"  # the best of many epochs by a few rare nodes would flatter every model
    same = learning | {s: getattr(base, s) for s in ("patience", "feature_norm", "hidden_channels")}

    def probe(
        model: str,
        title: str,
        config: TrainingConfig,
        settings: dict[str, Any],
        on: Graph = graph,
        begun: Future[Begun] | None = None,
    ) -> Probe:
        entry = zoo.get(model)
        parts = [split if on.num_nodes == graph.num_nodes else labelled_rows(graph, split) for split in splits]
        scores, resampled = list[float](), list[float]()
        prepared, found = _begun(on, entry, config, parts) if begun is None else begun.result()
        for part, trained in zip(parts, found, strict=True):
            if trained is None:  # it has learned nothing, and the others may tell more
                scores.append(displayed(metric, utility(metric, worst(metric))))
            else:
                logits, y = quick_logits(prepared, entry, config, trained)[part.val], on.y[part.val]
                scores.append(displayed(metric, measure(metric, logits, y, scoring.positive)))
                if len(splits) == 1 and metric != "accuracy":
                    resampled = [displayed(metric, score) for score in _resampled(scoring, logits, y)]
            if on_step is not None:
                on_step(title)
        estimate = _estimate(metric, scores, resampled, size)
        return Probe(model, title, settings, tuple(scores), estimate, tuple(resampled))

    ways = [{"direction": direction, "weights": "localsim"} for direction in directions]

    def rows(lsgnn: Sequence[Future[Begun]]) -> Iterator[Probe]:
        yield probe("majority", "Majority class", zoo.get("majority").config(seed=seed), {})
        alone = zoo.get("mlp").config(**same | {"feature_norm": "none"})  # the table is scaled already
        for title, degrees in ((FEATURES, False), (DEGREES, True)):
            table = labelled_table(graph, base.feature_norm, degrees)
            yield probe("mlp", title, alone, {"degrees": degrees}, table)
        yield probe("sgc", SMOOTHED, zoo.get("sgc").config(**same), {})
        if probes_trees(graph, scoring.unbalanced):
            config = zoo.get("trees").config(epochs=TREES_GROWN, **learning)
            yield probe("trees", TREES_ALONE, config, {"edges": False}, without_edges(graph))
            yield probe("trees", TREES, config, {})
        tried = []
        for settings, begun in zip(ways, lsgnn, strict=True):
            title = f"LSGNN, {settings['direction']}"
            tried.append(probe("lsgnn", title, base.replace(**settings), settings, begun=begun))
            yield tried[-1]
        best = max(tried, key=lambda row: utility(metric, row.score.mean)).settings["direction"]
        settings = {"direction": best, "weights": "graph"}
        yield probe("lsgnn", f"LSGNN, {best}, same weights for all nodes", base.replace(**settings), settings)

    interval = "t interval over splits" if len(splits) > 1 else ONE_SPLIT[metric == "accuracy"]
    with _beside(graph, [base.replace(**settings) for settings in ways], splits) as lsgnn:
        return Probes(kind, len(splits), size, interval, tuple(rows(lsgnn)), metric=metric)


def no_probes(reason: str) -> Probes:
    return Probes(splits="", num_splits=0, validation_nodes=0, interval="", rows=(), not_run=reason)


def probes_trees(graph: Graph, unbalanced: bool) -> bool:
    """Trees are for tables someone made by hand (words and embeddings take them long), and wherever a class is rare."""
    from lsgnn import zoo

    return unbalanced or bool(graph.num_features <= zoo.get("trees").config().max_columns)


def num_probe_steps(graph: Graph, directions: Sequence[Direction]) -> int:
    """How often `run_probes` calls `on_step`; 0 where it cannot run."""
    try:
        splits = probe_splits(graph)[1]
    except InputError:
        return 0
    trees = 2 if probes_trees(graph, _unbalanced(graph, splits[0])) else 0
    return (5 + trees + len(directions)) * len(splits)


def _unbalanced(graph: Graph, split: Split) -> bool:
    return largest_share(split.visible(graph.y))[1] > UNBALANCED


@contextmanager
def _beside(graph: Graph, configs: Sequence[LSGNNConfig], splits: Sequence[Split]) -> Iterator[list[Future[Begun]]]:
    """LSGNN with each of the configurations on each split, while the caller trains torch's models: these keep one core
    busy, and so does each of ours. All at once where they are small: a run draws its first weights before it trains,
    and waits for a model of torch that is at work then, because torch has one random stream. No result depends on it.
    """
    from lsgnn import zoo

    numbers = graph.x.size if isinstance(graph.x, np.ndarray) else graph.x.nnz
    workers = len(configs) if numbers + graph.num_edges <= SMALL else 1
    pool = ThreadPoolExecutor(max_workers=max(1, workers))
    try:
        yield [pool.submit(_begun, graph, zoo.get("lsgnn"), config, splits, 1) for config in configs]
    except BaseException as error:  # what has begun is finished, unless it was Ctrl-C; nothing else begins
        pool.shutdown(wait=not isinstance(error, KeyboardInterrupt), cancel_futures=True)
        raise
    pool.shutdown()


def _begun(
    graph: Graph, model: Model[Any], config: TrainingConfig, splits: Sequence[Split], threads: int | None = None
) -> Begun:
    """Prepares the graph and trains on each split."""
    from lsgnn.zoo.prepared import Prepared

    prepared = Prepared(graph)
    return prepared, _trained(prepared, model, config, splits, threads)


def _trained(
    prepared: Prepared, model: Model[Any], config: TrainingConfig, splits: Sequence[Split], threads: int | None = None
) -> list[Trained | None]:
    """One training run on each split, side by side where the model can; None where it diverges."""
    from lsgnn.zoo.jobs import Job, train_many

    jobs = [Job(model, config, split) for split in splits]
    try:
        return [*train_many(prepared, jobs, threads=threads)]
    except TrainingDiverged:
        return [None] if len(jobs) == 1 else [_trained(prepared, model, config, [s], threads)[0] for s in splits]


def _resampled(scoring: Scoring, logits: NDArray[np.floating], y: NDArray[np.int64]) -> list[float]:
    return resampled_scores(lambda rows: measure(scoring.metric, logits[rows], y[rows], scoring.positive), len(y))


def _estimate(metric: Metric, scores: Sequence[float], resampled: Sequence[float], validation_nodes: int) -> Estimate:
    if len(scores) > 1:
        found = mean_interval(scores)
        bounded = about(metric).percent and found.interval is not None
        return Estimate(found.mean, (max(0.0, found.low), min(100.0, found.high))) if bounded else found
    if metric != "accuracy":
        return percentile_interval(scores[0], resampled)
    share = share_interval(scores[0] / 100 * validation_nodes, validation_nodes)
    return Estimate(scores[0], (100 * share.low, 100 * share.high))
