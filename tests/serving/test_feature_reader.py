"""Values by name in the columns that a model learned from."""

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph, InputError
from lsgnn.serving.feature_reader import FeatureReader
from lsgnn.serving.new_node import NewNode

EDGES = np.zeros((2, 0), int)
TOWNS = FeatureReader(Graph(x=np.ones((2, 3)), edge_index=EDGES, feature_names=("age", "town = Bonn", "town = 3")))
WORDS = FeatureReader(Graph(x=sp.eye_array(2, 150, format="csr"), edge_index=EDGES))


def read(reader: FeatureReader, *features: object) -> tuple[list[list[float]], list[str]]:
    x, notes = reader.read([NewNode(f"n{i}", given) for i, given in enumerate(features)])  # type: ignore[arg-type]
    return (x.toarray() if sp.issparse(x) else x).tolist(), notes


def test_numbers_and_categories_find_their_columns() -> None:
    rows, notes = read(TOWNS, {"town": "Bonn", "age": 5}, {"age": 7.5, "town": 3.0}, [1, 0, 1])
    assert rows == [[5, 1, 0], [7.5, 0, 1], [1, 0, 1]]
    assert notes == []


def test_a_value_that_is_new_to_the_model_counts_as_none_and_a_note_says_so() -> None:
    rows, notes = read(TOWNS, {"town": "Oslo", "age": 5}, {"town": "Oslo", "age": 6})
    assert rows == [[5, 0, 0], [6, 0, 0]]
    assert notes == ["'Oslo' in 'town' is new to the model: it counts as none"]


def test_in_a_table_of_words_what_is_not_named_is_zero_and_columns_have_numbers() -> None:
    (row,), _ = read(WORDS, {"3": 2, "149": 1, "7": None})
    assert {column: value for column, value in enumerate(row) if value} == {3: 2, 149: 1}


@pytest.mark.parametrize(
    ("reader", "features", "message"),
    [
        (TOWNS, {"town": "Bonn"}, "node 'n0' has no feature 'age', which the model learned from: add it"),
        (TOWNS, {"age": 1}, "node 'n0' has no feature 'town'"),
        (TOWNS, {"agee": 1, "town": "Bonn"}, "learned from no feature 'agee': is 'age' meant"),
        (TOWNS, {"age": "old", "town": "Bonn"}, "feature 'age' of node 'n0' is 'old', but it must be a number"),
        (TOWNS, {"age": 1e39, "town": "Bonn"}, "fits a float32: mend it"),
        (TOWNS, {"age": float("nan"), "town": "Bonn"}, "fits a float32: mend it"),
        (TOWNS, [1, 2], "node 'n0' has 2 features, but the model learned from 3"),
        (WORDS, {"150": 1}, "learned from no feature '150'"),
    ],
)
def test_what_cannot_be_read_is_refused(reader: FeatureReader, features: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(reader, features)
