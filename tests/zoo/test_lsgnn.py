from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from lsgnn import Run, zoo
from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.graph.splits import stratified_splits
from lsgnn.nn.model import KEPT_SIMILARITIES
from lsgnn.runs.fit import fit
from lsgnn.train.engine import Engine
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


@pytest.mark.parametrize("settings", [{"direction": "both"}, {"localsim_space": "propagated", "direction": "out"}])
def test_new_nodes_and_other_graphs_are_read_as_in_training(settings: dict[str, str]) -> None:
    graph = random_graph()
    run = fit(graph, LSGNNConfig(K=2, epochs=5, **settings), engine="torch")
    assert np.allclose(run.predict(graph).probabilities, run.predict().probabilities, atol=1e-6)
    new = {"x": np.asarray(graph.x)[:2] + 1, "edges": [(40, 3), (41, 40)]}
    found = run.predict_new(**new).probabilities
    np.testing.assert_allclose(found, run.predict_new(**new, exact=True).probabilities, atol=1e-6)
    assert np.abs(found - run.predict_new(new["x"], []).probabilities).max() > 1e-5


@pytest.mark.parametrize("engine", ["cpu", "torch"])
def test_predictions_that_localsim_compares_know_training_labels_only(engine: Engine) -> None:
    graph, config = two_blocks(), LSGNNConfig(K=1, epochs=8, lr=0.1, localsim_space="predictions")
    split = stratified_splits(graph.y)[0]
    scrambled = replace(graph, y=np.where(split.train, graph.y, 1 - graph.y))
    runs = [fit(one, config, split=split, engine=engine) for one in (graph, scrambled)]
    kept = [run.trained.state_dict[KEPT_SIMILARITIES].numpy() for run in runs]
    np.testing.assert_array_equal(*kept)
    assert kept[0].std() > 0.01
    changed = replace(graph, y=np.where(split.train, 1 - graph.y, graph.y) * (np.arange(80) > 9))
    other = fit(changed, config, split=split, engine=engine).trained.state_dict[KEPT_SIMILARITIES].numpy()
    assert np.abs(other - kept[0]).max() > 1e-3


def test_kept_similarities_are_saved_and_only_for_their_own_graph(tmp_path: Path) -> None:
    graph, config = random_graph(), LSGNNConfig(K=1, epochs=3, localsim_space="predictions")
    run = fit(graph, config, members=2, engine="torch")
    run.save(tmp_path / "run")
    again = Run.load(tmp_path / "run")
    np.testing.assert_array_equal(again.logits, run.logits)
    first, second = (module.fusion.weights.localsim.kept.values for module in again.modules)
    assert not torch.equal(first, second)  # each seed has a first model of its own
    for use in (lambda: run.predict(graph), lambda: run.predict_new(np.asarray(graph.x)[:1], [])):
        with pytest.raises(InputError, match="localsim_space='predictions', which keeps the similarities of its own"):
            use()


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
