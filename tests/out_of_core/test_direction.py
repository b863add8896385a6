"""`direction="auto"` is decided by a sample before a store is filled."""

from pathlib import Path

import numpy as np
import pytest

from lsgnn import Graph, LSGNNConfig
from lsgnn.out_of_core import direction
from lsgnn.out_of_core.direction import surroundings_of_a_sample
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.source import open_source
from tests.graphs import two_blocks
from tests.out_of_core.stores import arrays_folder

AUTO = LSGNNConfig(K=2, direction="auto", hidden_channels=8, epochs=20)


def told_by_targets(n: int = 600) -> Graph:
    """Nodes are of the class that the features of the nodes they point to show; those that point to them are noise."""
    random = np.random.default_rng(0)
    shown = random.integers(0, 2, n)
    x = np.eye(2, dtype=np.float32)[shown] + 0.1 * random.standard_normal((n, 2)).astype(np.float32)
    y = random.integers(0, 2, n)
    targets = [random.choice(np.flatnonzero(shown == c), 6) for c in y]
    edges = np.stack([np.repeat(np.arange(n), 6), np.concatenate(targets)])
    return Graph(x=x, edge_index=edges, y=y, name="pointing")


def test_the_direction_that_tells_is_taken_and_kept(tmp_path: Path) -> None:
    folder, notes = arrays_folder(tmp_path / "arrays", told_by_targets()), list[str]()
    store = precompute(folder, tmp_path / "store", AUTO, on_note=notes.append)
    assert store.config.direction == "out"
    assert notes[0].startswith("direction='out' chosen by validation accuracy")
    again = precompute(folder, tmp_path / "store", AUTO, on_note=notes.append)
    assert (again.config.direction, len(notes)) == ("out", 1)


def test_edges_both_ways_leave_nothing_to_choose(tmp_path: Path) -> None:
    notes = list[str]()
    store = precompute(two_blocks(n=60), tmp_path / "store", AUTO, on_note=notes.append)
    assert store.config.direction == "undirected"
    assert notes == ["direction='undirected', as all edges go both ways"]


def test_a_sample_has_all_edges_of_its_nodes_and_no_other_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direction, "AT_ONCE", 100)
    monkeypatch.setattr(direction, "NODES", 30)
    whole = told_by_targets()
    graph, split = surroundings_of_a_sample(open_source(whole))
    assert not split.test.any()
    np.testing.assert_array_equal(graph.labelled, split.train | split.val)
    numbers = [int(np.flatnonzero((whole.x == row).all(axis=1))[0]) for row in np.asarray(graph.x)]
    sampled = np.array(numbers)[graph.labelled]
    wanted = np.isin(whole.edge_index, sampled).any(axis=0)
    ours = {(numbers[a], numbers[b]) for a, b in graph.edge_index.T}
    assert ours == set(map(tuple, whole.edge_index[:, wanted].T.tolist()))
