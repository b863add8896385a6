"""`diagnose`: what graph is this? Graph in, a `Diagnosis` of plain numbers and a verdict in words out.

Everything that reads labels reads labelled nodes only; test nodes of the splits enter descriptions (homophily, class
counts) but no score and no choice of settings.
"""

from __future__ import annotations

import math
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
from lsgnn.report.structure import Structure, structure_of
from lsgnn.report.twins import Twins, twins_of
from lsgnn.report.verdict import Verdict, verdict_of


@dataclass(frozen=True)
class Diagnosis:
    """All that was found out about a graph; `measures` is empty and `likeness` None where no node has a label."""

    graph: str
    seed: int
    verdict: Verdict
    measures: tuple[Measure, ...]
    likeness: NodeLikeness | None
    neighbourhoods: tuple[Neighbourhood, ...]
    structure: Structure
    twins: tuple[Twins, ...]
    classes: Classes
    features: FeatureFill
    probes: Probes
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """One JSON document; what is not defined is null."""
        plain: dict[str, Any] = _plain(asdict(self))
        for written, twins in zip(plain["twins"], self.twins, strict=True):
            written["leaks"] = twins.leaks
        return plain


def diagnose(graph: Any, *, probes: bool = True, seed: int = 0, on_step: OnStep | None = None) -> Diagnosis:
    """Measures a graph, probes it with a few quick models and says in words what to make of it.

    Args:
        graph: anything `lsgnn.as_graph` understands; labels, splits and edges may be missing.
        probes: False leaves out the training runs (seconds to a minute on graphs of thousands of nodes).
        seed: of the shuffled labels and of the training runs.
        on_step: called with a word on what was done, `num_steps` times in all.
    """
    graph = as_graph(graph)
    step: OnStep = on_step or (lambda _: None)
    structure, config = structure_of(graph), base_config(graph, seed)
    directions = directions_of(structure)
    step("structure")
    kind, splits, notes, reason = _splits(graph)
    labelled = bool(graph.labelled.any())
    measures = homophily_vs_chance(graph, seed) if labelled else ()
    likeness = node_likeness(graph, config) if labelled else None
    around = neighbourhoods(graph, directions, config)
    step("homophily")
    twins = twins_of(graph, splits)
    step("twins")
    if probes and splits:
        tried = run_probes(graph, kind, splits, directions, seed, step)
    else:
        tried = no_probes(reason or "probes were switched off")
    return Diagnosis(
        graph=graph.name,
        seed=seed,
        verdict=verdict_of(measures, likeness, around, twins, tried, config),
        measures=measures,
        likeness=likeness,
        neighbourhoods=around,
        structure=structure,
        twins=twins,
        classes=classes_of(graph),
        features=feature_fill(graph),
        probes=tried,
        notes=(*graph.notes, *notes),
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


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
