from itertools import pairwise

import numpy as np

from lsgnn.report.bins import degree_edges, degree_label, histogram, means_by_bin, quantile_edges


def test_histogram_closes_the_last_bin_on_both_sides() -> None:
    assert histogram(np.array([0.0, 0.4, 0.5, 1.0]), [0, 0.5, 1]).counts == (2, 2)


def test_degree_bins_double() -> None:
    edges = degree_edges(9)
    assert edges == [0, 1, 2, 3, 5, 9, 17]
    assert [degree_label(a, b) for a, b in pairwise(edges)] == ["0", "1", "2", "3–4", "5–8", "9–16"]


def test_labels_of_large_degrees_stay_short() -> None:
    assert degree_label(1025, 2049) == "1k–2k"


def test_means_by_bin_leave_out_empty_bins_and_count_the_others() -> None:
    bins = means_by_bin(
        np.array([0.1, 0.2, 0.9]), np.array([0.0, 1.0, 1.0]), [0, 0.3, 0.6, 1.0], lambda a, b: f"{a:g}-{b:g}"
    )
    assert [(b.label, b.count, b.value.mean) for b in bins] == [("0-0.3", 2, 0.5), ("0.6-1", 1, 1.0)]


def test_equal_values_share_one_bin() -> None:
    assert quantile_edges(np.full(4, 2.0), 10) == [2.0, 2.0]
    assert means_by_bin(np.full(4, 2.0), np.arange(4.0), [2.0, 2.0], lambda a, b: "")[0].count == 4
