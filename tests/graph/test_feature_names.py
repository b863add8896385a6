import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph, InputError, LSGNNWarning
from lsgnn.graph.feature_names import in_order_of

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=np.float32)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_columns_are_found_by_name_and_others_left_out(kind) -> None:  # type: ignore[no-untyped-def]
    found = in_order_of(kind(X), ("a", "b", "c"), ("c", "a"), "it")
    np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, X[:, [2, 0]])


def test_without_names_on_one_side_the_order_counts() -> None:
    assert in_order_of(X, (), ("a", "b", "c"), "it") is X
    assert in_order_of(X, ("a", "b", "c"), (), "it") is X


def test_a_missing_column_is_named() -> None:
    with pytest.raises(InputError, match=r"new\.csv has no feature column 'size', .* is 'sise' meant"):
        in_order_of(X, ("a", "b", "sise"), ("size",), "new.csv")


def test_names_fit_the_columns_and_survive_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    edges = np.array([[0], [1]])
    graph = Graph(x=X, edge_index=edges, feature_names=("a", "b", "c"))
    graph.save(tmp_path / "g.npz")
    assert Graph.load(tmp_path / "g.npz").feature_names == ("a", "b", "c")
    with pytest.raises(InputError, match="2 feature names for 3 columns"):
        Graph(x=X, edge_index=edges, feature_names=("a", "b"))
    with pytest.raises(InputError, match="two feature columns are called 'a'"):
        Graph(x=X, edge_index=edges, feature_names=("a", "b", "a"))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_values_of_a_category_that_no_row_has_are_zero_and_unknown_ones_left_out(kind) -> None:  # type: ignore[no-untyped-def]
    names = ("town = Oslo", "age", "town = Rom")
    with pytest.warns(LSGNNWarning, match="'Oslo' in column 'town' of it is new to the model"):
        found = in_order_of(kind(X), names, ("age", "town = Bonn", "town = Rom"), "it")
    expected = [[2, 0, 3], [5, 0, 6]]
    np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, expected)


def test_a_category_that_was_not_named_is_not_mistaken_for_a_column_of_numbers() -> None:
    with pytest.raises(InputError, match=r"no feature column 'zip = 1'.*name 'zip' as one of its categories"):
        in_order_of(X, ("a", "b", "zip"), ("a", "zip = 1"), "it")
    with pytest.raises(InputError, match="no feature column 'temp=high'"):  # a name of the user's own
        in_order_of(X, ("a", "b", "temp=low"), ("a", "temp=high"), "it")
