import numpy as np
import pytest

from lsgnn import zoo
from lsgnn.config import LSGNNConfig
from lsgnn.graph.splits import stratified_splits
from lsgnn.runs.fit import fit
from tests.graphs import random_graph, two_blocks


def test_behind_the_protocol_it_is_the_very_same_model() -> None:
    graph = two_blocks()
    split, config = stratified_splits(graph.y)[0], LSGNNConfig(K=2, hidden_channels=8, epochs=5, lr=0.05)
    model = zoo.get("lsgnn")
    inputs = model.prepare(graph, config)
    shared, alone = model.solve(graph, split, config, inputs), model.solve(graph, split, config)
    run = fit(graph, config, split=split)
    assert np.array_equal(shared.logits, alone.logits)
    assert shared.logits == pytest.approx(run.logits, rel=1e-5, abs=1e-6)  # torch sums by as many threads as are free
    assert shared.num_parameters == sum(p.numel() for p in run.module.parameters())


def test_new_nodes_among_themselves_leave_known_degrees_alone_and_both_ways_agree() -> None:
    graph = random_graph()
    run = fit(graph, LSGNNConfig(K=2, epochs=5, direction="out", structure_features="degrees", feature_norm="standard"))
    new = {"x": np.asarray(graph.x)[:3] + 1, "edges": [(40, 41), (41, 40), (40, 42), (42, 42)]}
    near, exact = (run.predict_new(**new, exact=exact).probabilities for exact in (False, True))
    np.testing.assert_allclose(near, exact, atol=1e-6)
    alone = run.predict_new(new["x"], []).probabilities
    assert np.abs(near - alone).max() > 1e-4


@pytest.mark.parametrize("hops", [0, 2])
def test_other_graphs_and_new_nodes_are_compared_on_the_scale_of_training(hops: int) -> None:
    graph = random_graph()
    config = LSGNNConfig(K=2, epochs=5, localsim_scale="standard", localsim_degree=True, localsim_hops=hops)
    run = fit(graph, config.replace(direction="out"))
    mean, std = run.module.fusion.weights.localsim.standardized.scale.tolist()
    assert (mean, std) == pytest.approx(run.inputs.similarity.scale)
    assert np.allclose(run.predict(graph).probabilities, run.predict().probabilities, atol=1e-6)
    new = {"x": np.asarray(graph.x)[:2] + 1, "edges": [(40, 3), (41, 40)]}
    near, exact = (run.predict_new(**new, exact=exact).probabilities for exact in (False, True))
    np.testing.assert_allclose(near, exact, atol=1e-6)


def test_pyg_users_get_degrees_by_the_transform() -> None:
    from lsgnn.nn.transform import LSGNNPrecompute

    graph = random_graph()
    rows = LSGNNPrecompute(K=1, structure_features="degrees")(graph.to_pyg()).rows
    assert rows.channels.stack.shape == (3, 40, 12 + 3)  # out, in and a constant
