"""From numbers to words: rules that say what a graph is like, what to beware of, and which settings to start with.

Every sentence comes from one rule and quotes the number it rests on; thresholds stand at the top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lsgnn.config import Direction, LSGNNConfig
from lsgnn.report.homophily_vs_chance import Measure
from lsgnn.report.neighbourhoods import Neighbourhood, NodeLikeness
from lsgnn.report.probes import Probe, Probes
from lsgnn.report.twins import Twins

STRONG, CLEAR = 0.5, 0.1  # adjusted homophily from which neighbours are "strongly", "somewhat" alike
INFORMATIVE = 0.1  # label informativeness from which unlike neighbours still help
MIXED = 0.2  # share of nodes on either side that makes a graph a mixture
TELLING = 0.2  # rank correlation from which LocalSim tells one kind of node from the other
WORTH_IT = 0.5  # points of accuracy below which a difference is not worth a setting


@dataclass(frozen=True)
class Verdict:
    """Sentences for people, the settings to start with, and warnings that must not be overlooked."""

    sentences: tuple[str, ...]
    settings: dict[str, Any]
    warnings: tuple[str, ...]


def verdict_of(
    measures: Sequence[Measure],
    likeness: NodeLikeness | None,
    neighbourhoods: Sequence[Neighbourhood],
    twins: Sequence[Twins],
    probes: Probes,
    base: LSGNNConfig,
) -> Verdict:
    settings = suggested_settings(probes, base)
    if likeness is None:
        sentences = ["No node has a label, so only the structure can be described: label some nodes to learn more."]
        return Verdict(tuple(sentences), settings, ())
    correlation = next((n.localsim_correlation for n in neighbourhoods if n.direction == "undirected"), float("nan"))
    sentences = [_alike(measures), _mixture(likeness, correlation), _features(probes), _edges(probes, settings)]
    sentences.append(_direction(probes, settings))
    return Verdict(tuple(s for s in sentences if s), settings, tuple(map(_leak, (t for t in twins if t.leaks))))


def suggested_settings(probes: Probes, base: LSGNNConfig) -> dict[str, Any]:
    """Direction and weights, and what the features ask for; the default wins unless a probe is surely better."""
    default = LSGNNConfig()
    settings: dict[str, Any] = {"direction": "undirected", "weights": "localsim"}
    settings |= {s: getattr(base, s) for s in ("feature_norm", "similarity") if getattr(base, s) != getattr(default, s)}
    undirected = probes.lsgnn("undirected")
    if undirected is None:
        return settings
    tried = [row for row in probes.rows if row.model == "lsgnn" and row.settings["weights"] == "localsim"]
    best = max(tried, key=lambda row: row.accuracy.mean)
    if _surely_better(probes, best, undirected):
        settings["direction"] = best.settings["direction"]
    local, same = (probes.lsgnn(settings["direction"], weights) for weights in ("localsim", "graph"))
    if local is not None and same is not None and _surely_better(probes, same, local):
        settings["weights"] = "graph"
    return settings


def _surely_better(probes: Probes, probe: Probe, than: Probe) -> bool:
    gain = probes.gain(probe, than)
    return gain.mean >= WORTH_IT and gain.low > 0


def _alike(measures: Sequence[Measure]) -> str:
    by_name = {measure.name: measure for measure in measures}
    edge, adjusted, informative = (by_name[name] for name in ("edge", "adjusted", "label_informativeness"))
    if edge.value != edge.value:
        return "No edge joins two labelled nodes, so nothing can be said about how alike neighbours are."
    # what class sizes and degrees alone give: the chance that `adjusted` corrects for
    chance = (edge.value - adjusted.value) / (1 - adjusted.value) if adjusted.value < 1 else edge.chance
    numbers = f"{100 * edge.value:.0f} % of edges join equal classes, {100 * chance:.0f} % would by chance"
    if not adjusted.beyond_chance and not informative.beyond_chance:
        return f"Neighbours are no more alike than chance ({numbers})."
    if adjusted.value >= STRONG:
        return f"Neighbours are strongly alike ({numbers})."
    if adjusted.value >= CLEAR:
        return f"Neighbours are somewhat alike ({numbers})."
    kind = "less alike than chance" if adjusted.value < adjusted.chance_low else "hardly more alike than chance"
    if informative.value >= INFORMATIVE:
        return f"Neighbours are {kind} ({numbers}), yet a neighbour's class tells something about one's own."
    return f"Neighbours are {kind} ({numbers}), and a neighbour's class tells little about one's own."


def _mixture(likeness: NodeLikeness, correlation: float) -> str:
    alike, unlike = likeness.mostly_alike, likeness.mostly_unlike
    if not (alike >= MIXED and unlike >= MIXED):
        return ""
    numbers = (
        f"{100 * alike:.0f} % of nodes live mostly among their own class and {100 * unlike:.0f} % mostly among others"
    )
    if correlation >= TELLING:
        return f"It is a mixture: {numbers}; LocalSim tells which is which (rank correlation {correlation:.2f})."
    return (
        f"It is a mixture: {numbers}; LocalSim alone does not tell which is which (rank correlation {correlation:.2f})."
    )


def _features(probes: Probes) -> str:
    majority, mlp = probes.get("Majority class"), probes.get("MLP (features only)")
    if majority is None or mlp is None:
        return ""
    gain = probes.gain(mlp, majority)
    if gain.low > 0:
        return f"Features alone help: an MLP is {gain.mean:.1f} points above the majority class."
    return f"Features alone do not help: an MLP is {gain.mean:+.1f} points from the majority class."


def _edges(probes: Probes, settings: dict[str, Any]) -> str:
    lsgnn, mlp = probes.lsgnn(settings["direction"]), probes.get("MLP (features only)")
    if lsgnn is None or mlp is None:
        return ""
    sgc = probes.get("SGC (smoothed features)")
    numbers = f"LSGNN {lsgnn.accuracy.mean:.1f} %, MLP {mlp.accuracy.mean:.1f} % of validation nodes"
    if sgc is not None and _surely_better(probes, sgc, lsgnn) and _surely_better(probes, sgc, mlp):
        return f"Edges help, and plain smoothing (SGC, {sgc.accuracy.mean:.1f} %) does better than both: {numbers}."
    if probes.gain(lsgnn, mlp).low > 0:
        return f"Edges help: {numbers}."
    return f"Edges add nothing that can be measured here ({numbers}): prefer the simpler model until tuning disagrees."


def _direction(probes: Probes, settings: dict[str, Any]) -> str:
    tried = [row for row in probes.rows if row.model == "lsgnn" and row.settings["weights"] == "localsim"]
    if len(tried) < 2:
        return ""
    scores = ", ".join(f"{row.settings['direction']} {row.accuracy.mean:.1f} %" for row in tried)
    direction: Direction = settings["direction"]
    if direction == "undirected":
        return f"No single direction is surely better than reading edges both ways ({scores})."
    return f"Direction matters: read {direction}-neighbours ({scores})."


def _leak(twins: Twins) -> str:
    return (
        f"Possible label leakage: {100 * twins.share_with_twin:.0f} % of nodes have a twin with the same {twins.kind}; "
        f"copying the label of a training twin, without learning, is right for {twins.lookup_accuracy:.0f} % of "
        f"validation nodes (majority class {twins.majority_accuracy:.0f} %): remove duplicates before trusting scores."
    )
