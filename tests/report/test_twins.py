import math

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph, Split
from lsgnn.report.twins import equal_rows, label_agreement, twins_of
from tests.report.graphs import five_nodes


def stars(leaves: int = 20) -> Graph:
    """Two hubs (nodes 0 and 1); the leaves of each point to it alone and share its class: perfect twins."""
    n = 2 + 2 * leaves
    hub = np.arange(2 * leaves) % 2
    return Graph(
        x=np.random.default_rng(0).random((n, 4)),
        edge_index=np.stack([np.arange(2, n), hub]),
        y=np.concatenate([[0, 1], hub]),
        name="stars",
    )


def halves(n: int) -> Split:
    order = np.arange(n) // 2 % 4  # pairs stay together, so that both classes are in every part
    return Split(order < 2, order == 2, order == 3)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_equal_rows_share_a_number_and_empty_ones_have_none(form) -> None:
    rows = equal_rows(form(np.array([[1, 0], [0, 0], [1, 0], [0, 2]], dtype=np.float32)))
    assert rows[0] == rows[2] != rows[3]
    assert rows[1] == -1


def test_agreement_by_hand() -> None:
    # group 0 has classes a, a, b: shares of equal twins 1/2, 1/2, 0; group 1 is a pair that agrees
    found = label_agreement(np.array([0, 0, 0, 1, 1, 2, -1]), np.array([0, 0, 1, 1, 1, 0, 0]))
    assert found == pytest.approx((0.5 + 0.5 + 0 + 1 + 1) / 5)


def test_unlabelled_twins_say_nothing() -> None:
    assert math.isnan(label_agreement(np.array([0, 0]), np.array([1, -1])))


def test_kinds_of_twins_by_hand() -> None:
    by_links, by_features = twins_of(five_nodes())
    assert by_links.nodes_with_twin == 0
    assert (by_features.nodes_with_twin, by_features.share_with_twin, by_features.largest_group) == (2, 0.4, 2)
    assert by_features.label_agreement == 0.0  # nodes 1 and 4 are of classes a and b
    assert by_features.lookup_accuracy is None  # there was no split to try it on


def test_a_look_up_that_is_always_right_is_a_leak() -> None:
    graph = stars()
    by_links, by_features = twins_of(graph, [halves(graph.num_nodes)])
    assert by_links.lookup_accuracy == 100.0
    assert by_links.covered == 1.0
    assert by_links.leaks
    assert not by_features.leaks


def test_alike_but_not_equal_labels_are_no_leak() -> None:
    graph = stars(leaves=40)
    y = graph.y.copy()
    y[2::5] = 1 - y[2::5]  # one leaf in five is of the other class
    by_links, _ = twins_of(Graph(x=graph.x, edge_index=graph.edge_index, y=y), [halves(len(y))])
    assert by_links.lookup_accuracy > by_links.majority_accuracy + 15
    assert not by_links.leaks
