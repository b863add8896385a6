import numpy as np
import pytest

from lsgnn import InputError, Run
from lsgnn.report.node_table import confident_mistakes, node_table
from lsgnn.report.run_insides import embedding_map, fusion_weights, principal_axes


def test_principal_axes_of_a_line() -> None:
    line = np.outer([-1.0, 0.0, 1.0], [3.0, 4.0])
    places, shares = principal_axes(line)
    np.testing.assert_allclose(places, [[-5, 0], [0, 0], [5, 0]], atol=1e-12)
    assert shares == pytest.approx((1, 0))


def test_principal_axes_of_a_single_point() -> None:
    places, shares = principal_axes(np.ones((1, 4)))
    assert places.tolist() == [[0, 0]]
    assert shares == (0, 0)


def test_fusion_weights_have_a_mean_for_each_hop_and_channel(run: Run) -> None:
    weights = fusion_weights(run)
    assert weights.mean.shape == weights.std.shape == (run.config.K, 3)
    assert (weights.std >= 0).all()


def test_the_map_samples_large_graphs(run: Run) -> None:
    flat = embedding_map(run, points=10)
    assert flat.places.shape == (10, 2)
    assert (np.diff(flat.index) > 0).all()


def test_tsne_refuses_what_would_take_minutes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsgnn.report.run_insides.TSNE_POINTS", 5)
    with pytest.raises(InputError, match="t-SNE of 60 nodes"):
        embedding_map(run, "tsne")


def test_the_node_table_lists_unlabelled_nodes_first_and_says_what_is_missing(run: Run) -> None:
    n = run.graph.num_nodes
    table = node_table(run, run.predict(), np.arange(n), np.full(n, np.nan), limit=7)
    assert (len(table.rows), table.total) == (7, n)
    assert table.rows[0][0] == run.graph.node_ids[0]
    assert (table.rows[0][2], table.rows[0][6]) == (-1, None)
    assert {row[1] for row in table.rows[1:]} == {3}


def test_mistakes_are_wrong_and_sorted_by_confidence(run: Run) -> None:
    n = run.graph.num_nodes
    among = np.ones(n, dtype=bool)
    mistakes = confident_mistakes(run, run.predict(), among, np.zeros(n, dtype=np.int64), np.zeros(n))
    assert all(m.true != m.predicted for m in mistakes)
    assert [m.confidence for m in mistakes] == sorted((m.confidence for m in mistakes), reverse=True)
