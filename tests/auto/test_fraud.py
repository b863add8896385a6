"""A table with 2 % fraud, half of it labelled: found by default, and by a search, and nowhere called hopeless.

Frauds have twelve more in-links than others and hardly differ in their columns: rows of length one hide that, and
accuracy is 98 % for a model that finds none.
"""

from typing import Any

import numpy as np
import pytest

import lsgnn
from lsgnn.train.metrics import measure
from tests.auto.at_hand import AtHand
from tests.fraud import fraud_graph


@pytest.fixture(scope="module")
def table() -> tuple[lsgnn.Graph, np.ndarray]:
    return fraud_graph(n=2_000, edges=8_000, labelled=0.5, seed=8)


def average_precision(run: lsgnn.Run, truth: np.ndarray) -> float:
    """On all nodes without a label."""
    graph = run.graph
    fraud, hidden = graph.class_names.index("fraud"), ~graph.labelled
    return measure("average_precision", run.logits[hidden], truth[hidden], fraud)


def test_the_default_finds_them(table: Any) -> None:
    graph, truth = table
    run = lsgnn.fit(graph)
    assert run.metric == "average_precision"
    assert run.config.structure_features == "degrees"
    assert average_precision(run, truth) >= 0.6
    said = np.array(run.predict().labels)[~graph.labelled] == "fraud"
    assert 0.01 < said.mean() < 0.04  # neither nobody nor everybody


def test_a_search_finds_them(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsgnn.auto.best_answer.TrialWorkers", AtHand)
    monkeypatch.setattr("lsgnn.auto.families.NAMES", ("lsgnn", "mlp"))  # quick ones
    graph, truth = table
    run = lsgnn.fit(graph, model="auto", trials=4)
    assert run.metric == "average_precision"
    assert average_precision(run, truth) >= 0.8
    assert run.decision is not None


def test_without_degrees_it_is_chance(table: Any) -> None:
    """What the two tests above are worth."""
    graph, truth = table
    blind = lsgnn.fit(graph, lsgnn.LSGNNConfig(), metric="average_precision")
    assert average_precision(blind, truth) < 0.1
