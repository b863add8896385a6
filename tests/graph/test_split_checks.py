"""What a user should know about a split: what can never be predicted, and what few nodes decide."""

import warnings

import numpy as np
import pytest

from lsgnn import Graph, LSGNNWarning, stratified_splits
from lsgnn.graph.split_checks import check_split
from lsgnn.graph.splits import Split, Splits

QUIET = 99  # labelled nodes up to which a note is enough


def graph_of(*sizes: int, official: bool = False) -> tuple[Graph, Split]:
    y = np.repeat(np.arange(len(sizes)), sizes)
    splits = stratified_splits(y, 1)
    graph = Graph(x=np.ones((len(y), 1)), edge_index=[[0], [1]], y=y, splits=splits if official else None, name="g")
    return graph, splits[0]


def notes_of(graph: Graph, split: Split) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return check_split(graph, split)


def test_classes_with_ten_validation_nodes_are_not_mentioned() -> None:
    assert notes_of(*graph_of(20, 100)) == []


def test_a_rare_class_is_named_with_what_to_do() -> None:
    graph, split = graph_of(19, 100)
    what = "validation nodes are few (9 of class 0): what is chosen by them is chosen partly by chance"
    with pytest.warns(LSGNNWarning) as caught:
        assert check_split(graph, split) == [what]
    assert str(caught[0].message) == f"g: {what}; label more of them, or pass a split in which more validate"


def test_many_rare_classes_are_counted_not_listed() -> None:
    (note,) = notes_of(*graph_of(4, 6, 8, 10, 12))
    assert note.startswith("validation nodes are few (2 of class 0, 3 of class 1, 4 of class 2, few of 2 more): ")


def test_a_small_graph_has_a_note_and_no_warning() -> None:
    assert len(notes_of(*graph_of(19, QUIET - 19))) == 1


def test_whoever_makes_a_split_has_a_note_and_no_warning() -> None:
    graph, split = graph_of(19, 100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(check_split(graph, split, own=True)) == 1


def test_official_splits_of_many_classes_are_what_they_are_but_of_two_the_rare_one_is_looked_for() -> None:
    assert notes_of(*graph_of(19, 30, 30, official=True)) == []
    assert len(notes_of(*graph_of(19, 30, official=True))) == 1


def test_a_class_that_is_not_learned_is_only_told_so() -> None:
    graph, split = graph_of(30, 30, 3)
    rest = split.train & (graph.y < 2)
    with pytest.warns(LSGNNWarning, match="no training node of class 2"):
        notes = check_split(graph, Splits(rest, split.val, split.test)[0])
    assert notes == ["no training node of class 2: it can never be predicted"]
