"""`diagnose`: what graph is this? Graph in, a `Diagnosis` of plain numbers and a verdict in words out.

Everything that reads labels reads labelled nodes only; test nodes of the splits enter descriptions (homophily, class
counts) but no score and no choice of settings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lsgnn.config import Direction
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.report.composition import Classes, FeatureFill, classes_of, feature_fill
from lsgnn.report.homophily_vs_chance import Measure, homophily_vs_chance
from lsgnn.report.neighbourhoods import Neighbourhood, NodeLikeness, neighbourhoods, node_likeness
from lsgnn.report.probes import OnStep, Probes, base_config, no_probes, num_probe_steps, probe_splits, run_probes
from lsgnn.report.scoring import Scoring, scoring_of
from lsgnn.report.structure import Structure, structure_of
from lsgnn.report.twins import Twins, twins_of
from lsgnn.report.verdict import Verdict, verdict_of
from lsgnn.train.metrics import Metric


@dataclass(frozen=True)
class Diagnosis:
    """All that was found out about a graph; `measures` is empty and `likeness` None where no node has a label."""

    graph: str
    seed: int
    verdict: Verdict
    scoring: Scoring | None
    measures: tuple[Measure, ...]
    likeness: NodeLikeness | None
    neighbourhoods: tuple[Neighbourhood, ...]
    structure: Structure
    twins: tuple[Twins, ...]
    classes: Classes
    features: FeatureFill
    probes: Probes
    notes: tuple[str, ...]
    columns: tuple[dict[str, Any], ...] = ()  # what the columns of a table were taken for

    def to_dict(self) -> dict[str, Any]:
        """One JSON document; what is not defined is null."""
        plain: dict[str, Any] = _plain(asdict(self))
        for row in plain["probes"]["rows"]:
            del row["resampled"]  # hundreds of numbers that the interval sums up
        for written, twins in zip(plain["twins"], self.twins, strict=True):
            written["leaks"] = twins.leaks
        return plain


def diagnose(
    graph: Any,
    *,
    metric: Metric | None = None,
    probes: bool = True,
    seed: int = 0,
    on_step: OnStep | None = None,
) -> Diagnosis:
    """Measures a graph, probes it with a few quick models and says in words what to make of it.

    Args:
        graph: anything `lsgnn.as_graph` understands; labels, splits and edges may be missing.
        metric: what models are scored by; by default what is published for a dataset, else accuracy, unless one class
            holds over 90 % of the labels: then average precision of the rare class (of several, balanced accuracy).
        probes: False leaves out the training runs (seconds to a minute on graphs of thousands of nodes).
        seed: of the shuffled labels and of the training runs.
        on_step: called with a word on what was done, `num_steps` times in all.
    """
    graph = as_graph(graph)
    step: OnStep = on_step or (lambda _: None)
    structure = structure_of(graph)
    directions = directions_of(structure)
    step("structure")
    kind, splits, notes, reason = _splits(graph)
    scoring, why = _scoring(graph, splits, metric)
    config = base_config(graph, seed, scoring is not None and scoring.unbalanced)
    labelled = bool(graph.labelled.any())
    measures = homophily_vs_chance(graph, seed) if labelled else ()
    likeness = node_likeness(graph, config) if labelled else None
    around = neighbourhoods(graph, directions, config)
    step("homophily")
    twins, classes = twins_of(graph, splits), classes_of(graph)
    step("twins")
    if probes and splits and scoring is not None:
        tried = run_probes(graph, kind, splits, directions, scoring, seed, step)
    else:
        tried = no_probes(reason or "probes were switched off")
    return Diagnosis(
        graph=graph.name,
        seed=seed,
        verdict=verdict_of(measures, likeness, around, twins, tried, config, classes, scoring),
        scoring=scoring,
        measures=measures,
        likeness=likeness,
        neighbourhoods=around,
        structure=structure,
        twins=twins,
        classes=classes,
        features=feature_fill(graph),
        probes=tried,
        notes=(*graph.notes, *notes, *why),
        columns=() if graph.columns is None else tuple(graph.columns.rows()),
    )


def num_steps(graph: Graph, probes: bool = True) -> int:
    """How often `diagnose` calls `on_step`."""
    return 3 + (num_probe_steps(graph, directions_of(structure_of(graph))) if probes else 0)


def directions_of(structure: Structure) -> tuple[Direction, ...]:
    """The directions that differ: only one where every edge has its reverse."""
    return ("undirected",) if structure.symmetric else ("undirected", "out", "in")


def _splits(graph: Graph) -> tuple[str, list[Split], list[str], str]:
    """Kind, splits and notes; or no split and the reason why models cannot be tried."""
    try:
        return *probe_splits(graph), ""
    except InputError as error:
        return "", [], [], str(error)


def _scoring(graph: Graph, splits: Sequence[Split], metric: Metric | None) -> tuple[Scoring | None, list[str]]:
    """As `fit` scores, by the labels that training may see, and a note on why; None where there is no label."""
    from lsgnn.runs.defaults import chosen_metric

    if not splits:
        return (scoring_of(graph.y, graph.class_names, "accuracy") if graph.labelled.any() else None), []
    chosen, why = chosen_metric(graph, splits, metric)
    return scoring_of(splits[0].visible(graph.y), graph.class_names, chosen), why


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
