import math

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph
from lsgnn.report.composition import classes_of, feature_fill
from tests.report.graphs import five_nodes


def test_class_balance_by_hand() -> None:
    found = classes_of(five_nodes())
    assert (found.counts, found.labelled, found.unlabelled) == ((2, 2), 4, 1)
    assert (found.majority_share, found.imbalance, found.effective) == (0.5, 1.0, pytest.approx(2.0))


def test_no_labels_at_all() -> None:
    found = classes_of(Graph(x=np.ones((2, 1)), edge_index=[[0], [1]]))
    assert (found.counts, found.labelled) == ((), 0)
    assert math.isnan(found.majority_share)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_feature_fill_by_hand(form) -> None:
    x = np.array([[1, 0, 7, 0], [0, 0, 7, 2], [1, 0, 7, 0], [0, 0, 7, 0]], dtype=np.float32)
    x = np.vstack([x, np.zeros(4, np.float32)])
    found = feature_fill(Graph(x=form(x), edge_index=[[0], [1]]))
    assert (found.columns, found.zero_rows) == (4, 1)
    assert found.zero_share == pytest.approx(13 / 20)
    assert found.constant_columns == 1  # the second; the third is zero in the last row
    assert not found.binary
