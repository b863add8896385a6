from dataclasses import replace

import numpy as np
import pytest
import torch

from lsgnn.errors import InputError
from lsgnn.graph.splits import Split, stratified_splits
from lsgnn.train.trained import StopTraining
from lsgnn.zoo.asgc import HOPS, MODEL, RIDGES, ASGCConfig, logistic_regression
from tests.graphs import random_graph, two_blocks

GRAPH = random_graph()
SPLIT = stratified_splits(GRAPH.y)[0]


def test_the_validation_nodes_choose_the_filter_of_the_published_grid() -> None:
    trained = MODEL.train(GRAPH, MODEL.prepare(GRAPH, ASGCConfig()), SPLIT, ASGCConfig())
    assert len(trained.history) == len(HOPS) * len(RIDGES) == 20
    best = max(trained.history, key=lambda line: (line["val_accuracy"], -line["val_loss"]))
    assert trained.best_epoch == best["epoch"]
    K, ridge = list(ASGCConfig().filters)[best["epoch"] - 1]
    fixed = ASGCConfig(search=False, K=K, ridge=ridge)
    alone = MODEL.solve(GRAPH, SPLIT, fixed)
    np.testing.assert_allclose(alone.logits, MODEL.solve(GRAPH, SPLIT, ASGCConfig()).logits, atol=1e-4)
    assert alone.trained.history[0]["val_accuracy"] == best["val_accuracy"]


def test_the_module_says_of_all_nodes_what_the_search_saw_of_the_validation_nodes() -> None:
    solution = MODEL.solve(GRAPH, SPLIT, ASGCConfig())
    right = (solution.logits.argmax(axis=1) == GRAPH.y)[SPLIT.val].mean()
    assert right == solution.trained.history[solution.trained.best_epoch - 1]["val_accuracy"]


def test_raw_features_are_read_and_only_nodes_alone_get_a_self_loop() -> None:
    inputs = MODEL.prepare(GRAPH, ASGCConfig())
    np.testing.assert_array_equal(inputs.x, GRAPH.x)
    adj = inputs.adj.forward.to_dense()
    own = np.isin(np.arange(40), GRAPH.edge_index[0][GRAPH.edge_index[0] == GRAPH.edge_index[1]])
    alone = np.arange(40) >= 38
    np.testing.assert_array_equal(adj.diagonal() > 0, own | alone)
    np.testing.assert_array_equal(adj[38:, 38:], torch.eye(2))


def test_blocks_that_avoid_each_other_are_told_apart() -> None:
    graph = two_blocks(alike=False)
    split = stratified_splits(graph.y)[0]
    assert (MODEL.solve(graph, split, ASGCConfig()).logits.argmax(axis=1) == graph.y)[split.test].mean() > 0.8


def test_a_class_without_a_training_node_is_never_predicted() -> None:
    unseen = GRAPH.y == 2
    split = Split(SPLIT.train & ~unseen, SPLIT.val, SPLIT.test)
    assert not (MODEL.solve(GRAPH, split, ASGCConfig()).logits.argmax(axis=1) == 2).any()
    W, b = logistic_regression(np.ones((4, 2), np.float32), np.full(4, 1), 3, np.ones(3, np.float32), 1.0)
    assert (W == 0).all()
    assert b.argmax() == 1


def test_rare_classes_can_weigh_as_much_as_frequent_ones() -> None:
    graph = replace(GRAPH, y=np.where(np.arange(40) % 8 == 0, 1, 0))
    split = stratified_splits(graph.y)[0]
    plain, balanced = (MODEL.solve(graph, split, ASGCConfig(class_weight=w)).logits for w in ("none", "balanced"))
    assert (balanced.argmax(axis=1) == 1).sum() > (plain.argmax(axis=1) == 1).sum()


def test_a_callback_may_end_the_search() -> None:
    def stop(line: object) -> None:
        raise StopTraining

    trained = MODEL.train(GRAPH, MODEL.prepare(GRAPH, ASGCConfig()), SPLIT, ASGCConfig(), on_epoch=stop)
    assert len(trained.history) == trained.best_epoch == 1


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match=r"l2_regularization=0.0 is out of range: it must be positive"):
        ASGCConfig(l2_regularization=0.0)
