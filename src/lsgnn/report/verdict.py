"""From numbers to words: rules that say what a graph is like, what to beware of, and which settings to start with.

Every sentence comes from one rule and quotes the number it rests on; thresholds stand at the top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lsgnn.config import Direction, LSGNNConfig
from lsgnn.report.composition import Classes
from lsgnn.report.edge_evidence import degrees_help, edges_sentence, help_of, surely_better, told
from lsgnn.report.homophily_vs_chance import Measure
from lsgnn.report.neighbourhoods import Neighbourhood, NodeLikeness
from lsgnn.report.probes import FEATURES, TREES, Probe, Probes
from lsgnn.report.scoring import Scoring, brief
from lsgnn.report.twins import Twins

STRONG, CLEAR = 0.5, 0.1  # adjusted homophily from which neighbours are "strongly", "somewhat" alike
INFORMATIVE = 0.1  # label informativeness from which unlike neighbours still help
MIXED = 0.2  # share of nodes on either side that makes a graph a mixture
TELLING = 0.2  # rank correlation from which LocalSim tells one kind of node from the other


@dataclass(frozen=True)
class Verdict:
    """Sentences for people, the model and settings to start with, and warnings that must not be overlooked."""

    sentences: tuple[str, ...]
    model: str
    settings: dict[str, Any]
    warnings: tuple[str, ...]

    def command(self, graph: str, tried: bool = True) -> str:
        """What to run next; `fit` tries for itself what was not `tried` here."""
        untried = () if tried else ("direction", "weights")
        chosen = [f"--set {name}={value}" for name, value in self.settings.items() if name not in untried]
        model = [] if self.model == "lsgnn" else [f"--model {self.model}"]
        return " ".join(["lsgnn fit", graph, *model, *chosen])


def verdict_of(
    measures: Sequence[Measure],
    likeness: NodeLikeness | None,
    neighbourhoods: Sequence[Neighbourhood],
    twins: Sequence[Twins],
    probes: Probes,
    base: LSGNNConfig,
    classes: Classes,
    scoring: Scoring | None,
) -> Verdict:
    settings = suggested_settings(probes, base)
    if likeness is None or scoring is None:
        sentences = ["No node has a label, so only the structure can be described: label some nodes to learn more."]
        return Verdict(tuple(sentences), "lsgnn", settings, ())
    correlation = next((n.localsim_correlation for n in neighbourhoods if n.direction == "undirected"), float("nan"))
    model = suggested_model(probes, settings)
    sentences = [_balance(classes, scoring), _alike(measures), _mixture(likeness, correlation)]
    sentences += [_features(probes), edges_sentence(probes, settings), _direction(probes, settings)]
    sentences.append(_model(probes, model))
    if model == "lsgnn" and degrees_help(probes) == "surely" and hasattr(base, "structure_features"):
        settings["structure_features"] = "degrees"
    kept = {"class_weight": base.class_weight} if scoring.unbalanced else {}
    return Verdict(
        tuple(s for s in sentences if s),
        model,
        (settings if model == "lsgnn" else {}) | kept,
        tuple(map(_leak, (t for t in twins if t.leaks))),
    )


def suggested_settings(probes: Probes, base: LSGNNConfig) -> dict[str, Any]:
    """Direction and weights, and what the features ask for; the default wins unless a probe is surely better."""
    default = LSGNNConfig()
    settings: dict[str, Any] = {"direction": "undirected", "weights": "localsim"}
    settings |= {s: getattr(base, s) for s in ("feature_norm", "similarity") if getattr(base, s) != getattr(default, s)}
    undirected = probes.lsgnn("undirected")
    if undirected is None:
        return settings
    best = probes.best(_directions(probes))
    if surely_better(probes, best, undirected):
        settings["direction"] = best.settings["direction"]
    local, same = (probes.lsgnn(settings["direction"], weights) for weights in ("localsim", "graph"))
    if local is not None and same is not None and surely_better(probes, same, local):
        settings["weights"] = "graph"
    return settings


def suggested_model(probes: Probes, settings: dict[str, Any]) -> str:
    """Trees where they are surely ahead of LSGNN; so many models are compared that a likely lead is not enough."""
    lsgnn, trees = probes.lsgnn(settings["direction"], settings["weights"]), probes.get(TREES)
    return "trees" if lsgnn is not None and trees is not None and surely_better(probes, trees, lsgnn) else "lsgnn"


def _directions(probes: Probes) -> list[Probe]:
    return [row for row in probes.rows if row.model == "lsgnn" and row.settings["weights"] == "localsim"]


def _balance(classes: Classes, scoring: Scoring) -> str:
    """What the table is, where one class is nearly all; else nothing, unless another metric than accuracy is used."""
    chance = "" if scoring.chance is None else f" (chance {brief(scoring.metric, scoring.chance)})"
    by = f"by {scoring.title}{chance}."
    if not scoring.unbalanced:
        return "" if scoring.metric == "accuracy" else f"Scored {by}"
    largest = classes.names[max(range(len(classes.counts)), key=lambda c: classes.counts[c])]
    if len(classes.names) == 2:
        rare, count = classes.names[scoring.positive], classes.counts[scoring.positive]
        what = f"{100 * count / classes.labelled:.1f} % of the labelled nodes ({count:,}) are {rare!r}"
    else:
        what = f"{100 * classes.majority_share:.1f} % of the labelled nodes are {largest!r}"
    if scoring.metric == "accuracy":
        return f"{what}: accuracy, as asked for, is {100 * classes.majority_share:.1f} % for calling all {largest!r}."
    return f"{what}: accuracy would call everybody {largest!r}; scored {by}"


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
    majority, mlp = probes.get("Majority class"), probes.get(FEATURES)
    if majority is None or mlp is None:
        return ""
    than = "the majority class" if probes.metric == "accuracy" else "chance"
    points = f"{told(probes, mlp)} by an MLP, {told(probes, majority)} by {than}"
    answer = help_of(probes, mlp, majority)
    if answer == "surely":
        return f"Features alone help: {points}."
    if answer == "perhaps":
        return f"Features alone may help, but the validation nodes are too few to be sure: {points}."
    return f"Features alone do not help measurably: {points}."


def _direction(probes: Probes, settings: dict[str, Any]) -> str:
    tried = _directions(probes)
    if len(tried) < 2:
        return ""
    scores = ", ".join(f"{row.settings['direction']} {told(probes, row)}" for row in tried)
    direction: Direction = settings["direction"]
    if direction == "undirected":
        return f"For LSGNN no single direction is surely better than reading edges both ways ({scores})."
    return f"Direction matters: read {direction}-neighbours ({scores})."


def _model(probes: Probes, model: str) -> str:
    trees = probes.get(TREES)
    if model != "trees" or trees is None:
        return ""
    return f"Start with boosted trees, which read features, neighbours' means and degrees: {told(probes, trees)}."


def _leak(twins: Twins) -> str:
    return (
        f"Possible label leakage: {100 * twins.share_with_twin:.0f} % of nodes have a twin with the same {twins.kind}; "
        f"copying the label of a training twin, without learning, is right for {twins.lookup_accuracy:.0f} % of "
        f"validation nodes (majority class {twins.majority_accuracy:.0f} %): remove duplicates before trusting scores."
    )
