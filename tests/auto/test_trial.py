"""One trial: scores per deal, kept weights, and what ends it early."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lsgnn import Graph, LSGNNConfig, stratified_splits, zoo
from lsgnn.auto.trial import AROUND, Task, kept_logits, kept_training, run_trial
from lsgnn.runs.judges import dealt
from lsgnn.zoo.prepared import Prepared
from tests.graphs import two_blocks

GRAPH = two_blocks()
DEALS = dealt(stratified_splits(GRAPH.y)[0], GRAPH)
CONFIG = zoo.get("mlp").config(epochs=6, hidden_channels=4)


def trial(folder: Path, model: str = "mlp", config=CONFIG, graph: Graph = GRAPH, **more):  # type: ignore[no-untyped-def]
    task = Task("k", model, config.to_dict(), **more)
    return run_trial(task, Prepared(graph), DEALS, "accuracy", 1, folder)


def test_each_deal_is_scored_and_the_weights_of_the_split_itself_are_kept(tmp_path: Path) -> None:
    outcome = trial(tmp_path)
    assert len(outcome.scores) == len(DEALS)
    logits = kept_logits(tmp_path / "k.safetensors", len(DEALS))
    assert [len(one) for one in logits] == [deal.val.sum() for deal in DEALS]
    alone = zoo.get("mlp").train(GRAPH, zoo.get("mlp").prepare(GRAPH, CONFIG), DEALS[0], CONFIG)
    kept = kept_training(tmp_path / "k.safetensors")
    assert (kept.best_epoch, kept.history) == (alone.best_epoch, alone.history)
    for name, tensor in alone.state_dict.items():
        np.testing.assert_array_equal(kept.state_dict[name].numpy(), tensor.numpy())


def test_a_score_is_the_median_of_the_epochs_around_the_best_one(tmp_path: Path) -> None:
    config = CONFIG.replace(epochs=40)
    outcome, kept = trial(tmp_path, config=config), kept_training(tmp_path / "k.safetensors")
    accuracies = [line["val_accuracy"] for line in kept.history]
    best = kept.best_epoch - 1
    assert outcome.scores[0] == np.median(accuracies[max(0, best - AROUND) : best + AROUND + 1])
    assert outcome.scores[0] <= accuracies[best] == max(accuracies)


@pytest.mark.parametrize("model", ["twin_lookup", "label_propagation"])
def test_where_epochs_are_no_steps_a_score_is_that_of_the_kept_logits(tmp_path: Path, model: str) -> None:
    wrong = np.random.default_rng(5).random(GRAPH.num_nodes) < 0.3
    graph = replace(GRAPH, y=np.where(wrong, 1 - GRAPH.y, GRAPH.y))
    outcome = trial(tmp_path, model, zoo.get(model).config(), graph=graph)
    logits = kept_logits(tmp_path / "k.safetensors", len(DEALS))
    expected = [np.mean(one.argmax(axis=1) == graph.y[deal.val]) for one, deal in zip(logits, DEALS, strict=True)]
    np.testing.assert_allclose(outcome.scores, expected)
    history = kept_training(tmp_path / "k.safetensors").history
    if model == "label_propagation":
        assert np.median([line["val_accuracy"] for line in history]) < max(line["val_accuracy"] for line in history)


def test_far_behind_the_bar_it_is_stopped_and_nothing_is_kept(tmp_path: Path) -> None:
    outcome = trial(tmp_path, bar=(2.0,) * len(DEALS), slack=0.1)
    assert len(outcome.scores) == 1
    assert list(tmp_path.iterdir()) == []
    assert len(trial(tmp_path, bar=(2.0,) * len(DEALS), slack=10.0).scores) == len(DEALS)


def test_what_takes_too_long_ends_with_its_best_epoch_so_far(tmp_path: Path) -> None:
    assert len(trial(tmp_path, limit=1e-9).scores) == len(DEALS)
    assert len(kept_training(tmp_path / "k.safetensors").history) == 1


def test_the_impossible_is_an_outcome_with_a_reason(tmp_path: Path) -> None:
    wrong = trial(tmp_path, "lsgnn", LSGNNConfig(hidden_channels=10**9))
    assert wrong.scores == ()
    assert "hidden_channels" in wrong.error
