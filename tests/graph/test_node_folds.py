"""`NodeKFold`: every labelled node is tested once, unlabelled ones never."""

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.graph.node_folds import NodeKFold, is_known

Y = np.array([0, 0, 0, 0, 1, 1, 1, -1, -1, 2])


def test_every_labelled_node_is_tested_exactly_once():
    folds = list(NodeKFold(3).split(np.arange(10), Y))
    assert len(folds) == NodeKFold(3).get_n_splits() == 3
    tested = np.concatenate([test for _, test in folds])
    assert sorted(tested.tolist()) == np.flatnonzero(Y >= 0).tolist()
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(10))
        assert {7, 8} <= set(train.tolist())


def test_every_class_is_spread_over_the_folds():
    y = np.repeat([0, 1], [30, 6])
    for _, test in NodeKFold(3).split(y, y):
        assert np.bincount(y[test]).tolist() == [10, 2]


def test_two_folds_are_enough_and_as_many_as_nodes_are_possible():
    assert [test.tolist() for _, test in NodeKFold(2).split([0, 1], [0, 1])] in ([[0], [1]], [[1], [0]])
    assert all(len(test) == 1 for _, test in NodeKFold(8).split(Y, Y))


def test_the_seed_decides():
    first, same, other = ([t.tolist() for _, t in NodeKFold(3, random_state=s).split(Y, Y)] for s in (0, 0, 1))
    assert first == same != other
    assert repr(NodeKFold(3)) == "NodeKFold(3, random_state=0)"


def test_too_many_folds_are_refused():
    with pytest.raises(InputError, match="must be at least 2"):
        NodeKFold(1)
    with pytest.raises(InputError, match="8 labelled nodes are too few for 9 folds"):
        next(NodeKFold(9).split(Y, Y))


def test_unknown_labels_in_every_type():
    assert is_known(np.array([0, -1])).tolist() == [True, False]
    assert is_known(np.array([0.0, -1.0, np.nan])).tolist() == [True, False, False]
    assert is_known(np.array(["a", "-1", ""])).tolist() == [True, False, False]
    assert is_known(np.array(["a", None, -1, float("nan")], dtype=object)).tolist() == [True, False, False, False]
    assert is_known(np.array([True, False])).all()
