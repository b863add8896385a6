"""A request's new nodes in numbers, checked against the nodes that are known."""

from dataclasses import replace

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.serving.feature_reader import FeatureReader
from lsgnn.serving.incoming import Incoming, joined, read_incoming
from lsgnn.serving.new_node import NewEdge, NewNode
from lsgnn.serving.node_index import NodeIndex
from tests.serving.clients import features, named_blocks, new_node

GRAPH = named_blocks()
WEIGHTED = replace(GRAPH, edge_weight=np.ones(GRAPH.num_edges, np.float32))


def read(*nodes: NewNode, graph=GRAPH) -> Incoming:  # type: ignore[no-untyped-def]
    return read_incoming(nodes, NodeIndex(graph), FeatureReader(graph), graph)


def edges_of(part: Incoming) -> set[tuple[int, int]]:
    return set(map(tuple, part.attached.edge_index.T.tolist()))


def test_new_nodes_are_numbered_after_the_known_ones() -> None:
    part = read(new_node("u", "page3", "page3"), NewNode("v", features(), (NewEdge("u", "v"), NewEdge("page9", "v"))))
    assert edges_of(part) == {(80, 3), (80, 81), (9, 81)}
    assert part.attached.edge_weight is None


def test_requests_are_joined_without_seeing_each_other() -> None:
    """Also if they call their nodes alike, and only one of them has weights."""
    heavy = NewNode("u", features(), (NewEdge("u", "page1", 2.5),))
    both = joined([read(new_node("u", "page3"), new_node("v", "u")), read(heavy)], 80)
    assert both.edge_index.T.tolist() == [[80, 3], [81, 80], [82, 1]]
    assert both.edge_weight is not None
    assert both.edge_weight.tolist() == [1, 1, 2.5]
    assert both.x.shape == (3, 6)


def test_a_number_and_its_text_are_one_id() -> None:
    graph = replace(GRAPH, node_ids=np.arange(80))
    part = read(NewNode(99, features(), (NewEdge("99", "7"),)), graph=graph)
    assert edges_of(part) == {(80, 7)}
    with pytest.raises(InputError, match="node '7' is in two-blocks already"):
        read(new_node("7"), graph=graph)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([new_node("page3")], "node 'page3' is in two-blocks already: give the new node another id"),
        ([new_node("u"), new_node("u")], "node 'u' stands twice in the request"),
        ([new_node("u", "pge3")], "two-blocks has no node 'pge3': did you mean 'page3'"),
        ([NewNode("u", features(), (NewEdge("page1", "page2"),))], "the edge 'page1' → 'page2' is not one of node 'u'"),
        ([NewNode("u", features(), label="cow")], "label 'cow' of node 'u' is no class of the run: use one of 'cat'"),
        ([NewNode("u", features(), (NewEdge("u", "page1", 1e-60),))], "an edge has weight 1e-60, but weights are"),
    ],
)
def test_what_cannot_be_attached_is_refused(nodes: list[NewNode], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(*nodes)


def test_on_a_graph_with_weights_new_edges_need_them() -> None:
    with pytest.raises(InputError, match="the edges of two-blocks have weights"):
        read(new_node("u", "page3"), graph=WEIGHTED)
