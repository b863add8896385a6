"""Each kind of column by hand: what it becomes, what missing and new values become, and that JSON keeps it."""

import json
from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

from lsgnn import InputError, LSGNNWarning
from lsgnn.graph.io.cells import Cells
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.io.transformers.category import CategoryColumn
from lsgnn.graph.io.transformers.date import DateColumn
from lsgnn.graph.io.transformers.fit_plan import fit_plan
from lsgnn.graph.io.transformers.hashed import BUCKETS, HashedColumn, bucket_of
from lsgnn.graph.io.transformers.number import NumberColumn
from lsgnn.graph.io.transformers.plan import ColumnPlan
from lsgnn.graph.io.transformers.text import TextColumn
from lsgnn.graph.io.transformers.vector import VectorColumn


def cells(values, name="c"):
    table = pa.table({name: values})
    return Cells.of(table, name, Source(table, "the node table", [name]))


def dense(x):
    return x.toarray() if sp.issparse(x) else x


def test_single_precision_is_taken_as_it_is_unless_a_number_is_missing_or_infinite():
    fitted = NumberColumn.fit(cells(pa.array([0.1, 6, 2], pa.float32())))
    assert fitted.apply(cells(pa.array([0.1, 6], pa.float32()))).tolist() == [[np.float32(0.1)], [6]]
    assert fitted.apply(cells(pa.array([1, None, np.nan], pa.float32()))).tolist() == [[1], [2], [2]]
    with pytest.raises(InputError, match="infinite"):
        fitted.apply(cells(pa.array([1, np.inf], pa.float32())))


def test_numbers_get_their_median_and_a_column_that_says_where():
    fitted = NumberColumn.fit(cells([1, None, 5, 3]))
    assert fitted.feature_names == ("c", "c is missing")
    assert fitted.apply(cells([1, None, 5, 3])).tolist() == [[1, 0], [3, 1], [5, 0], [3, 0]]
    assert fitted.apply(cells(["7", "NA"])).tolist() == [[7, 0], [3, 1]]  # text of another file
    assert fitted.apply(cells(pa.array([None], pa.null()))).tolist() == [[3, 1]]  # nothing at all


def test_numbers_of_which_none_was_missing_have_one_column_and_still_a_median():
    fitted = NumberColumn.fit(cells([1, 2, 6]))
    assert (fitted.feature_names, fitted.apply(cells([None, 4])).tolist()) == (("c",), [[2], [4]])


def test_lists_keep_their_width():
    fitted = VectorColumn.fit(cells([[1, 2], [3, 4]]))
    assert (fitted.feature_names, fitted.apply(cells([[5, 6]])).tolist()) == (("c[0]", "c[1]"), [[5, 6]])
    with pytest.raises(InputError, match="lists of 3 numbers, but the model learned from lists of 2"):
        fitted.apply(cells([[1, 2, 3]]))


def test_categories_are_0_where_they_are_missing_or_new():
    fitted = CategoryColumn.fit(cells(["b", None, "a", "b"]))
    with pytest.warns(LSGNNWarning, match=r"'d', 'e', 'f' and 1 more in column 'c' .* are new to the model"):
        x = fitted.apply(cells(["a", "b", None, "d", "e", "f", "g"]))
    assert x.tolist() == [[1, 0], [0, 1], *[[0, 0]] * 5]


def test_hashed_values_have_one_column_each_whatever_the_table():
    fitted = HashedColumn.fit(cells([f"shop {i}" for i in range(300)]))
    x = fitted.apply(cells(["shop 7", None, "new", "shop 7"]))
    assert sp.issparse(x)
    assert x.shape == (4, BUCKETS)
    assert dense(x)[[0, 3], bucket_of("shop 7", BUCKETS)].tolist() == [1, 1]
    assert dense(x).sum(axis=1).tolist() == [1, 0, 1, 1]
    assert bucket_of("shop 7", 512) == 380  # on every machine, for ever: runs are saved


def test_text_is_tf_idf_by_hand():
    fitted = TextColumn.fit(cells(["red red fox", "red dog", None, "fox"]))
    assert fitted.vocabulary == ("fox", "red")  # "dog" stands once
    idf = np.log(5 / 3) + 1  # each in two of four texts, smoothed
    assert fitted.idf == pytest.approx((idf, idf))
    x = dense(fitted.apply(cells(["Red red FOX", "dog", None])))
    np.testing.assert_allclose(x, [[1 / 5**0.5, 2 / 5**0.5], [0, 0], [0, 0]], rtol=1e-6)


def test_text_without_words_that_repeat_is_cut_into_pieces():
    fitted = TextColumn.fit(cells(["东京大学", "京都大学", "早稻田大学"]))
    assert fitted.analyzer == "char_wb"
    assert "大学" in fitted.vocabulary
    assert TextColumn.fit(cells(["! ? -", "…"])).feature_names  # signs are pieces too


