import json
from dataclasses import replace

import numpy as np
import pytest

from lsgnn import Graph, InputError, Splits, stratified_splits, zoo
from lsgnn.cli.diagnose import summary_lines
from lsgnn.errors import TrainingDiverged
from lsgnn.report import diagnose, diagnosis_page, probes
from lsgnn.report.diagnosis import num_steps
from lsgnn.report.probes import probe_splits, run_probes
from lsgnn.report.scoring import Scoring
from tests.fraud import fraud_graph
from tests.graphs import random_graph, two_blocks
from tests.report.graphs import evil_graph, five_nodes

ACCURACY = Scoring("accuracy", "accuracy", 1, None, unbalanced=False)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two splits and a few epochs: what is tested is the protocol, not the scores."""
    monkeypatch.setattr(probes, "NUM_SPLITS", 2)
    monkeypatch.setattr(probes, "MORE_SPLITS", 2)
    monkeypatch.setattr(probes, "TREES_GROWN", 20)
    monkeypatch.setattr(probes, "PATIENCE", 3)
    for module in ("train_lsgnn", "fused"):  # nothing to compile for so small a graph; who imports it keeps it
        monkeypatch.setattr(f"lsgnn.train.{module}.supports", lambda config: False)


def test_probes_score_validation_nodes_and_move_the_bar(quick: None) -> None:
    steps: list[str] = []
    graph = random_graph(n=60)
    found = diagnose(graph, on_step=steps.append)
    assert len(steps) == num_steps(graph)
    models = ["majority", "mlp", "mlp", "sgc", "trees", "trees", "lsgnn", "lsgnn", "lsgnn", "lsgnn"]
    assert [row.model for row in found.probes.rows] == models
    assert all(len(row.scores) == 2 for row in found.probes.rows)
    zoo.get(found.verdict.model).config(**found.verdict.settings)
    json.dumps(found.to_dict(), allow_nan=False)
    assert "Validation accuracy of quick probes" in diagnosis_page(found)
    said = f"2 {found.probes.splits} splits with about {found.probes.validation_nodes} validation nodes"
    assert any(said in line for line in summary_lines(found, "graph.npz"))


def test_scores_do_not_depend_on_how_many_models_train_at_once(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(n=60)
    at_once = diagnose(graph).probes.rows
    monkeypatch.setattr(probes, "SMALL", 0)
    assert diagnose(graph).probes.rows == at_once


def test_a_symmetric_graph_is_probed_in_one_direction(quick: None) -> None:
    found = diagnose(two_blocks(n=60))
    assert [row.settings.get("direction") for row in found.probes.rows if row.model == "lsgnn"] == ["undirected"] * 2
    assert len(found.verdict.sentences) <= 5


def test_test_labels_change_no_score(quick: None) -> None:
    graph = replace(two_blocks(n=60), splits=stratified_splits(two_blocks(n=60).y, num_splits=1))
    split = graph.splits[0]
    other = replace(graph, y=np.where(split.test, 1 - graph.y, graph.y))
    scores = [
        [row.scores for row in run_probes(g, "", [split], ("undirected",), ACCURACY).rows] for g in (graph, other)
    ]
    assert scores[0] == scores[1]


def test_one_split_gets_an_interval_over_nodes(quick: None) -> None:
    graph = replace(two_blocks(n=60), splits=stratified_splits(two_blocks(n=60).y, num_splits=1))
    found = run_probes(graph, "official", [graph.splits[0]], ("undirected",), ACCURACY)
    assert all(row.score.interval is not None for row in found.rows)
    assert "Wilson" in found.interval


def test_one_split_is_enough_where_it_has_1500_validation_nodes() -> None:
    small, large = (Graph(x=np.ones((n, 1)), edge_index=[[0], [1]], y=np.arange(n) % 2) for n in (7_490, 7_500))
    assert [int(split.val.sum()) for split in probe_splits(small)[1]] == [1_498] * 3
    assert [int(split.val.sum()) for split in probe_splits(large)[1]] == [1_500]


def test_without_labels_only_structure(quick: None) -> None:
    found = diagnose(Graph(x=np.eye(4), edge_index=[[0, 1], [1, 2]]))
    assert found.measures == ()
    assert found.likeness is None
    assert "has no labels" in found.probes.not_run
    assert "No node has a label" in diagnosis_page(found)


@pytest.mark.parametrize(
    "graph",
    [
        five_nodes(),
        Graph(x=np.ones((1, 1)), edge_index=np.zeros((2, 0), dtype=np.int64), name="one node"),
        Graph(x=np.ones((6, 1)), edge_index=np.zeros((2, 0), dtype=np.int64), y=[0, 1] * 3, name="no edges"),
        Graph(x=np.zeros((4, 2)), edge_index=[[0, 1], [1, 0]], y=[0, 0, 0, 0], name="one class"),
        Graph(x=np.eye(4), edge_index=[[0, 1, 2, 3], [0, 1, 2, 3]], y=[0, 1, 0, 1], name="self loops only"),
    ],
    ids=lambda g: g.name,
)
def test_odd_graphs_are_described_all_the_same(graph: Graph) -> None:
    found = diagnose(graph, probes=False)
    json.dumps(found.to_dict(), allow_nan=False)
    assert diagnosis_page(found).endswith("</html>")


def test_a_probe_that_diverges_does_not_end_the_diagnosis(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def diverge(*_: object, **__: object) -> None:
        raise TrainingDiverged("no epoch had a finite loss")

    monkeypatch.setattr("lsgnn.zoo.protocol.Model.train", diverge)  # majority, which trains nothing, has its own
    rows = diagnose(two_blocks(n=60)).probes.rows
    assert {row.model: row.scores for row in rows}["mlp"] == (0.0, 0.0)
    assert max(max(row.scores) for row in rows if row.model == "majority") > 0


def test_a_single_feature_is_more_than_its_sign() -> None:
    graph = evil_graph()
    one = Graph(x=graph.x[:, :1] if isinstance(graph.x, np.ndarray) else None, edge_index=graph.edge_index, y=graph.y)
    assert diagnose(one, probes=False).verdict.settings["feature_norm"] == "standard"


def test_same_seed_same_diagnosis() -> None:
    assert diagnose(random_graph(), probes=False).to_dict() == diagnose(random_graph(), probes=False).to_dict()


def test_a_rare_class_is_scored_by_average_precision_and_its_degrees_are_seen(quick: None) -> None:
    graph, _ = fraud_graph(n=3000, edges=12_000, labelled=0.4)
    steps: list[str] = []
    found = diagnose(graph, on_step=steps.append)
    assert len(steps) == num_steps(graph)
    assert found.probes.metric == "average_precision"
    assert found.probes.get("Majority class").score.mean == pytest.approx(4.1, abs=0.1)  # 10 of 245
    assert (
        "2.0 % of the labelled nodes (24) are 'fraud': accuracy would call everybody 'ok'" in found.verdict.sentences[0]
    )
    said = " ".join(found.verdict.sentences)
    assert "Edges help" in said
    assert "add nothing" not in said
    assert found.verdict.command("GRAPH") == "lsgnn fit GRAPH --model trees --set class_weight=balanced"
    page = diagnosis_page(found)
    assert "Validation average precision of quick probes" in page
    assert "validation accuracy" not in page


def test_another_metric_can_be_asked_for(quick: None) -> None:
    graph = replace(two_blocks(n=60), splits=stratified_splits(two_blocks(n=60).y, num_splits=1))
    found = diagnose(graph, metric="roc_auc")
    assert found.probes.get("Majority class").score.mean == 50.0
    assert "resampled" in found.probes.interval
    assert "Scored by ROC AUC (chance 50.0 %)." in found.verdict.sentences[0]
    assert "resampled" not in found.to_dict()["probes"]["rows"][0]
    with pytest.raises(InputError, match="is for two classes, but there are 3"):
        diagnose(random_graph(), metric="average_precision")


def test_validation_nodes_of_one_class_cannot_be_ranked(quick: None) -> None:
    graph = two_blocks(n=60)
    mask = np.arange(60) % 3
    lopsided = replace(graph, splits=Splits(mask == 0, (mask == 1) & (graph.y == 0), mask == 2))
    with pytest.raises(InputError, match="needs both classes"):
        diagnose(lopsided, metric="roc_auc")
