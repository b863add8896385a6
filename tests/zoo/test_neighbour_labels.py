"""The classes of neighbours: by hand on a small graph, never a node's own, and kept with the trees that read them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

import lsgnn
from lsgnn import Graph, InputError, Run, zoo
from lsgnn.graph.splits import Split
from lsgnn.zoo.neighbour_labels import UNKNOWN, count_label_columns, label_columns
from tests.graphs import random_graph, two_blocks

TREES = zoo.get("trees")
nan, log2, log3 = np.nan, np.log(2), np.log(3)


def test_shares_one_step_away_and_two_by_hand() -> None:
    # 0 – 1, 1 – 2, 1 – 3; 0 and 3 are of class 0, 2 of class 1, 1 is unlabelled, 4 is alone
    A = sp.csr_array((np.ones(6), ([0, 1, 1, 2, 1, 3], [1, 0, 2, 1, 3, 1])), shape=(5, 5))
    found = label_columns([A], np.array([0, UNKNOWN, 1, 0]), num_classes=2, limit=128)
    expected = [
        [nan, nan, 0, 0.5, 0.5],  # no labelled neighbour; two steps away 2 and 3, and itself, which does not count
        [2 / 3, 1 / 3, np.log(4), nan, nan],  # walks of two steps from 1 end at 1
        [nan, nan, 0, 1, 0],
        [nan, nan, 0, 0.5, 0.5],
        [nan, nan, 0, nan, nan],
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert found.shape[1] == count_label_columns(2, 1, 128)


def test_weights_weigh_and_each_way_has_its_own_columns() -> None:
    out = sp.csr_array((np.array([3.0, 1.0]), ([0, 0], [1, 2])), shape=(3, 3))  # 0 → 1 three times as heavy as 0 → 2
    found = label_columns([out, sp.csr_array(out.T)], np.array([0, 0, 1]), num_classes=2, limit=128)
    np.testing.assert_allclose(found[0], [0.75, 0.25, np.log(5), nan, nan, nan, nan, 0, nan, nan], rtol=1e-6)
    np.testing.assert_allclose(found[2], [nan, nan, 0, nan, nan, 1, 0, log2, nan, nan], rtol=1e-6)


def test_of_many_classes_the_most_frequent_are_read() -> None:
    star = sp.csr_array((np.ones(5), ([0] * 5, range(1, 6))), shape=(6, 6))
    labels = np.array([UNKNOWN, 0, 1, 1, 2, 2])
    found = label_columns([star], labels, num_classes=3, limit=4)
    np.testing.assert_allclose(found[0], [0.4, 0.4, np.log(6), nan, nan], rtol=1e-6)
    assert found.shape[1] == count_label_columns(3, 1, 4) == 5


@given(st.integers(0, 10_000), st.booleans())
def test_a_node_never_reads_its_own_label(seed: int, weighted: bool) -> None:
    random = np.random.default_rng(seed)
    n = 12
    A = np.triu(random.random((n, n)) < 0.3, 1) * (10.0 ** random.uniform(-6, 6, (n, n)) if weighted else 1.0)
    ways = [sp.csr_array(A + A.T)] if seed % 2 else [sp.csr_array(A + 0.5 * A.T), sp.csr_array(A.T + 0.5 * A)]
    labels = random.integers(-1, 3, n)
    node = int(random.integers(n))
    found = []
    for own in (UNKNOWN, 0, 1, 2):
        labels[node] = own
        found.append(label_columns(ways, labels, num_classes=3, limit=128)[node])
    for row in found[1:]:
        np.testing.assert_allclose(row, found[0], atol=1e-4)


def labels_decide(n: int = 300) -> tuple[Graph, Split]:
    """Columns are noise, and neighbours mostly of the same class."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, n)
    i, j = random.integers(0, n, (2, 8 * n))
    kept = (y[i] == y[j]) | (random.random(8 * n) < 0.2)
    part = random.permutation(np.arange(n) % 3)
    graph = Graph(x=random.normal(size=(n, 4)), edge_index=np.stack([i, j])[:, kept], y=y)
    return graph, Split(part == 0, part == 1, part == 2)


def test_where_classes_follow_the_edges_they_tell_what_columns_do_not() -> None:
    graph, split = labels_decide()
    accuracy = {}
    for read in (False, True):
        logits = TREES.solve(graph, split, TREES.config(neighbour_labels=read)).logits
        accuracy[read] = (logits.argmax(axis=1) == graph.y)[split.test].mean()
    assert accuracy[True] > 0.85 > 0.7 > accuracy[False]


def test_labels_of_test_nodes_play_no_part() -> None:
    graph, split = labels_decide()
    config = TREES.config(neighbour_labels=True, epochs=5, patience=0)
    trained = TREES.train(graph, TREES.prepare(graph, config), split, config)
    assert trained.state_dict["labels"].tolist() == np.where(split.train, graph.y, UNKNOWN).tolist()
    changed = replace(graph, y=np.where(split.test, 1 - graph.y, graph.y))
    again = TREES.train(changed, TREES.prepare(changed, config), split, config)
    assert all(torch.equal(again.state_dict[name], tensor) for name, tensor in trained.state_dict.items())


def test_it_is_saved_reads_labels_for_new_nodes_and_is_not_applied_to_other_graphs(tmp_path: Path) -> None:
    graph, split = labels_decide()
    run = lsgnn.fit(graph, model="trees", split=split, neighbour_labels=True)
    run.save(tmp_path / "run")
    again = Run.load(tmp_path / "run")
    np.testing.assert_array_equal(again.logits, run.logits)
    train = np.flatnonzero(split.train)
    for label in (0, 1):
        known = train[graph.y[train] == label][:5]
        new = again.predict_new(np.zeros((1, 4)), edges=[(300, node) for node in known])
        assert new.probabilities[0, label] > 0.5
    with pytest.raises(InputError, match="the labels of its own nodes"):
        again.predict(random_graph(seed=1, n=30))


def test_labels_that_do_not_fit_are_refused() -> None:
    graph = two_blocks()
    split, config = lsgnn.stratified_splits(graph.y)[0], TREES.config(neighbour_labels=True, epochs=3)
    inputs = TREES.prepare(graph, config)
    state = TREES.train(graph, inputs, split, config).state_dict
    TREES.module(graph, inputs, config, state)
    for labels in (state["labels"][1:], torch.full_like(state["labels"], 2), torch.full_like(state["labels"], -2)):
        with pytest.raises(RuntimeError, match="of another table"):
            TREES.module(graph, inputs, config, state | {"labels": labels})
    for wrong in (config.replace(neighbour_labels=False), config):
        bare = state if wrong is not config else {name: value for name, value in state.items() if name != "labels"}
        with pytest.raises(RuntimeError, match="of another table"):
            TREES.module(graph, inputs, wrong, bare)
