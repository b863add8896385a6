from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from lsgnn.graph.splits import stratified_splits
from lsgnn.train.loop import make_optimizer
from lsgnn.train.trained import StopTraining, Trained
from lsgnn.zoo.cpgnn import MODEL, CPGNNConfig, joined
from tests.zoo.reading import GRAPH, built

SPLIT = stratified_splits(GRAPH.y)[0]


def test_no_rounds_leave_the_prior() -> None:
    module, inputs = built("cpgnn", rounds=0)
    assert torch.equal(module(inputs).argmax(dim=-1), module.prior(inputs.x).argmax(dim=-1))


def test_the_prior_has_no_biases_and_its_input_is_not_dropped() -> None:
    module, inputs = built("cpgnn", dropout=0.9)
    assert all(p.dim() == 2 for p in module.parameters())
    first = module.prior.layers[0]
    seen: list[torch.Tensor] = []
    first.register_forward_hook(lambda layer, given, out: seen.append(given[0]))
    module.train()(inputs)
    assert torch.equal(seen[0], inputs.x)


def test_the_prior_decays_twice_and_compatibility_is_penalised_instead() -> None:
    module, _ = built("cpgnn")
    groups = make_optimizer(module, CPGNNConfig(weight_decay=0.25)).param_groups
    assert [(len(g["params"]), g["weight_decay"]) for g in groups] == [(2, 0.5), (1, 0.0)]
    with torch.no_grad():
        module.H.copy_(torch.tensor([[0.5, -0.2, 0.1], [0.0, 0.0, 0.0], [-0.4, 0.1, 0.1]]))
    torch.testing.assert_close(module.penalty(), torch.tensor(2 * (0.4 + 0.0 + 0.2)))


def test_labels_outside_the_training_nodes_change_no_weight() -> None:
    y = GRAPH.y.copy()
    hidden = ~SPLIT.train & ~SPLIT.val
    y[hidden] = (y[hidden] + 1) % 3
    config = CPGNNConfig(epochs=4, pretrain_epochs=5)
    first, second = (MODEL.solve(graph, SPLIT, config) for graph in (GRAPH, replace(GRAPH, y=y)))
    assert np.array_equal(first.logits, second.logits)
    y[SPLIT.val] = (y[SPLIT.val] + 1) % 3  # validation labels choose the epoch and nothing else
    one = config.replace(epochs=1, pretrain_epochs=0)
    third, fourth = (MODEL.solve(graph, SPLIT, one) for graph in (GRAPH, replace(GRAPH, y=y)))
    assert np.array_equal(third.logits, fourth.logits)


def test_the_prior_is_trained_first_and_its_epochs_come_first_in_the_history() -> None:
    seen: list[int] = []
    config = CPGNNConfig(epochs=4, pretrain_epochs=30, dropout=0.0)
    inputs = MODEL.prepare(GRAPH, config)
    trained = MODEL.train(GRAPH, inputs, SPLIT, config, on_epoch=lambda line: seen.append(line["epoch"]))
    assert seen == [line["epoch"] for line in trained.history] == list(range(1, 35))
    assert trained.history[29]["train_loss"] < trained.history[0]["train_loss"]


@pytest.mark.parametrize(("prior", "both", "kept"), [(0.5, 0.6, "both"), (0.6, 0.6, "prior"), (0.7, 0.6, "prior")])
def test_propagation_is_kept_where_it_beats_the_prior(prior: float, both: float, kept: str) -> None:
    config = CPGNNConfig(pretrain_epochs=1)
    lines = [{"epoch": 1, "train_loss": 1.0, "val_loss": 1.0, "val_accuracy": accuracy} for accuracy in (prior, both)]
    parts = [Trained({"both": torch.tensor(k == 1)}, 1, [line], 1.0) for k, line in enumerate(lines)]
    trained = joined(*parts, config)
    assert bool(trained.state_dict["both"]) == (kept == "both")
    assert trained.best_epoch == (2 if kept == "both" else 1)
    assert [line["epoch"] for line in trained.history] == [1, 2]


def test_where_the_prior_is_kept_nothing_is_propagated() -> None:
    config = CPGNNConfig(epochs=1, pretrain_epochs=60, lr=0.05, select_by="val_accuracy")
    solution = MODEL.solve(GRAPH, SPLIT, config)
    assert solution.trained.best_epoch <= 60
    assert (solution.trained.state_dict["H"] == 0).all()
    module, inputs = built("cpgnn")
    module.load_state_dict(solution.trained.state_dict)
    expected = F.softmax(module.prior(inputs.x), dim=-1) - 1 / 3
    torch.testing.assert_close(torch.from_numpy(solution.logits), expected, atol=1e-6, rtol=1e-5)


def test_a_callback_may_end_it_while_the_prior_is_trained() -> None:
    def stop(line: dict) -> None:
        if line["epoch"] == 3:
            raise StopTraining

    config = CPGNNConfig(epochs=4, pretrain_epochs=30)
    assert len(MODEL.train(GRAPH, MODEL.prepare(GRAPH, config), SPLIT, config, on_epoch=stop).history) == 3
