import numpy as np
import pytest

from lsgnn import homophily
from lsgnn.graph.homophily import battery, labelled_edges
from lsgnn.report.homophily_vs_chance import homophily_vs_chance, shuffled_labels
from tests.graphs import random_graph, two_blocks
from tests.report.graphs import five_nodes


@pytest.mark.parametrize("graph", [random_graph(), two_blocks(), five_nodes()], ids=lambda g: g.name)
def test_measures_are_those_of_the_package(graph) -> None:
    assert battery(labelled_edges(graph.edge_index, graph.y), graph.y) == homophily(graph)


def test_shuffles_keep_classes_and_unlabelled_nodes_in_place() -> None:
    y = np.array([0, 0, 1, -1, 2, 2, 2, -1])
    shuffled = shuffled_labels(y, seed=0, number=3)
    assert (shuffled[[3, 7]] == -1).all()
    assert sorted(shuffled) == sorted(y)
    assert (shuffled == shuffled_labels(y, seed=0, number=3)).all()


def test_chance_of_two_equal_classes_is_one_half() -> None:
    edge = next(m for m in homophily_vs_chance(two_blocks(n=200), permutations=100) if m.name == "edge")
    assert edge.value == 1.0
    assert edge.chance == pytest.approx(99 / 199, abs=0.01)  # of the 199 other nodes 99 are of one's own class
    assert edge.chance_low < edge.chance < edge.chance_high < 0.6
    assert edge.beyond_chance


def test_labels_that_ignore_the_edges_are_within_chance() -> None:
    adjusted = next(m for m in homophily_vs_chance(random_graph(n=300), seed=1) if m.name == "adjusted")
    assert abs(adjusted.value - adjusted.chance) < 0.1
    assert abs(adjusted.chance) < 0.05
