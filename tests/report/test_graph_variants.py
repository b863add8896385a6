import numpy as np

from lsgnn.graph.splits import Split
from lsgnn.report.graph_variants import labelled_rows, labelled_table, without_edges
from tests.report.graphs import five_nodes


def test_a_table_holds_the_labelled_nodes_and_degrees_change_no_other_column() -> None:
    graph = five_nodes()
    plain, enlarged = (labelled_table(graph, "l2", degrees) for degrees in (False, True))
    assert (plain.num_nodes, plain.num_edges, plain.num_features, enlarged.num_features) == (4, 0, 3, 5)
    assert plain.y.tolist() == [0, 0, 1, 1]
    np.testing.assert_array_equal(enlarged.x[:, :3], plain.x)
    np.testing.assert_allclose(np.linalg.norm(plain.x, axis=1), 1, rtol=1e-6)
    # node 0 has two edges out, more than any other; node 4 has none
    assert enlarged.x[:, 3].argmax() == 0
    assert enlarged.x[:, 4].argmin() == 3


def test_a_split_follows_its_nodes() -> None:
    masks = [np.arange(5) == i for i in (0, 2, 4)]
    split = labelled_rows(five_nodes(), Split(*masks))
    assert [np.flatnonzero(mask).tolist() for mask in (split.train, split.val, split.test)] == [[0], [2], [3]]


def test_without_edges_nodes_stay_as_they_are() -> None:
    graph = without_edges(five_nodes())
    assert (graph.num_edges, graph.num_nodes) == (0, 5)
