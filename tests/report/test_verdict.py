from dataclasses import replace

import pytest

from lsgnn import LSGNNConfig
from lsgnn.report.bins import Histogram
from lsgnn.report.composition import Classes
from lsgnn.report.homophily_vs_chance import DEFINITIONS, Measure
from lsgnn.report.intervals import mean_interval
from lsgnn.report.neighbourhoods import Neighbourhood, NodeLikeness
from lsgnn.report.probes import DEGREES, FEATURES, SMOOTHED, TREES, Probe, Probes, no_probes
from lsgnn.report.scoring import Scoring
from lsgnn.report.twins import Twins
from lsgnn.report.verdict import Verdict, suggested_model, suggested_settings, verdict_of

LIKENESS = NodeLikeness(
    Histogram((0, 1), (9,)), mostly_alike=0.9, mostly_unlike=0.05, similarity="cosine", homophily_by_localsim=()
)
BOTH = Neighbourhood("undirected", 0, 2.0, 0.5, 0.5, 9, localsim_correlation=0.4)
CLASSES = Classes(("ok", "fraud"), (98, 2), 100, 0, 0.98, 49.0, 1.1)
ACCURACY = Scoring("accuracy", "accuracy", 1, None, unbalanced=False)


def measures(edge: float, adjusted: float, informative: float) -> list[Measure]:
    values = {
        "node": edge,
        "edge": edge,
        "class_insensitive": 0.1,
        "adjusted": adjusted,
        "label_informativeness": informative,
    }
    chance = {"node": 0.3, "edge": 0.3}
    return [
        Measure(
            name,
            *DEFINITIONS[name],
            value,
            chance.get(name, 0.0),
            chance.get(name, 0.0) - 0.02,
            chance.get(name, 0.0) + 0.02,
        )
        for name, value in values.items()
    ]


def probes(**scores: list[float]) -> Probes:
    titles = {"majority": "Majority class", "mlp": FEATURES, "degrees": DEGREES, "sgc": SMOOTHED, "trees": TREES}
    rows = []
    for name, values in scores.items():
        model, _, direction = name.partition("_")
        settings = {
            "direction": direction.removesuffix("_graph"),
            "weights": "graph" if name.endswith("graph") else "localsim",
        }
        rows.append(
            Probe(
                model,
                titles.get(name, name),
                settings if model == "lsgnn" else {},
                tuple(values),
                mean_interval(values),
            )
        )
    return Probes("stratified", 3, 100, "", tuple(rows))


def verdict(
    found: Probes,
    measured: list[Measure] | None = None,
    likeness: NodeLikeness | None = LIKENESS,
    twins: list[Twins] | None = None,
    scoring: Scoring | None = ACCURACY,
    base: LSGNNConfig | None = None,
) -> Verdict:
    measured = measures(0.8, 0.7, 0.5) if measured is None else measured
    return verdict_of(measured, likeness, [BOTH], twins or [], found, base or LSGNNConfig(), CLASSES, scoring)


def words(found: Probes, measured: list[Measure] | None = None) -> str:
    return " ".join(verdict(found, measured).sentences)


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        (measures(0.8, 0.7, 0.5), "strongly alike"),
        (measures(0.45, 0.2, 0.1), "somewhat alike"),
        (measures(0.31, 0.01, 0.005), "no more alike than chance"),
        (
            measures(0.1, -0.3, 0.3),
            "less alike than chance (10 % of edges join equal classes, 31 % would by chance), yet",
        ),
        (measures(0.35, 0.06, 0.02), "tells little"),
    ],
)
def test_words_for_homophily(measured: list[Measure], expected: str) -> None:
    assert expected in words(no_probes(""), measured)


def test_a_mixture_is_named_with_what_localsim_knows() -> None:
    mixed = replace(LIKENESS, mostly_alike=0.4, mostly_unlike=0.4)
    found = verdict(no_probes(""), measures(0.5, 0.2, 0.1), mixed)
    assert "40 % of nodes live mostly among their own class" in found.sentences[1]
    assert "LocalSim tells which is which (rank correlation 0.40)" in found.sentences[1]


