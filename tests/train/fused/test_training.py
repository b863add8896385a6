"""A training by the engine is a training by torch: same steps, same selection, and nothing of the test nodes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from lsgnn.errors import InputError
from lsgnn.graph.splits import Split
from lsgnn.nn.rows import make_rows
from lsgnn.train.fused import buffers, gradients_cpu, logits_cpu, operands, supports, train_cpu
from lsgnn.train.loop import train_torch
from lsgnn.train.trained import StopTraining, Trained
from tests.train.fused.problems import Problem, make_problem


def train(problem: Problem, **options: Any) -> Trained:
    return train_cpu(problem.pre, problem.y, problem.split, problem.config, problem.initial, **options)


def same(a: Trained, b: Trained) -> bool:
    """Equal bit for bit."""
    weights = all(torch.equal(a.state_dict[name], b.state_dict[name]) for name in a.state_dict)
    return weights and a.history == b.history and a.best_epoch == b.best_epoch


def assert_equals_torch(problem: Problem, path: str) -> None:
    """Every epoch and the weights that come back."""
    ours = train(problem, path=path)
    rows = make_rows(problem.pre, problem.config, dense=True)

    theirs = train_torch(problem.model, rows, problem.y, problem.split, problem.config)

    assert ours.best_epoch == theirs.best_epoch
    for a, b in zip(ours.history, theirs.history, strict=True):
        assert a == pytest.approx(b, abs=1e-4)
    assert ours.state_dict.keys() == theirs.state_dict.keys()
    for name, tensor in theirs.state_dict.items():
        assert ours.state_dict[name].shape == tensor.shape
        if not name.endswith("num_batches_tracked"):  # which torch counts and never reads
            np.testing.assert_allclose(ours.state_dict[name], tensor, atol=2e-3, err_msg=name)


@pytest.mark.parametrize("path", ["narrow", "dense"])
@pytest.mark.parametrize("optimizer", ["adam", "adamw"])
@pytest.mark.parametrize("select_by", ["val_loss", "val_accuracy"])
def test_without_dropout_every_epoch_equals_the_torch_loop(path: str, optimizer: str, select_by: str) -> None:
    settings = dict(dropout=0.0, lr=0.02, weight_decay=0.05, optimizer=optimizer, select_by=select_by)
    assert_equals_torch(make_problem(seed=3, **settings), path)


@pytest.mark.parametrize("path", ["narrow", "dense"])
@pytest.mark.parametrize("out_norm", [True, False])
def test_with_the_adjacency_embedding_too(path: str, out_norm: bool) -> None:
    settings = dict(adjacency_embedding=True, dropout=0.0, lr=0.02, epochs=12, out_norm=out_norm)
    assert_equals_torch(make_problem(seed=3, **settings), path)


@pytest.mark.parametrize("path", ["narrow", "dense"])
@pytest.mark.parametrize(("reduce_norm", "links"), [("batch", False), ("batch", True), ("none", False)])
def test_whatever_the_norm_of_the_reduction_is(path: str, reduce_norm: str, links: bool) -> None:
    settings = dict(reduce_norm=reduce_norm, adjacency_embedding=links, out_norm=False, hidden_channels=24)
    assert_equals_torch(make_problem(seed=3, dropout=0.0, lr=0.02, epochs=12, **settings), path)


@pytest.mark.parametrize("path", ["narrow", "dense"])
def test_whatever_the_weights_are_made_of(path: str) -> None:
    settings = dict(localsim_scale="standard", localsim_hops=2, localsim_degree=True)
    assert_equals_torch(make_problem(seed=3, dropout=0.0, lr=0.02, epochs=12, **settings), path)


def test_the_adjacency_embedding_needs_links(problem: Problem) -> None:
    config = problem.config.replace(adjacency_embedding=True)

    with pytest.raises(InputError, match="no links to embed"):
        train(replace(problem, config=config))


@pytest.mark.parametrize("settings", [{}, {"adjacency_embedding": True}, {"reduce_norm": "batch"}])
def test_the_weights_of_the_best_epoch_come_back(settings: dict[str, Any]) -> None:
    problem = make_problem(lr=0.05, epochs=60, **settings)
    trained = train(problem)
    best = trained.history[trained.best_epoch - 1]
    val, y = problem.split.val, torch.from_numpy(problem.y)

    logits = torch.from_numpy(logits_cpu(problem.pre, problem.config, trained.state_dict))[val]

    assert best["val_loss"] == min(epoch["val_loss"] for epoch in trained.history)
    assert float(torch.nn.functional.cross_entropy(logits, y[val])) == pytest.approx(best["val_loss"], abs=1e-5)


def test_patience_stops_the_training() -> None:
    problem = make_problem(epochs=200, lr=0.5, patience=3)

    trained = train(problem)

    assert len(trained.history) == trained.best_epoch + 3 < 200


@pytest.mark.parametrize("path", ["narrow", "dense"])
def test_the_same_seed_gives_the_same_bits_and_another_seed_another_dropout(problem: Problem, path: str) -> None:
    first, again = train(problem, path=path), train(problem, path=path)
    other = train(replace(problem, config=problem.config.replace(seed=1)), path=path)

    assert same(first, again)
    assert other.history[0]["train_loss"] != first.history[0]["train_loss"]


def test_dropout_hits_its_share_and_scales_the_rest() -> None:
    """With one training row and an output layer of zeros, the layer's gradient is a multiple of that row's inputs."""
    problem = make_problem(hidden_channels=64, K=4)
    split, initial = problem.split, problem.initial
    one = Split(np.arange(len(problem.y)) == np.flatnonzero(split.train)[0], split.val, split.test)
    initial["head.weight"].zero_()

    def inputs(dropout: float, seed: int = 0) -> np.ndarray:
        config = problem.config.replace(dropout=dropout, seed=seed)
        return gradients_cpu(problem.pre, problem.y, one, config, initial)["head.weight"][0].numpy()

    plain = inputs(0.0)
    for dropout in (0.3, 0.7):
        masked = np.stack([inputs(dropout, seed)[plain != 0] for seed in range(40)])
        kept = masked != 0
        assert kept.mean() == pytest.approx(1 - dropout, abs=0.02)
        scaled = np.broadcast_to(plain[plain != 0] / (1 - dropout), masked.shape)
        np.testing.assert_allclose(masked[kept], scaled[kept], rtol=1e-5)


@pytest.mark.parametrize("path", ["narrow", "dense"])
@pytest.mark.parametrize(
    "settings",
    [
        dict(hidden_channels=16, K=3),
        dict(hidden_channels=40, adjacency_embedding=True, weights="graph", select_by="val_macro_f1"),
        dict(adjacency_embedding=True, out_norm=True),
        dict(reduce_norm="batch", localsim_hops=1, localsim_scale="standard"),
        dict(reduce_norm="none", localsim_degree=True),
        dict(reduce_norm="batch", adjacency_embedding=True, localsim_hops=2, localsim_degree=True),
    ],
)
def test_a_training_gives_the_same_bits_for_any_number_of_threads(path: str, settings: dict[str, Any]) -> None:
    """With 700 nodes, rows, nodes and similarities all come in several chunks."""
    problem = make_problem(n=700, d=70, epochs=6, **settings)
    one = train(problem, path=path, threads=1)

    for threads in (2, 3, 16):
        assert same(one, train(problem, path=path, threads=threads)), threads


@pytest.mark.parametrize("hidden_channels", [8, 16, 32])
def test_tiles_in_pairs_train_as_tiles_alone(hidden_channels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem(n=700, d=70, epochs=6, hidden_channels=hidden_channels, K=3)

    def by(cached_bytes: int) -> Trained:
        monkeypatch.setattr(operands, "PAIRED_WEIGHTS", cached_bytes)
        return train(problem, path="narrow", threads=1)

    assert same(by(0), by(1 << 20))


def test_the_last_tiles_go_alone_where_there_are_more_threads() -> None:
    sizes = np.array([32, 32, 32, 32, 32, 16])

    def units(threads: int, d: int = 500) -> list[int]:
        return np.diff(operands._units(sizes, 32, d, threads)).tolist()

    assert units(1) == [2, 2, 2]
    assert units(2) == [2, 2, 1, 1]
    assert units(3) == [2, 1, 1, 1, 1]
    assert units(4) == [1] * 6
    assert units(1, d=5000) == [1] * 6  # two tiles of weights would not fit the cache


def test_rows_reduced_a_few_at_a_time_train_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem(n=700, d=70, epochs=6, hidden_channels=16, K=3)

    def by(cached_bytes: int, threads: int = 1) -> Trained:
        monkeypatch.setattr(buffers, "CACHED_CHANNELS", cached_bytes)
        return train(problem, path="dense", threads=threads)

    all_at_once, few = by(0), by(1 << 16)  # 24 of 175 rows
    assert same(few, by(1 << 16, threads=3))
    assert not same(few, all_at_once)  # their gradients are added up in another order
    for one, other in zip(few.history, all_at_once.history, strict=True):
        assert one["train_loss"] == pytest.approx(other["train_loss"], rel=1e-4)
        assert one["val_loss"] == pytest.approx(other["val_loss"], rel=1e-4)


def test_epochs_are_told_once_each_and_in_order(problem: Problem) -> None:
    told: list[Any] = []

    trained = train(problem, on_epoch=told.append)

    assert told == trained.history


def test_a_callback_can_end_a_training_while_it_runs() -> None:
    """It is told of epochs while later ones are under way: it ends long before 10⁶ epochs, not at once."""
    problem, told = make_problem(epochs=1_000_000), []

    def enough(epoch: Any) -> None:
        told.append(epoch)
        if len(told) == 3:
            raise StopTraining

    trained = train(problem, on_epoch=enough)

    assert len(told) == 3
    assert 3 <= len(trained.history) < 1_000_000
    assert told == trained.history[:3]


def test_an_error_in_a_callback_ends_the_training() -> None:
    def broken(epoch: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(make_problem(epochs=100_000), on_epoch=broken)


def test_predictions_too() -> None:
    problem = make_problem(n=700, reduce_norm="batch", localsim_hops=2, localsim_degree=True)
    one, three = (logits_cpu(problem.pre, problem.config, problem.initial, threads) for threads in (1, 3))

    assert (one == three).all()


def test_trainings_side_by_side_give_what_they_give_alone() -> None:
    problems = [make_problem(seed=s, n=200, epochs=30) for s in range(6)]
    serial = [train(p) for p in problems]

    with ThreadPoolExecutor(3) as threads:
        parallel = list(threads.map(train, reversed(problems)))

    assert all(same(a, b) for a, b in zip(serial, reversed(parallel), strict=True))


@pytest.mark.parametrize("path", ["narrow", "dense"])
def test_labels_outside_train_and_validation_are_never_read(problem: Problem, path: str) -> None:
    poisoned = problem.y.copy()
    poisoned[~(problem.split.train | problem.split.val)] = 10**6

    assert same(train(problem, path=path), train(replace(problem, y=poisoned), path=path))


def test_the_initial_weights_are_left_alone(problem: Problem) -> None:
    initial = problem.initial

    train_cpu(problem.pre, problem.y, problem.split, problem.config, initial)

    assert all(torch.equal(initial[name], tensor) for name, tensor in problem.model.state_dict().items())


def test_divergence_is_an_error_that_names_the_learning_rate(problem: Problem) -> None:
    broken = problem.initial
    broken["head.bias"][0] = float("nan")

    with pytest.raises(InputError, match=r"diverged.*lr="):
        train_cpu(problem.pre, problem.y, problem.split, problem.config, broken)


def test_an_unlabelled_training_node_is_an_error(problem: Problem) -> None:
    y = problem.y.copy()
    node = int(np.flatnonzero(problem.split.train)[0])
    y[node] = -1

    with pytest.raises(InputError, match=f"node {node} has class -1"):
        train(replace(problem, y=y))


def test_unsupported_settings_are_refused(problem: Problem) -> None:
    config = problem.config.replace(head="mlp")

    assert not supports(config)
    with pytest.raises(InputError, match="engine='auto'"):
        train(replace(problem, config=config))
