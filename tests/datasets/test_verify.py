"""A graph under a dataset's name must have that dataset's statistics."""

import dataclasses

import pytest

from lsgnn import Graph
from lsgnn.datasets import fsbm
from lsgnn.datasets.registry import Entry, info
from lsgnn.datasets.verify import verify
from lsgnn.errors import InputError


@pytest.fixture(scope="module")
def graph() -> Graph:
    return fsbm(0.9, 0.1, seed=0)


@pytest.fixture
def entry() -> Entry:
    return info("fsbm")


def test_accepts_the_graph_it_describes(graph: Graph, entry: Entry) -> None:
    verify(graph, entry, "a test")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"nodes": 999}, "nodes 1000 instead of 999"),
        ({"edges": 5}, "edges 9990 instead of 5"),
        ({"classes": 3}, "classes 2 instead of 3"),
        ({"features": 7}, "features 1 instead of 7"),
        ({"edge_homophily": 0.3}, "edge homophily 0.502 instead of 0.300"),
        ({"splits": 4}, "10 splits instead of 4"),
    ],
)
def test_names_what_differs(graph: Graph, entry: Entry, change: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=f"the graph from a test is not the registry's 'fsbm' .*{said}"):
        verify(graph, dataclasses.replace(entry, **change), "a test")


def test_merged_duplicates_are_allowed_where_the_registry_says_so(graph: Graph, entry: Entry) -> None:
    verify(graph, dataclasses.replace(entry, edges=10_000, edges_slack=10), "a test")
    with pytest.raises(InputError, match="edges 9990 instead of 10000"):
        verify(graph, dataclasses.replace(entry, edges=10_000, edges_slack=9), "a test")