def test_features_that_help_and_features_that_do_not() -> None:
    useful = probes(majority=[30, 31, 30], mlp=[70, 71, 69])
    useless = probes(majority=[30, 31, 30], mlp=[30, 31, 30.1])
    assert "Features alone help: 70.0 % by an MLP, 30.3 % by the majority class." in words(useful)
    assert "Features alone do not help measurably" in words(useless)


def test_trees_are_suggested_where_they_are_surely_ahead() -> None:
    sure = probes(lsgnn_undirected=[70, 71, 70], trees=[80, 81, 80])
    unsure = probes(lsgnn_undirected=[70, 71, 70], trees=[80, 60, 79])
    default = {"direction": "undirected", "weights": "localsim"}
    assert suggested_model(sure, default) == "trees"
    assert suggested_model(unsure, default) == "lsgnn"
    assert verdict(sure).command("a.npz") == "lsgnn fit a.npz --model trees"
    assert "Start with boosted trees" in words(sure)
    assert verdict(unsure).command("a.npz") == "lsgnn fit a.npz --set direction=undirected --set weights=localsim"


def test_a_rare_class_is_named_with_the_metric_and_its_chance() -> None:
    rare = Scoring("average_precision", "average precision of fraud", 1, 0.02, unbalanced=True)
    found = verdict(no_probes(""), scoring=rare, base=LSGNNConfig(class_weight="balanced"))
    assert found.sentences[0] == (
        "2.0 % of the labelled nodes (2) are 'fraud': accuracy would call everybody 'ok'; "
        "scored by average precision of fraud (chance 2.0 %)."
    )
    assert found.command("GRAPH", tried=False) == "lsgnn fit GRAPH --set class_weight=balanced"
    asked = replace(rare, metric="accuracy", title="accuracy", chance=None)
    assert "98.0 % for calling all 'ok'" in verdict(no_probes(""), scoring=asked).sentences[0]


def test_direction_needs_a_sure_gain() -> None:
    sure = probes(lsgnn_undirected=[70, 71, 70], lsgnn_out=[78, 79, 78], lsgnn_in=[50, 51, 50])
    unsure = probes(lsgnn_undirected=[70, 71, 70], lsgnn_out=[75, 69, 71], lsgnn_in=[50, 51, 50])
    assert suggested_settings(sure, LSGNNConfig()) == {"direction": "out", "weights": "localsim"}
    assert suggested_settings(unsure, LSGNNConfig())["direction"] == "undirected"
    assert "Direction matters: read out-neighbours" in words(sure)


def test_weights_for_the_whole_graph_are_suggested_where_they_are_surely_better() -> None:
    found = probes(lsgnn_undirected=[70, 71, 70], lsgnn_undirected_graph=[73, 74, 73])
    assert suggested_settings(found, LSGNNConfig())["weights"] == "graph"


def test_suggestions_are_settings() -> None:
    base = LSGNNConfig(feature_norm="none", similarity="squared")
    assert LSGNNConfig(**suggested_settings(no_probes(""), base)).similarity == "squared"


def test_leaking_twins_are_a_warning() -> None:
    leak = Twins(
        "out-neighbours",
        80,
        0.8,
        9,
        0.98,
        0.2,
        covered=0.7,
        covered_accuracy=98,
        lookup_accuracy=72,
        majority_accuracy=23,
    )
    (warning,) = verdict(no_probes(""), measures(0.2, 0.0, 0.0), twins=[leak]).warnings
    assert "80 % of nodes have a twin" in warning
    assert "72 % of validation nodes" in warning


def test_without_labels_only_structure_is_described() -> None:
    found = verdict(no_probes(""), [], likeness=None, scoring=None)
    assert found.sentences == (
        "No node has a label, so only the structure can be described: label some nodes to learn more.",
    )
