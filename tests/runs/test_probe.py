"""What nobody decided, the validation nodes decide; what somebody named stays; test labels are not there."""

from dataclasses import replace

import numpy as np
import pytest

import lsgnn
from lsgnn import Graph, LSGNNConfig, zoo
from lsgnn.graph.splits import stratified_splits
from lsgnn.runs.probe import resolved
from lsgnn.runs.stages import BASELINE_OPEN, LSGNN_OPEN
from lsgnn.zoo.gcn import GCNConfig
from lsgnn.zoo.prepared import Prepared
from tests.graphs import rare, two_blocks


def one_way(n: int = 300, seed: int = 0) -> Graph:
    """A node's class is that of the nodes it points to; who points to it says nothing, and features are weak."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    hubs = np.arange(20) * (n // 20)  # only these are pointed to, and their features tell their class
    x = random.standard_normal((n, 8)) * 0.5
    x[hubs, 0] += np.where(y[hubs] == 1, 4, -4)
    source = np.repeat(np.arange(n), 3)
    target = np.array([random.choice(hubs[y[hubs] == c]) for c in np.repeat(y, 3)])
    return Graph(x=x, edge_index=np.stack([source, target]), y=y, name="one-way")


def test_the_right_direction_is_found_and_the_notes_tell_what_was_tried() -> None:
    run = lsgnn.fit(one_way(), ask_others=False)
    assert run.config.direction in ("out", "undirected")
    assert run.metrics["test_accuracy"] > 0.9
    note = next(note for note in run.notes if "chosen by validation accuracy" in note)
    for stage in ("features", "structure", "hops", "direction", "decay", "learning", "links", "magnitude", "weights"):
        assert f"{stage}: " in note
        assert sum(row.taken for row in run.tried if row.stage == stage) == 1
    assert run.tried[0].score == pytest.approx(float(note.split("l2 ")[1].split(" %")[0]) / 100, abs=1e-4)


def test_what_is_named_stays_and_a_configuration_is_a_decision() -> None:
    graph = two_blocks()
    run = lsgnn.fit(graph, K=3, weights="localsim", epochs=10)
    assert (run.config.K, run.config.weights, run.config.epochs) == (3, "localsim", 10)
    assert not {"hops", "weights"} & {row.stage for row in run.tried}
    assert lsgnn.fit(graph, LSGNNConfig(epochs=3)).tried == ()


def test_only_auto_is_open_in_a_configuration() -> None:
    graph = one_way()
    run = lsgnn.fit(graph, LSGNNConfig(direction="auto", K=1, weights="graph", epochs=20))
    assert {row.stage for row in run.tried} == {"direction"}
    assert run.config.K == 1


def test_scrambled_test_labels_change_no_choice() -> None:
    graph = one_way()
    split = stratified_splits(graph.y)[0]
    scrambled = replace(graph, y=np.where(split.test, 1 - graph.y, graph.y))
    chosen = [lsgnn.fit(g, split=split) for g in (graph, scrambled)]
    assert chosen[0].config == chosen[1].config
    assert chosen[0].tried == chosen[1].tried
    assert np.array_equal(chosen[0].logits, chosen[1].logits)


def test_a_baseline_reads_features_as_a_small_mlp_prefers() -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 400)
    mixed = np.column_stack([random.normal(3.0 * y), random.lognormal(10, 1, 400)])
    graph = Graph(x=mixed, edge_index=random.integers(0, 400, (2, 800)), y=y, name="mixed")
    config, choice = resolved(
        Prepared(graph), zoo.get("gcn"), GCNConfig(), [stratified_splits(y)[0]], open_to=BASELINE_OPEN
    )
    assert config.feature_norm == "standard"
    assert {row.stage for row in choice.tried} == {"features", "structure"}
    assert (config.lr, config.hidden_channels) == (GCNConfig().lr, GCNConfig().hidden_channels)


def test_the_metric_is_what_candidates_are_judged_by() -> None:
    graph = rare()
    split = stratified_splits(graph.y)[0]
    base = LSGNNConfig(select_by="val_average_precision")
    _, choice = resolved(Prepared(graph), zoo.get("lsgnn"), base, [split], metric="average_precision", open_to=("K",))
    assert choice.metric == "average_precision"
    assert "validation average precision" in str(choice)


def test_nothing_open_is_nothing_tried() -> None:
    graph = two_blocks()
    config = LSGNNConfig()
    assert resolved(Prepared(graph), zoo.get("lsgnn"), config, [stratified_splits(graph.y)[0]]) == (config, None)


def test_everything_lsgnn_leaves_open_is_a_hyperparameter_of_it() -> None:
    assert set(LSGNN_OPEN) <= set(LSGNNConfig().to_dict())
