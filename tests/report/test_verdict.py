from dataclasses import replace

import pytest

from lsgnn import LSGNNConfig
from lsgnn.report.bins import Histogram
from lsgnn.report.homophily_vs_chance import DEFINITIONS, Measure
from lsgnn.report.intervals import mean_interval
from lsgnn.report.neighbourhoods import Neighbourhood, NodeLikeness
from lsgnn.report.probes import Probe, Probes, no_probes
from lsgnn.report.twins import Twins
from lsgnn.report.verdict import suggested_settings, verdict_of

LIKENESS = NodeLikeness(
    Histogram((0, 1), (9,)), mostly_alike=0.9, mostly_unlike=0.05, similarity="cosine", homophily_by_localsim=()
)
BOTH = Neighbourhood("undirected", 0, 2.0, 0.5, 0.5, 9, localsim_correlation=0.4)


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
    titles = {"majority": "Majority class", "mlp": "MLP (features only)", "sgc": "SGC (smoothed features)"}
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


def words(found: Probes, measured: list[Measure] | None = None) -> str:
    return " ".join(
        verdict_of(measured or measures(0.8, 0.7, 0.5), LIKENESS, [BOTH], [], found, LSGNNConfig()).sentences
    )


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
    found = verdict_of(measures(0.5, 0.2, 0.1), mixed, [BOTH], [], no_probes(""), LSGNNConfig())
    assert "40 % of nodes live mostly among their own class" in found.sentences[1]
    assert "LocalSim tells which is which (rank correlation 0.40)" in found.sentences[1]


def test_edges_that_do_not_help_are_called_so() -> None:
    found = probes(majority=[30, 31, 30], mlp=[70, 71, 69], lsgnn_undirected=[70, 70.5, 69.5])
    assert "Features alone help: an MLP is 39.7 points above" in words(found)
    assert "Edges add nothing that can be measured" in words(found)


def test_a_simpler_model_that_is_better_is_named() -> None:
    found = probes(mlp=[70, 71, 69], sgc=[90, 91, 89], lsgnn_undirected=[80, 80.5, 79.5])
    assert "plain smoothing (SGC, 90.0 %) does better than both" in words(found)


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
    (warning,) = verdict_of(measures(0.2, 0.0, 0.0), LIKENESS, [BOTH], [leak], no_probes(""), LSGNNConfig()).warnings
    assert "80 % of nodes have a twin" in warning
    assert "72 % of validation nodes" in warning


def test_without_labels_only_structure_is_described() -> None:
    found = verdict_of((), None, [BOTH], [], no_probes(""), LSGNNConfig())
    assert found.sentences == (
        "No node has a label, so only the structure can be described: label some nodes to learn more.",
    )
