import numpy as np
import pytest

from lsgnn import InputError, stratified_splits
from lsgnn.graph.resampled_splits import resampled
from lsgnn.graph.splits import Splits

Y = np.repeat([0, 1, 2, -1], [30, 15, 5, 10])
SPLITS = stratified_splits(Y, 2)


def test_the_first_of_each_is_the_split_itself_and_all_keep_its_test_nodes() -> None:
    folds = resampled(SPLITS, Y, repeats=3)
    assert len(folds) == 6
    for f, fold in enumerate(folds):
        original = SPLITS[f // 3]
        np.testing.assert_array_equal(fold.test, original.test)
        np.testing.assert_array_equal(fold.train | fold.val, original.train | original.val)
        assert np.array_equal(fold.train, original.train) == (f % 3 == 0)
        for c in range(3):
            assert np.bincount(Y[fold.train])[c] == np.bincount(Y[original.train])[c]


def test_deals_depend_on_the_seed_alone() -> None:
    once, again, other = (resampled(SPLITS, Y, 2, seed=seed).train for seed in (5, 5, 6))
    np.testing.assert_array_equal(once, again)
    assert (once != other).any()
    with pytest.raises(InputError, match="repeats=0"):
        resampled(SPLITS, Y, repeats=0)


def test_every_deal_of_every_split_is_another() -> None:
    twice = Splits(*(np.repeat(part[:1], 2, axis=0) for part in (SPLITS.train, SPLITS.val, SPLITS.test)))
    deals = resampled(twice, Y, repeats=3)
    assert len({deal.val.tobytes() for deal in deals}) == 1 + 2 * 2  # both splits are the same as they are


def test_once_is_the_splits_as_they_are() -> None:
    np.testing.assert_array_equal(resampled(SPLITS, Y, repeats=1).train, SPLITS.train)
