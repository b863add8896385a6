"""Neighbour lists made in crumbs of memory are those of the graph in memory."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import Graph, InputError
from lsgnn.config import Direction
from lsgnn.out_of_core.edge_kernels import sort_rows
from lsgnn.out_of_core.edges import BYTES_PER_EDGE, write_neighbours
from lsgnn.out_of_core.source import GraphArrays, open_source
from lsgnn.propagate.filters import adjacency
from tests.out_of_core.stores import empty_store

pairs = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from([0.5, 1.0, 3.0])), max_size=40)


def arrays_of(edges: list[tuple[int, int, float]], weighted: bool) -> tuple[Graph, GraphArrays]:
    ends = np.array([edge[:2] for edge in edges], int).reshape(-1, 2).T
    weight = np.array([edge[2] for edge in edges], np.float32) if weighted else None
    graph = Graph(x=np.eye(8), edge_index=ends, edge_weight=weight, y=np.arange(8) % 2)
    whole = open_source(graph)
    raw = GraphArrays(whole.x, ends, weight, whole.y, whole.split, whole.node_ids, whole.class_names, "raw")
    return graph, raw  # the graph without duplicates, and the edges as they came


@given(
    edges=pairs,
    weighted=st.booleans(),
    direction=st.sampled_from(["out", "in", "undirected"]),
    self_loops=st.booleans(),
    at_once=st.integers(1, 50),
)
def test_neighbour_lists_are_those_of_the_graph_in_memory(
    edges: list[tuple[int, int, float]], weighted: bool, direction: Direction, self_loops: bool, at_once: int
) -> None:
    graph, raw = arrays_of(edges, weighted)
    with TemporaryDirectory() as folder:
        store = empty_store(Path(folder), graph, BYTES_PER_EDGE * at_once)
        write_neighbours(store, raw, "lists", direction, self_loops)
        indptr, indices = store.array("lists/indptr"), store.array("lists/indices")
        data = store.array("lists/weights") if weighted else np.ones(len(indices), np.float32)
        found = sp.csr_array((data, indices, indptr), shape=(8, 8))
        assert found.has_canonical_format
        np.testing.assert_allclose(found.toarray(), adjacency(graph, direction, self_loops).toarray())
        assert not list(Path(folder).glob(".edges-*"))  # nothing is left behind


def test_a_row_of_a_thousand_neighbours_is_sorted_and_its_repeated_edges_are_added_in_their_order() -> None:
    random = np.random.default_rng(0)
    keys, weights = random.integers(0, 600, 1000), random.random(1000).astype(np.float32)
    counts, ends, slots, sums = np.array([1000]), np.zeros(1, int), np.empty_like(keys), np.empty_like(weights)
    assert sort_rows(keys.copy(), weights.copy(), 10, counts, ends, slots, sums) == -1
    columns = np.unique(keys >> 1)
    given, turned = (np.bincount(keys[side] >> 1, weights[side], 300) for side in (keys % 2 == 0, keys % 2 == 1))
    np.testing.assert_array_equal(slots[: counts[0]], columns)
    np.testing.assert_array_equal(sums[: counts[0]], np.maximum(given, turned)[columns].astype(np.float32))


@pytest.mark.parametrize(
    ("edge", "weight", "message"),
    [
        ((0, 8), 1.0, "edge 1 names node 8"),
        ((-1, 0), 1.0, "edge 1 names node -1"),
        ((0, 1), 0.0, "edge 1 has weight 0"),
        ((0, 1), 1e-60, "edge 1 has weight 0"),  # in float32
        ((0, 1), 1e60, "edge 1 has weight inf"),
    ],
)
def test_edges_that_cannot_be_are_refused(tmp_path: Path, edge: tuple[int, int], weight: float, message: str) -> None:
    graph, raw = arrays_of([(0, 1, 1.0)], weighted=True)
    ends, weights = np.array([(0, 1), edge]).T, np.array([1.0, weight])
    wrong = GraphArrays(raw.x, ends, weights, raw.y, raw.split, raw.node_ids, raw.class_names, "wrong")
    store = empty_store(tmp_path, graph, 1 << 20)
    with pytest.raises(InputError, match=message):
        write_neighbours(store, wrong, "lists", "out", self_loops=False)
    assert not store.has("lists/indptr")


@pytest.mark.parametrize("direction", ["out", "in", "undirected"])
def test_repeated_edges_that_overflow_together_are_named_as_in_memory(tmp_path: Path, direction: Direction) -> None:
    graph, once = arrays_of([(3, 5, 2e38), (1, 2, 1.0)], weighted=True)
    twice = np.concatenate([once.edge_index, once.edge_index[:, :1]], axis=1)
    weight = np.append(once.edge_weight, np.float32(2e38))
    given = GraphArrays(once.x, twice, weight, once.y, once.split, once.node_ids, once.class_names, "raw")
    with pytest.raises(InputError, match=r"the edge 3 → 5 stands 2 times, and its weights add up to 4e\+38"):
        write_neighbours(empty_store(tmp_path, graph, 1 << 20), given, "n", direction, False)
