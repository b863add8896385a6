import math

import numpy as np

from lsgnn import Graph
from lsgnn.report.structure import structure_of
from tests.report.graphs import five_nodes


def test_counts_by_hand() -> None:
    s = structure_of(five_nodes())
    assert (s.nodes, s.edges, s.self_loops, s.isolated) == (5, 5, 1, 1)
    assert s.reciprocal_share == 0.5  # 0 → 1 and 1 → 0, of four edges between different nodes
    assert not s.symmetric
    assert (s.components, s.largest_components) == (2, (4, 1))
    assert s.largest_component_share == 0.8


def test_degrees_by_hand() -> None:
    s = structure_of(five_nodes())
    assert (s.out_degree.most, s.out_degree.mean) == (2, 0.8)  # node 0 points to 1 and 2
    assert (s.in_degree.most, s.in_degree.median) == (2, 1)  # node 2 is pointed to by 0 and 3
    assert s.degree.mean == 1.2  # 2, 1, 2, 1, 0: the pair 0 ⇄ 1 counts once
    assert s.degree_histogram.counts[:3] == (1, 2, 2)


def test_a_graph_without_edges() -> None:
    s = structure_of(Graph(x=np.ones((3, 1)), edge_index=np.zeros((2, 0), dtype=np.int64)))
    assert (s.isolated, s.components) == (3, 3)
    assert math.isnan(s.reciprocal_share)
    assert s.symmetric


def test_both_directions_of_every_edge_make_it_symmetric() -> None:
    s = structure_of(Graph(x=np.ones((3, 1)), edge_index=[[0, 1, 1, 2, 0], [1, 0, 2, 1, 0]]))
    assert s.symmetric
    assert s.reciprocal_share == 1.0
