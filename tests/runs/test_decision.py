"""A rare class in a table of 3000 nodes: found by default, kept with the run, and the same when loaded."""

import json
from dataclasses import replace

import numpy as np
import pytest

import lsgnn
from lsgnn import InputError, LSGNNConfig, Run
from lsgnn.runs.run_metrics import of_positive
from lsgnn.train.decision import Decision
from tests.graphs import random_graph, rare, two_blocks

QUICK = LSGNNConfig(epochs=15, K=2, hidden_channels=8)


@pytest.fixture(scope="module")
def run() -> Run:
    return lsgnn.fit(rare(n=3000, share=0.03), epochs=60, lr=0.05)


def test_a_rare_class_is_scored_by_average_precision_and_found(run: Run) -> None:
    assert (run.metric, run.config.select_by) == ("average_precision", "val_average_precision")
    assert any("97.0 % of the training and validation nodes are of class 'ok'" in note for note in run.notes)
    assert run.decision is not None
    assert (run.decision.positive, run.decision.rule) == (1, "f1")
    called = run.predict().labels.count("fraud")
    assert 40 < called < 200
    assert run.metrics["test_average_precision"] > 0.5
    assert run.metrics["test_f1"] > 0.5


def test_it_is_chosen_on_validation_nodes_alone(run: Run) -> None:
    y = np.where(run.split.test, 1 - run.graph.y, run.graph.y)
    again = lsgnn.fit(replace(run.graph, y=y, splits=None), run.config, split=run.split, metric=run.metric)
    assert again.decision == run.decision


def test_scores_are_of_the_classes_that_are_said(run: Run) -> None:
    test, y = run.split.test, run.graph.y
    said = np.array(run.predict().labels)[test] == "fraud"
    true = y[test] == 1
    assert run.metrics["test_accuracy"] == (said == true).mean()
    assert run.metrics["test_precision"] == true[said].mean()
    assert run.metrics["test_recall"] == said[true].mean()
    assert (run.predict(calibrated=False).predicted == run.predict().predicted).all()


def test_a_saved_run_predicts_the_same(run: Run, tmp_path) -> None:
    run.save(tmp_path / "run")
    again = Run.load(tmp_path / "run")
    assert (again.metric, again.decision, again.metrics) == (run.metric, run.decision, run.metrics)
    assert again.predict().labels == run.predict().labels
    summary = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert summary["decision"] == {"positive": 1, "threshold": run.decision.threshold, "rule": "f1"}
    new = again.predict_new(np.full((1, 5), 2.0), [[0, 3000]])
    assert new.predicted[0] == (new.probabilities[0, 1] >= run.decision.threshold)


def test_a_threshold_may_be_named_when_predicting(run: Run) -> None:
    probability = run.predict().probabilities[:, 1]
    assert run.predict(threshold=0.9).labels.count("fraud") == (probability >= 0.9).sum()
    assert run.predict(threshold=0.0).labels.count("ok") == 0
    with pytest.raises(InputError, match="threshold=2 is out of range"):
        run.predict(threshold=2)


def test_confidence_is_the_probability_of_what_is_said(run: Run) -> None:
    predictions = run.predict(threshold=0.0)
    assert (predictions.confidence == predictions.probabilities[:, 1]).all()


def test_rules_of_fit() -> None:
    graph = rare()
    assert lsgnn.fit(graph, QUICK, threshold=0.25).decision == Decision(1, 0.25, "given")
    assert lsgnn.fit(graph, QUICK, cost=(10, 1)).decision.rule == "cost=10:1"
    eager, careful = (lsgnn.fit(graph, QUICK, threshold=rule) for rule in ("recall=1", "precision=1"))
    assert eager.metrics["val_recall"] == 1.0
    assert eager.decision.threshold <= careful.decision.threshold
    assert lsgnn.fit(graph, QUICK, metric="log_loss").decision is None
    assert lsgnn.fit(two_blocks(), QUICK).decision is None
    assert lsgnn.fit(two_blocks(), QUICK, metric="macro_f1").decision.rule == "f1"


def test_three_classes_have_no_threshold() -> None:
    with pytest.raises(InputError, match="threshold is for two classes, but there are 3"):
        lsgnn.fit(random_graph(), QUICK, threshold="f1")
    with pytest.raises(InputError, match="cost is for two classes, but there are 3"):
        lsgnn.fit(random_graph(), QUICK, cost="1:2")
    three = lsgnn.fit(random_graph(), QUICK, metric="balanced_accuracy")
    assert three.decision is None
    assert three.metrics["val_balanced_accuracy"] > 0
    with pytest.raises(InputError, match="is for two classes"):
        three.predict(threshold=0.5)


def test_an_ensemble_is_compared_with_one_member_by_the_metric() -> None:
    run = lsgnn.fit(rare(), QUICK, members=2, metric="average_precision")
    alone = np.mean([m.history[m.best_epoch - 1]["val_average_precision"] for m in run.members])
    assert run.metrics["val_average_precision_one_member"] == pytest.approx(alone)
    assert run.ensemble_gain == pytest.approx(100 * (run.metrics["val_average_precision"] - alone))
    assert "val_accuracy_one_member" not in run.metrics
    assert lsgnn.fit(rare(), QUICK, members=2, metric="macro_f1").ensemble_gain == 0.0


def test_precision_where_nobody_is_called_is_zero() -> None:
    assert of_positive(np.zeros(3, bool), np.array([True, False, False])) == {"precision": 0, "recall": 0, "f1": 0}
    assert of_positive(np.ones(3, bool), np.zeros(3, bool)) == {}
