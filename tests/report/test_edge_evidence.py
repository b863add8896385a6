import pytest

from lsgnn.report.edge_evidence import edges_sentence, surely_better
from lsgnn.report.intervals import mean_interval, percentile_interval
from lsgnn.report.probes import DEGREES, FEATURES, SMOOTHED, TREES, TREES_ALONE, Probe, Probes
from lsgnn.train.metrics import Metric

SETTINGS = {"direction": "undirected", "weights": "localsim"}
TITLES = {"mlp": FEATURES, "degrees": DEGREES, "sgc": SMOOTHED, "trees": TREES, "trees_alone": TREES_ALONE}


def probes(metric: Metric = "average_precision", **scores: list[float]) -> Probes:
    rows = [
        Probe(name, TITLES.get(name, name), SETTINGS if name == "lsgnn" else {}, tuple(values), mean_interval(values))
        for name, values in scores.items()
    ]
    return Probes("stratified", 3, 100, "", tuple(rows), metric=metric)


LOW, HIGH, UNSURE = [10.0, 11.0, 10.0], [80.0, 81.0, 80.0], [10.0, 70.0, 20.0]


@pytest.mark.parametrize(
    ("lsgnn", "degrees", "expected"),
    [
        (HIGH, HIGH, "Edges help: neighbours do, and so do degrees"),
        (LOW, HIGH, "tell its class; neighbours' features do not"),
        (UNSURE, HIGH, "tell its class; neighbours' features perhaps, too"),
        (HIGH, LOW, "Edges help: neighbours do, degrees alone do not"),
        (LOW, UNSURE, "Edges may help (degrees), but the validation nodes are too few to be sure"),
        (LOW, LOW, "Edges add nothing that can be measured here, neither neighbours nor degrees"),
    ],
)
def test_which_of_the_two_helps(lsgnn: list[float], degrees: list[float], expected: str) -> None:
    sentence = edges_sentence(probes(mlp=LOW, lsgnn=lsgnn, degrees=degrees), SETTINGS)
    assert expected in sentence
    assert "validation average precision: MLP on the features 10.3 %" in sentence


def test_edges_are_not_dismissed_where_degrees_were_not_asked_about() -> None:
    sentence = edges_sentence(probes(mlp=LOW, lsgnn=LOW), SETTINGS)
    assert "Neighbours add nothing" in sentence
    assert "Edges add nothing" not in sentence


def test_plain_smoothing_and_trees_count_as_well() -> None:
    smooth = edges_sentence(probes(mlp=LOW, lsgnn=LOW, degrees=LOW, sgc=HIGH), SETTINGS)
    assert "Edges help: neighbours do" in smooth
    assert "SGC 80.3 %" in smooth
    grown = edges_sentence(probes(mlp=LOW, lsgnn=LOW, degrees=LOW, trees=HIGH, trees_alone=LOW), SETTINGS)
    assert "Edges help boosted trees" in grown
    assert "with them 80.3 %, without 10.3 %" in grown


def test_of_a_loss_the_lower_is_better() -> None:
    low, high = [0.1, 0.11, 0.1], [0.9, 0.91, 0.9]
    found = probes("log_loss", mlp=high, lsgnn=low)
    mlp, lsgnn = found.rows
    assert found.gain(lsgnn, mlp).mean == pytest.approx(0.8)
    assert surely_better(found, lsgnn, mlp)
    assert found.best([mlp, lsgnn]) is lsgnn


def test_one_split_is_paired_by_resampled_nodes() -> None:
    a = Probe("mlp", FEATURES, {}, (50.0,), percentile_interval(50.0, [50.0] * 200), (40.0, 60.0) * 100)
    b = Probe("lsgnn", "lsgnn", SETTINGS, (55.0,), percentile_interval(55.0, [55.0] * 200), (45.0, 65.0) * 100)
    found = Probes("official", 1, 100, "", (a, b), metric="average_precision")
    assert found.gain(b, a).interval == (5.0, 5.0)
