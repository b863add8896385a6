"""What is scored where nobody says, and that epochs follow it, in `fit`, `evaluate`, `compare` and `tune` alike."""

from dataclasses import replace

import numpy as np
import pytest

import lsgnn
from lsgnn import InputError, LSGNNConfig, stratified_splits
from lsgnn.graph.splits import Split, Splits
from lsgnn.runs.defaults import chosen_metric
from lsgnn.runs.stages import LSGNN_OPEN
from tests.graphs import random_graph, rare, two_blocks

SETTLED = {name: getattr(LSGNNConfig(), name) for name in LSGNN_OPEN}  # so that nothing is probed
QUICK = SETTLED | dict(epochs=8, K=2, hidden_channels=8, direction="undirected", weights="localsim")


def splits_of(graph: lsgnn.Graph) -> list[Split]:
    return list(stratified_splits(graph.y, 2))


def test_where_one_class_is_rare_average_precision_is_scored() -> None:
    metric, (note,) = chosen_metric(rare(), splits_of(rare()))
    assert metric == "average_precision"
    assert note.startswith("94.4 % of the training and validation nodes are of class 'ok'")
    assert chosen_metric(two_blocks(), splits_of(two_blocks())) == ("accuracy", [])


def test_a_dataset_of_the_registry_has_its_own() -> None:
    graph = replace(rare(), name="questions")
    assert chosen_metric(graph, splits_of(graph)) == ("roc_auc", [])


def test_labels_of_test_nodes_do_not_choose() -> None:
    graph = two_blocks()  # half of it is of the second class
    test = graph.y == 1
    test[:6] = False  # of which three are seen, among 43
    val = ~test & (np.arange(80) < 3)
    metric, (note,) = chosen_metric(graph, [Split(~test & ~val, val, test)])
    assert metric == "average_precision"
    assert note.startswith("93.0 % of the training and validation nodes")


def test_what_cannot_be_validated_is_refused_if_named_and_not_chosen_otherwise() -> None:
    graph = rare()
    train = np.arange(400) % 2 == 0
    split = Split(train | (graph.y == 1), ~train & (graph.y == 0), np.zeros(400, bool))
    with pytest.raises(InputError, match="recall at k needs both classes"):
        chosen_metric(graph, [split], "recall_at_k")
    assert chosen_metric(graph, [split])[0] == "balanced_accuracy"
    with pytest.raises(InputError, match="is for two classes, but there are 3"):
        chosen_metric(random_graph(), splits_of(random_graph()), "average_precision")
    with pytest.raises(InputError, match="metric='auc' is not a choice"):
        chosen_metric(graph, [split], "auc")


def test_fit_selects_epochs_by_the_metric_unless_it_is_told_how() -> None:
    graph = rare()
    run = lsgnn.fit(graph, **QUICK)
    assert run.config.select_by == "val_average_precision"
    assert any("average precision of 'fraud'" in note for note in run.notes)
    assert all("val_average_precision" in epoch for epoch in run.trained.history)
    assert lsgnn.fit(graph, **QUICK, select_by="val_loss").config.select_by == "val_loss"
    own = LSGNNConfig(**QUICK)
    assert lsgnn.fit(graph, own).config.select_by == "val_loss"
    assert lsgnn.fit(graph, own, metric="macro_f1").config.select_by == "val_macro_f1"
    assert lsgnn.fit(graph, own, metric="macro_f1", select_by="val_loss").config.select_by == "val_loss"


def test_evaluate_scores_by_it() -> None:
    graph, own = rare(), LSGNNConfig(**QUICK)
    splits = stratified_splits(graph.y, 2)
    found = lsgnn.evaluate(graph, own, splits=splits, metric="recall_at_k")
    assert found.configs[0].select_by == "val_recall_at_k"
    assert "test_recall_at_k" in found.to_dict()
    kept = lsgnn.evaluate(graph, own, splits=splits, metric="recall_at_k", keep_select_by=True)
    assert kept.configs[0].select_by == "val_loss"
    by_itself = lsgnn.evaluate(graph, own, splits=splits)
    assert (by_itself.metric, by_itself.configs[0].select_by) == ("average_precision", "val_loss")
    run = lsgnn.fit(graph, own, splits=splits, metric="recall_at_k")
    positives = graph.y[splits[0].test] == 1
    margin = run.logits[splits[0].test] @ np.array([-1, 1])
    top = np.argsort(-margin)[: positives.sum()]
    assert found.test[0] == pytest.approx(100 * positives[top].mean())


def test_of_a_loss_the_least_is_the_best() -> None:
    graph = two_blocks()
    splits = stratified_splits(graph.y, 2)
    board = lsgnn.compare(graph, ["majority", "mlp"], splits=splits, metric="log_loss")
    means = [row.mean for row in board.rows]
    assert means == sorted(means)
    assert board.rows[0].title == "MLP"
    assert "| model | validation log loss |" in board.to_markdown()
    tuning = lsgnn.tune(graph, model="mlp", trials=3, splits=splits, metric="log_loss", rescore=2)
    assert tuning.base.select_by == "val_loss"
    assert all(0 < loss < 5 for trial in tuning.trials for loss in trial["val"])
    assert tuning.rescored[0]["val"] == min(c["val"] for c in tuning.rescored if c["rounds"] == 2)


def test_tune_follows_it_also_where_the_rule_is_searched() -> None:
    graph = rare()
    splits = Splits(*(getattr(stratified_splits(graph.y, 1), part) for part in ("train", "val", "test")))
    shared = dict(splits=splits, trials=2, grid=False, rescore=1)
    tuning = lsgnn.tune(graph, base=LSGNNConfig(**QUICK), space="extended", metric="macro_f1", **shared)
    assert tuning.base.select_by == "val_macro_f1"
    assert {trial["settings"]["select_by"] for trial in tuning.trials} <= {"val_loss", "val_macro_f1"}
    assert lsgnn.tune(graph, base=LSGNNConfig(**QUICK), **shared).base.select_by == "val_loss"
