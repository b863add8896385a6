"""Splits: the authors' own bit for bit, and the properties every split has."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import InputError, authors_splits, stratified_splits
from lsgnn.graph.splits import Splits

labels = st.lists(st.integers(-1, 4), min_size=1, max_size=60).map(np.array).filter(lambda y: (y >= 0).any())
shares = st.tuples(st.floats(0.05, 0.9), st.floats(0.05, 0.9)).filter(lambda s: sum(s) < 0.95)


@pytest.mark.dataset
@pytest.mark.parametrize("name", ["cora", "citeseer", "pubmed"])
def test_authors_splits_are_those_of_the_released_code(data_dir, name):
    if not (data_dir / f"{name}.npz").is_file():
        pytest.skip(f"{name}.npz is not in {data_dir}")
    with np.load(data_dir / f"{name}.npz") as file:
        if "ref_train_masks" not in file.files:
            pytest.skip(f"{name}.npz has no ref_*_masks")
        ours = authors_splits(file["y"])
        for part in ("train", "val", "test"):
            np.testing.assert_array_equal(getattr(ours, part), file[f"ref_{part}_masks"])


@given(labels)
def test_authors_splits_train_on_48_percent_of_each_class_rounded_up(y):
    for split in authors_splits(y, num_splits=2):
        for c in range(y.max() + 1):
            assert split.train[y == c].sum() == math.ceil(0.48 * (y == c).sum())


@pytest.mark.parametrize("splitter", [authors_splits, stratified_splits])
@given(y=labels, share=shares)
def test_every_labelled_node_is_in_exactly_one_part_and_no_other_node_in_any(splitter, y, share):
    for split in splitter(y, 2, *share):
        parts = split.train.astype(int) + split.val + split.test
        np.testing.assert_array_equal(parts, (y >= 0).astype(int))


@given(labels, shares)
def test_stratified_parts_hold_each_class_in_its_share_and_at_least_once(y, share):
    train, val = share
    (split,) = stratified_splits(y, 1, train, val)
    for c in np.unique(y[y >= 0]):
        m = int((y == c).sum())
        in_train, in_val, in_test = (int(part[y == c].sum()) for part in (split.train, split.val, split.test))
        assert in_train >= 1
        assert in_val >= (m >= 2)
        assert in_test >= (m >= 3)
        if m >= 3:
            wanted = min(max(val * m, min(10, m // 2)), m - 2)  # the other parts have one each
            assert abs(in_val - wanted) <= 1.5
            assert abs(in_test - (1 - train - val) / (1 - val) * (m - wanted)) <= 2.5


@pytest.mark.parametrize("splitter", [authors_splits, stratified_splits])
def test_the_same_seed_gives_the_same_splits_and_another_seed_others(splitter):
    y = np.arange(60) % 3
    first, again, other = splitter(y, 3, seed=5), splitter(y, 3, seed=5), splitter(y, 3, seed=50)
    np.testing.assert_array_equal(first.train, again.train)
    assert (first.train != other.train).any()
    assert (first.train[0] != first.train[1]).any()


@pytest.mark.parametrize("splitter", [authors_splits, stratified_splits])
def test_impossible_requests_are_refused(splitter):
    y = np.arange(10) % 2
    with pytest.raises(InputError, match="no node has a label"):
        splitter(np.full(5, -1))
    with pytest.raises(InputError, match=r"train=0.7, val=0.4 leave nothing for one part"):
        splitter(y, train=0.7, val=0.4)
    with pytest.raises(InputError, match="num_splits=0 gives no split"):
        splitter(y, 0)


def test_splits_are_a_sequence_of_disjoint_masks():
    splits = stratified_splits(np.arange(12) % 2, 4)
    assert (len(splits), splits.num_nodes, splits.covered.all()) == (4, 12, True)
    assert [split.train.shape for split in splits] == [(12,)] * 4
    with pytest.raises(InputError, match=r"split 4 does not exist: the graph has splits 0\.\.3"):
        splits[4]


def test_masks_must_be_boolean_equal_in_shape_and_at_least_one():
    one, two = np.array([True, False]), np.array([False, False])
    with pytest.raises(InputError, match="the val masks hold int64 values, but a mask is boolean: use mask == 1"):
        Splits(one, one.astype(int), two)
    with pytest.raises(InputError, match="they must be equal"):
        Splits(one, two, np.zeros(3, bool))
    with pytest.raises(InputError, match="pass at least one split"):
        Splits(*np.zeros((3, 0, 2), bool))


def test_the_authors_parts_by_hand():
    y = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1, -1, -1])  # 3 of each 5 train; of all 10 round(3.2) validate
    (split,) = authors_splits(y, 1)
    assert [int(part.sum()) for part in (split.train, split.val, split.test)] == [6, 3, 1]
    (split,) = authors_splits(y, 1, train=0.2, val=0.26)
    assert [int(part.sum()) for part in (split.train, split.val, split.test)] == [2, 3, 5]


@pytest.mark.parametrize(
    ("size", "parts"),
    [
        *((1, [1, 0, 0]), (2, [1, 1, 0]), (3, [1, 1, 1]), (4, [1, 2, 1]), (5, [2, 2, 1])),
        *((10, [4, 5, 1]), (20, [8, 10, 2]), (40, [22, 10, 8]), (47, [28, 10, 9])),
    ],
)
def test_stratified_parts_of_small_classes_by_hand(size, parts):
    y = np.repeat([0, 1, -1], [size, 50, 3])
    (split,) = stratified_splits(y, 1)
    assert [int(part[y == 0].sum()) for part in (split.train, split.val, split.test)] == parts
    assert [int(part[y == 1].sum()) for part in (split.train, split.val, split.test)] == [30, 10, 10]


def test_ten_nodes_of_a_class_validate_where_it_has_twenty_or_more():
    for size in range(1, 120):
        (split,) = stratified_splits(np.zeros(size, int), 1)
        train, val, test = (int(part.sum()) for part in (split.train, split.val, split.test))
        assert val >= min(10, size // 2)
        assert train >= test
        if size >= 48:  # the shares give that many by themselves
            assert (val, test) == (round(0.2 * size), round(0.2 * size))


def test_large_classes_are_divided_as_they_always_were():
    """Results are stored: the very same nodes, drawn before small classes were given more to validate."""
    (split,) = stratified_splits(np.repeat([0, 1], [50, 60]), 1)
    first, second = [9, 12, 13, 17, 25, 32, 40, 42, 44, 48], [54, 56, 68, 69, 71, 72, 75, 82, 96, 102, 104, 109]
    assert np.flatnonzero(split.val).tolist() == first + second


def test_however_small_a_share_is_every_part_of_a_class_of_three_has_a_node():
    for train, val in ((0.02, 0.97), (0.97, 0.02), (0.01, 0.01)):
        (split,) = stratified_splits(np.zeros(3, int), 1, train, val)
        assert [int(part.sum()) for part in (split.train, split.val, split.test)] == [1, 1, 1]


def test_split_s_of_a_seed_does_not_depend_on_how_many_there_are():
    y = np.arange(60) % 3
    for splitter in (authors_splits, stratified_splits):
        many = splitter(y, 4, seed=5)
        np.testing.assert_array_equal(splitter(y, 2, seed=5).val, many.val[:2])
        assert len({split.train.tobytes() for split in many}) == 4
    np.testing.assert_array_equal(authors_splits(y, 3, seed=5).train[2], authors_splits(y, 1, seed=7).train[0])


def test_a_node_is_covered_by_any_part_of_any_split():
    parts = np.zeros((3, 2, 5), bool)
    parts[0, 0, 0] = parts[1, 0, 1] = parts[2, 1, 3] = True
    splits = Splits(*parts)
    assert splits.covered.tolist() == [True, True, False, True, False]
    assert splits.within(np.arange(5) < 3).covered.tolist() == [True, True, False, False, False]


def test_training_sees_the_labels_of_training_and_validation_nodes_only():
    split = Splits(*np.eye(4, dtype=bool)[:3])[0]
    assert split.visible(np.array([3, 1, 2, 0])).tolist() == [3, 1, -1, -1]


@pytest.mark.parametrize(("train", "val"), [(0, 0.5), (0.5, 0), (0.5, 0.5), (-0.1, 0.5), (0.5, -0.1)])
def test_every_part_needs_a_share(train, val):
    for splitter in (authors_splits, stratified_splits):
        with pytest.raises(InputError, match="leave nothing for one part"):
            splitter(np.arange(10) % 2, train=train, val=val)


@pytest.mark.parametrize("two", [("train", "val"), ("train", "test"), ("val", "test")])
def test_no_two_parts_may_share_a_node(two):
    masks = {part: np.zeros((2, 4), bool) for part in ("train", "val", "test")}
    for number, part in enumerate(masks):
        masks[part][:, number] = True
    assert len(Splits(**masks)) == 2
    for part in two:
        masks[part][1, 3] = True
    with pytest.raises(InputError, match="node 3 is in two masks of split 1, but train, validation and test must not"):
        Splits(**masks)


def test_some_of_the_splits_can_be_taken():
    splits = stratified_splits(np.arange(40) % 2, 4)
    some = splits.take([3, 1])
    assert len(some) == 2
    np.testing.assert_array_equal(some.val, splits.val[[3, 1]])
    with pytest.raises(InputError, match="split 4 does not exist"):
        splits.take([4])


def test_labels_may_be_a_list():
    np.testing.assert_array_equal(
        stratified_splits([0, 1, 0, 1], 2).train, stratified_splits(np.array([0, 1, 0, 1]), 2).train
    )


WRONG = {
    "no labels": ({"y": None}, r"y is None \(NoneType\), but it is a list of classes: pass one class number per node"),
    "one label": ({"y": 5}, r"y is 5 \(int\)"),
    "a dictionary": ({"y": {0: 1}}, r"y is \{0: 1\} \(dict\)"),
    "text": ({"y": ["a", "b"]}, "y holds <U1 values, but classes are numbers"),
    "an empty list": ({"y": []}, "no node has a label, so there is nothing to split"),
    "half a split": ({"num_splits": 2.5}, r"num_splits is 2.5 \(float\), but it is a whole number"),
    "a word": ({"num_splits": "3"}, r"num_splits is '3' \(str\)"),
    "countless splits": (
        {"num_splits": 10**15},
        "num_splits=1000000000000000 divisions of 4 nodes needs .* ask for fewer",
    ),
    "a share in words": (
        {"train": "half"},
        r"train is 'half' \(str\), but a share is a number: pass one between 0 and 1",
    ),
    "no share": ({"val": None}, r"val is None \(NoneType\)"),
    "NaN": ({"val": math.nan}, "train=.*, val=nan leave nothing"),
    "a negative seed": ({"seed": -1}, "seed=-1 is no seed: choose a whole number from 0 on"),
    "no seed": ({"seed": None}, r"seed is None \(NoneType\), but it is a whole number"),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=WRONG.keys())
@pytest.mark.parametrize("split", [stratified_splits, authors_splits])
def test_wrong_arguments_are_refused_in_a_sentence(split, changes, message):
    with pytest.raises(InputError, match=message):
        split(**{"y": np.array([0, 1, 0, 1])} | changes)


def test_a_seed_beyond_the_legacy_generator_is_refused():
    with pytest.raises(InputError, match="too large for numpy's legacy generator"):
        authors_splits(np.array([0, 1]), seed=2**32)
    stratified_splits(np.array([0, 1]), seed=2**40)


@pytest.mark.parametrize("number", ["a", 1.5, None, [0]])
def test_a_split_is_asked_for_by_its_number(number):
    splits = Splits(*np.eye(3, dtype=bool))
    with pytest.raises(InputError, match="but it is a whole number"):
        splits[number]
    with pytest.raises(InputError):
        splits.take([number])


@pytest.mark.parametrize("numbers", [None, 5, [], np.array(0), np.zeros((1, 1), int)])
def test_some_splits_are_asked_for_by_a_list(numbers):
    with pytest.raises(InputError, match=r"does not list numbers of splits|names no split"):
        Splits(*np.eye(3, dtype=bool)).take(numbers)


@pytest.mark.parametrize("mask", [None, 5, 0.5, "abc", {}, [[True], [True, False]], [1, 0, 0], np.zeros((0, 3), bool)])
def test_a_wrong_mask_is_refused(mask):
    with pytest.raises(InputError):
        Splits(mask, [False, True, False], [False, False, True])