def test_dates_are_ages_and_circles():
    fitted = DateColumn.fit(cells(["2024-01-11", None, "2024-01-01"]))
    x = fitted.apply(cells(["2024-01-11", None, "2024-01-01", "2024-01-18"]))
    names = ["c: age in days", "c is missing", "c: sin of year", "c: cos of year", "c: sin of week", "c: cos of week"]
    assert list(fitted.feature_names) == names
    assert x[:, :2].tolist() == [[0, 0], [5, 1], [10, 0], [-7, 0]]
    np.testing.assert_allclose((x[[0, 2, 3], 2:] ** 2).sum(axis=1), 2, rtol=1e-5)  # two points on circles
    assert x[1, 2:].tolist() == [0, 0, 0, 0]
    np.testing.assert_allclose(x[0, 4:], x[3, 4:], atol=1e-5)  # the same day of the week


def test_times_of_day_are_a_circle_too():
    fitted = DateColumn.fit(cells([datetime(2024, 1, 1, 6), datetime(2024, 1, 2, 18)]))
    x = fitted.apply(cells(["2024-03-01 00:00", "2024-03-01T12:00Z"]))  # text of another file
    np.testing.assert_allclose(x[:, -2:], [[0, 1], [0, -1]], atol=1e-4)


def test_dates_keep_the_layout_they_were_learned_in():
    fitted = DateColumn.fit(cells(["13/02/2024", "01/02/2024"]))
    assert fitted.apply(cells(["03/02/2024"]))[0, 0] == 10
    with pytest.raises(InputError, match=r"row 0 of the node table has '2/30/2024' in 'c', which is no date \(d/m/Y\)"):
        fitted.apply(cells(["2/30/2024"]))
    with pytest.raises(InputError, match=r"day and month cannot be told apart: write them as 2024-12-31"):
        DateColumn.fit(cells(["01/02/2024", "03/04/2024"]))


def test_integers_are_dates_if_told_so():
    assert DateColumn.fit(cells([0, 86400])).apply(cells([0]))[0, 0] == 1
    assert DateColumn.fit(cells([1_700_000_000_000, 1_700_086_400_000])).layout == "unix ms"


TABLE = pa.table(
    {
        "number": [1.5, None, 4.0],
        "vector": [[1, 2], [3, 4], [5, 6]],
        "category": ["a", "b", None],
        "hashed": [f"shop {i}" for i in range(3)],
        "date": ["2024-01-11", None, "2024-01-01"],
        "text": ["red fox", "red dog", "fox"],
    }
)
SOURCE = Source(TABLE, "the node table", TABLE.column_names)


@pytest.fixture
def plan(monkeypatch):
    monkeypatch.setattr("lsgnn.graph.io.transformers.fit_plan.MOST_VALUES", 2)
    fitted, notes = fit_plan(TABLE, TABLE.column_names, SOURCE, roles={"hashed": "category", "text": "text"})
    assert len(notes) == 2
    return fitted.with_places({"id": "who", "label": None})


def test_a_plan_survives_json_bit_for_bit(plan):
    again = ColumnPlan.from_json(plan.to_json())
    assert again == plan
    np.testing.assert_array_equal(dense(again.apply(TABLE, SOURCE)), dense(plan.apply(TABLE, SOURCE)))
    kinds = [type(transformer).__name__.removesuffix("Column").lower() for transformer in plan.transformers]
    assert kinds == TABLE.column_names


def test_a_plan_with_hashed_values_or_words_makes_sparse_features(plan):
    x = plan.apply(TABLE, SOURCE)
    assert sp.issparse(x)
    assert x.shape == (3, len(plan.feature_names))


@pytest.mark.parametrize("key", ["transformers", "left_out", "places"])
def test_damaged_plans_are_refused(plan, key):
    whole = json.loads(plan.to_json())
    for damage in (5, [5], [["a"]], [{"kind": "code"}], [{"kind": "number", "name": 5, "median": "x"}]):
        with pytest.raises(InputError, match="the transformers of columns are damaged"):
            ColumnPlan.from_json(json.dumps(whole | {key: damage}))
    with pytest.raises(InputError, match="damaged"):
        ColumnPlan.from_json("[" * 100_000)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("hashed", {"buckets": 10**12}),
        ("hashed", {"buckets": 0}),
        ("vector", {"width": -1}),
        ("number", {"median": 1e999}),
        ("number", {"decimal": "x"}),
        ("date", {"newest": 1e300}),
        ("date", {"layout": "Y"}),
        ("text", {"idf": [1.0]}),
        ("text", {"analyzer": "code"}),
    ],
)
def test_numbers_that_no_transformer_has_are_refused(plan, kind, change):
    """A run may come from anywhere; no memory is taken for what it says."""
    whole = json.loads(plan.to_json())
    for values in whole["transformers"]:
        values |= change if values["kind"] == kind else {}
    with pytest.raises(InputError, match="the transformers of columns are damaged"):
        ColumnPlan.from_json(json.dumps(whole))


def test_a_column_of_numbers_but_for_a_word_is_noted():
    table = pa.table({"age": [*map(str, range(30)), "old"]})
    _, notes = fit_plan(table, ["age"], Source(table, "the node table", ["age"]), roles={})
    assert notes[0].startswith("column 'age' would be numbers but for 'old' and the like: mend or empty these")
