import numpy as np
import pytest

import lsgnn
from lsgnn import Graph, LSGNNConfig, stratified_splits
from lsgnn.train.class_weights import class_weights, loss_shares
from tests.graphs import two_blocks


def test_balanced_weights_are_scikit_learns_and_one_where_a_class_is_missing() -> None:
    y = np.array([0, 0, 0, 1])
    assert class_weights("balanced", y, 3).tolist() == pytest.approx([4 / (2 * 3), 4 / (2 * 1), 1])
    assert class_weights("none", y, 3).tolist() == [1, 1, 1]


def test_shares_of_the_loss_add_up_to_one() -> None:
    shares = loss_shares(np.array([1, 3], np.float32), np.array([0, 0, 1]))
    assert shares.tolist() == pytest.approx([0.2, 0.2, 0.6])
    shares = loss_shares(np.array([0.1, 0.3], np.float32), np.array([0, 1]))  # of a total below one
    assert shares.tolist() == pytest.approx([0.25, 0.75])


def imbalanced() -> Graph:
    graph = two_blocks(n=200)
    keep = np.flatnonzero((graph.y == 0) | (np.arange(200) % 16 == 1))
    place = np.full(200, -1)
    place[keep] = np.arange(len(keep))
    inside = (place[graph.edge_index] >= 0).all(axis=0)
    return Graph(x=0.3 * graph.x[keep], edge_index=place[graph.edge_index[:, inside]], y=graph.y[keep])


@pytest.mark.parametrize("engine", ["cpu", "torch"])
def test_a_rare_class_is_found_when_classes_count_the_same(engine: str) -> None:
    graph = imbalanced()
    split = stratified_splits(graph.y, 1)[0]
    config = LSGNNConfig(epochs=40, K=1, hidden_channels=8, lr=0.02, weights="graph")
    scores = {}
    for kind in ("none", "balanced"):
        run = lsgnn.fit(graph, config, class_weight=kind, split=split, engine=engine)
        scores[kind] = float((run.logits.argmax(axis=1) == graph.y)[graph.y == 1].mean())
    assert scores["balanced"] > scores["none"] + 0.2


@pytest.mark.filterwarnings("ignore:.*validation nodes are few")
def test_both_engines_weigh_alike() -> None:
    graph = imbalanced()
    config = LSGNNConfig(epochs=5, K=1, hidden_channels=8, dropout=0.0, class_weight="balanced")
    histories = [lsgnn.fit(graph, config, engine=engine).trained.history for engine in ("cpu", "torch")]
    for fused, plain in zip(*histories, strict=True):
        assert fused["train_loss"] == pytest.approx(plain["train_loss"], rel=1e-4)
        assert fused["val_loss"] == pytest.approx(plain["val_loss"], rel=1e-4)
