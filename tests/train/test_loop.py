import numpy as np
import pytest
import torch

from lsgnn import LSGNN, InputError, LSGNNConfig, stratified_splits, zoo
from lsgnn.nn.rows import make_rows
from lsgnn.propagate.precompute import precompute
from lsgnn.train.loop import score, train_torch
from lsgnn.train.selection import BestEpoch
from lsgnn.train.trained import Epoch, StopTraining, Trained
from tests.graphs import two_blocks

GRAPH = two_blocks()
SPLIT = stratified_splits(GRAPH.y, 1)[0]


def trained(**settings: object) -> tuple[LSGNN, Trained]:
    config = LSGNNConfig(epochs=30, K=2, hidden_channels=8, **{"lr": 0.02} | settings)
    torch.manual_seed(0)
    model = LSGNN.from_config(config, GRAPH.num_features, 2, GRAPH.num_nodes)
    return model, train_torch(model, make_rows(precompute(GRAPH, config), config), GRAPH.y, SPLIT, config)


def test_the_model_is_left_with_the_weights_of_its_best_epoch() -> None:
    model, result = trained()
    config = LSGNNConfig(K=2, hidden_channels=8)
    rows = make_rows(precompute(GRAPH, config), config).select(torch.from_numpy(np.flatnonzero(SPLIT.val)))
    loss, *_ = score(model, rows, torch.from_numpy(GRAPH.y[SPLIT.val]))
    losses = [epoch["val_loss"] for epoch in result.history]
    assert loss == pytest.approx(min(losses), rel=1e-5)
    assert result.best_epoch == 1 + int(np.argmin(losses))
    assert result.best_epoch != len(losses) or losses[-1] == min(losses)


def test_the_same_seed_gives_the_same_numbers_bit_for_bit() -> None:
    (_, one), (_, two) = trained(), trained()
    assert one.history == two.history
    assert all(torch.equal(one.state_dict[name], two.state_dict[name]) for name in one.state_dict)


class Penalised(torch.nn.Linear):
    """Two logits per node from a feature of ones; asks for a bias near 3."""

    def penalty(self) -> torch.Tensor:
        return 100 * (self.bias - 3).square().sum()


def test_what_a_model_asks_of_its_weights_is_added_to_the_loss_but_not_reported() -> None:
    class Ones:
        def select(self, index: torch.Tensor) -> torch.Tensor:
            return torch.ones(len(index), 1)

        def to(self, device: object) -> "Ones":
            return self

    torch.manual_seed(0)
    model = Penalised(1, 2)
    config = LSGNNConfig(epochs=200, lr=0.1, weight_decay=0.0)
    result = train_torch(model, Ones(), GRAPH.y, SPLIT, config)
    assert result.history[0]["train_loss"] < 2  # the penalty alone would be hundreds
    torch.testing.assert_close(model.bias.detach(), torch.full((2,), 3.0), atol=0.2, rtol=0)


def test_patience_stops_early_and_never_before_the_best_epoch() -> None:
    _, result = trained(patience=3, lr=0.5)  # overshoots soon
    assert len(result.history) == result.best_epoch + 3 < 30


def test_learning_from_alike_and_from_unlike_neighbours_both_work() -> None:
    for alike in (True, False):
        graph = two_blocks(alike=alike, n=200)
        config = LSGNNConfig(epochs=100, K=2, lr=0.02)
        torch.manual_seed(0)
        model = LSGNN.from_config(config, graph.num_features, 2, graph.num_nodes)
        split = stratified_splits(graph.y, 1)[0]
        rows = make_rows(precompute(graph, config), config)
        train_torch(model, rows, graph.y, split, config)
        test = torch.from_numpy(np.flatnonzero(split.test))
        assert score(model, rows.select(test), torch.from_numpy(graph.y[split.test]))[1] > 0.85


def watched(select_by: str, *scores: tuple[float, float]) -> BestEpoch:
    best = BestEpoch(select_by)
    for epoch, (loss, accuracy) in enumerate(scores, start=1):
        best.improved({"epoch": epoch, "train_loss": 0.0, "val_loss": loss, "val_accuracy": accuracy})
    return best


def test_equal_accuracies_go_to_the_lower_loss_then_to_the_earliest_and_nan_never_wins() -> None:
    nan = float("nan")
    assert watched("val_accuracy", (1.0, 0.5), (0.9, 0.7), (0.1, 0.6), (0.8, 0.7), (0.8, 0.7), (nan, 1.0)).epoch == 4
    assert watched("val_loss", (1.0, 0.5), (0.9, 0.2), (0.9, 0.9), (nan, 1.0)).epoch == 2


def test_patience_begins_again_when_equal_accuracy_comes_with_a_lower_loss() -> None:
    learning = watched("val_accuracy", (1.0, 0.5), (0.9, 0.5), (0.8, 0.4))  # no node has changed sides yet
    assert not learning.waited(3, patience=2)
    assert learning.waited(4, patience=2)
    assert not learning.waited(99, patience=0)


def test_no_finite_loss_at_all_is_an_error() -> None:
    with pytest.raises(InputError, match="training diverged"):
        BestEpoch("val_loss").require_any(lr=10.0)


def test_a_callback_may_end_a_training_run_and_the_best_epoch_so_far_is_kept() -> None:
    def until_three(epoch: Epoch) -> None:
        if epoch["epoch"] == 3:
            raise StopTraining

    for model in ("mlp", "trees", "lsgnn"):
        entry, graph = zoo.get(model), two_blocks()
        split = stratified_splits(graph.y)[0]
        for engine in entry.engines:
            config = entry.config(epochs=8)
            trained = entry.train(
                graph, entry.prepare(graph, config), split, config, engine=engine, on_epoch=until_three
            )
            ends = range(3, 9) if engine == "cpu" else [3]  # the fused engine tells while later epochs are under way
            assert len(trained.history) in ends
            assert 1 <= trained.best_epoch <= len(trained.history)


def test_every_step_is_made_in_training_mode_and_every_score_is_not() -> None:
    config = LSGNNConfig(epochs=3, K=2, hidden_channels=8)
    model = LSGNN.from_config(config, GRAPH.num_features, 2, GRAPH.num_nodes)
    seen = list[tuple[bool, bool]]()
    model.register_forward_hook(lambda module, *_: seen.append((module.training, torch.is_grad_enabled())))
    train_torch(model, make_rows(precompute(GRAPH, config), config), GRAPH.y, SPLIT, config)
    assert seen == [(True, True), (False, False)] * 3
