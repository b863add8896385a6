"""Settings where nobody named any: a table of mixed columns is standardised, a known dataset left as published."""

from dataclasses import replace

import numpy as np
import pytest

import lsgnn
from lsgnn import Graph, LSGNNConfig, zoo
from lsgnn.runs.defaults import draft, note_on_columns, suited_to


@pytest.fixture(scope="module")
def people() -> Graph:
    """Class decides one small column; a large one is noise."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    x = np.column_stack([rng.normal(3.0 * y), rng.lognormal(10, 1, 200)])
    return Graph(x=x, edge_index=rng.integers(0, 200, (2, 600)), y=y, name="people")


def test_mixed_columns_are_standardised_and_one_can_see_why(people: Graph) -> None:
    run = lsgnn.fit(people)
    assert run.config.feature_norm == "standard"
    assert any("differ in size from" in note and "standardised" in note for note in run.notes)
    by_rows = lsgnn.fit(people, feature_norm="l2")
    assert any("consider feature_norm='standard'" in note for note in by_rows.notes)
    assert run.metrics["test_accuracy"] > by_rows.metrics["test_accuracy"] + 0.2


def test_a_single_column_is_more_than_its_sign() -> None:
    rng = np.random.default_rng(1)
    y = np.arange(200) % 2
    graph = Graph(x=rng.normal(10 + 4 * y)[:, None], edge_index=rng.integers(0, 200, (2, 400)), y=y)
    run = lsgnn.fit(graph, lr=0.05)
    assert (run.config.feature_norm, run.config.similarity) == ("standard", "euclidean")
    assert any("one feature column: standardised" in note for note in run.notes)
    assert run.metrics["test_accuracy"] > 0.8 > lsgnn.fit(graph, LSGNNConfig(lr=0.05)).metrics["test_accuracy"]


def test_what_was_named_or_published_stays(people: Graph) -> None:
    assert suited_to(replace(people, name="cora"), LSGNNConfig()).feature_norm == "l2"
    even = replace(people, x=people.x / np.abs(people.x).max(axis=0))
    assert suited_to(even, LSGNNConfig()).feature_norm == "l2"
    assert note_on_columns(even, "l2") == note_on_columns(people, "none") == []
    assert "consider" in note_on_columns(people, "l2")[0]
    assert note_on_columns(people, "l2", tried=True) == []  # it was tried, and did not help
    assert lsgnn.fit(people, LSGNNConfig(epochs=1)).config.feature_norm == "l2"


def test_peers_are_treated_alike(people: Graph) -> None:
    for name in ("mlp", "gcn"):
        assert suited_to(people, zoo.get(name).config()).feature_norm == "standard"
    scores = {row.model: np.mean(row.test) for row in lsgnn.compare(people, ["majority", "mlp"], which=[0, 1]).rows}
    assert scores["mlp"] > scores["majority"] + 20


@pytest.mark.parametrize("exact", [True, False])
def test_new_nodes_and_other_graphs_are_measured_by_the_graph_that_was_trained_on(people: Graph, exact: bool) -> None:
    run = lsgnn.fit(people, direction="out", epochs=50)
    again = run.predict_new(people.x[:3], [("a", 0)], ["a", "b", "c"], exact=exact)
    far = run.predict_new(people.x[:3] + np.float32(1e9), [("a", 0)], ["a", "b", "c"], exact=exact)
    assert not np.allclose(again.probabilities, far.probabilities)
    alone = Graph(x=people.x[:3], edge_index=np.zeros((2, 0), np.int64))
    np.testing.assert_allclose(run.predict(alone).probabilities[1:], again.probabilities[1:], rtol=1e-4)


@pytest.mark.parametrize("name", ["majority", "twin_lookup", "label_propagation"])
def test_a_model_that_reads_no_columns_leaves_nothing_open_about_them(people: Graph, name: str) -> None:
    assert draft(people, zoo.get(name)).open_to == frozenset()
    assert "feature_norm" in draft(people, zoo.get("gcn")).open_to
