"""What a probe may try on which graph."""

import numpy as np
import scipy.sparse as sp

from lsgnn import Graph, LSGNNConfig
from lsgnn.runs.stages import LSGNN_OPEN, Stage, first_options, is_directed, num_stored, stages
from lsgnn.zoo.gcn import GCNConfig
from tests.graphs import random_graph, two_blocks


def names(graph: Graph, config=None, undecided=LSGNN_OPEN, metric="accuracy") -> dict[str, int]:  # type: ignore[no-untyped-def]
    return {s.name: len(s.options) for s in stages(graph, config or LSGNNConfig(), undecided, metric)}


def test_directions_are_tried_on_directed_graphs_and_class_weights_where_classes_count() -> None:
    directed, both_ways = names(random_graph()), names(two_blocks())
    assert (directed["direction"], both_ways["direction"]) == (3, 1)
    assert directed["class weights"] == 1
    assert names(random_graph(), metric="average_precision")["class weights"] == 2
    assert list(directed) == [
        *("features", "structure", "class weights", "hops", "direction", "decay", "hops again"),
        *("residual", "learning", "links", "magnitude", "weights"),
    ]


def test_what_is_decided_is_no_stage() -> None:
    assert names(random_graph(), undecided=("K",)) == {"hops": 2}
    partly = next(s for s in stages(random_graph(), LSGNNConfig(), ("lr",), "accuracy"))
    assert partly.options == ({"lr": 0.01}, {"lr": 0.001})  # the width of a named one is not touched
    of_gcn = {"features", "structure", "class weights", "decay", "direction", "learning"}
    assert set(names(random_graph(), GCNConfig())) == of_gcn


def test_columns_are_standardised_where_that_changes_something() -> None:
    numbers = stages(random_graph(), LSGNNConfig(), ("feature_norm",), "accuracy")[0]
    assert [option["feature_norm"] for option in numbers.options] == ["l2", "standard"]
    words = Graph(x=np.eye(6), edge_index=[[0], [1]])
    assert [o["feature_norm"] for o in stages(words, LSGNNConfig(), ("feature_norm",), "accuracy")[0].options] == [
        *("l2", "none")
    ]
    one = Graph(x=np.arange(4.0)[:, None], edge_index=[[0], [1]])
    assert stages(one, LSGNNConfig(), ("feature_norm",), "accuracy")[0].options == ({"feature_norm": "standard"},)


def test_labels_tell_what_differs() -> None:
    stage = Stage("s", ({"a": 1, "b": 2}, {"a": 1, "b": 3}))
    assert [stage.label(0), stage.label(1)] == ["2", "3"]
    both = Stage("s", ({"a": 1, "b": 2}, {"a": 2, "b": 3}))
    assert both.label(1) == "a=2, b=3"
    one_says_more = Stage("s", ({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}))
    assert [one_says_more.label(0), one_says_more.label(1)] == ["2", "b=3, c=4"]


def test_stored_values_are_counted() -> None:
    assert num_stored(Graph(x=np.ones((3, 2)), edge_index=[[0], [1]])) == 6
    assert num_stored(Graph(x=sp.csr_array(np.eye(3)), edge_index=[[0], [1]])) == 3


def test_equal_links_of_unequal_weight_have_a_direction() -> None:
    pair = np.array([[0, 1], [1, 0]])
    for weights, directed in (([2.0, 2.0], False), ([1.0, 5.0], True)):
        assert is_directed(Graph(x=np.eye(2), edge_index=pair, edge_weight=np.array(weights))) is directed


def test_all_norms_of_rows_go_together() -> None:
    def magnitude(*undecided: str) -> Stage:
        found = stages(random_graph(), LSGNNConfig(), undecided, "accuracy")
        return next(stage for stage in found if stage.name == "magnitude")

    rows = {"reduce_norm": "row", "out_norm": True}
    kept = {"reduce_norm": "batch", "out_norm": False, "feature_norm": "standard"}
    together = magnitude("feature_norm", "reduce_norm", "out_norm")
    assert together.options == (rows, kept)  # what was decided, degrees and hops, is not touched
    assert [together.label(0), together.label(1)] == ["rows of length one", "batch norm"]
    assert magnitude("reduce_norm", "out_norm").options == (rows,)  # nor is the user's own scale of features
    ways = magnitude(*LSGNN_OPEN)
    assert [option.get("direction") for option in ways.options] == [None, None, "undirected", "out", "in"]
    assert ways.label(4) == "batch norm, 2 hops, degrees, in"


def test_wide_or_narrow_is_decided_by_the_better_score_and_begun_with_narrow() -> None:
    learning = next(
        s for s in stages(random_graph(), LSGNNConfig(), LSGNN_OPEN, "accuracy", 32) if s.name == "learning"
    )
    assert learning.errors == 0
    assert [option["hidden_channels"] for option in learning.options] == [16, 16, 32, 32]
    assert first_options([learning]) == {"hidden_channels": 16, "dropout": 0.5, "lr": 0.01}
