"""The engine computes what the torch model computes: logits and gradients, on random graphs, by both reductions."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from lsgnn import reference
from lsgnn.graph.graph import Graph
from lsgnn.nn.fusion import fuse
from lsgnn.nn.rows import make_rows
from lsgnn.propagate.precompute import mixing, precompute
from lsgnn.train.fused import gradients_cpu, logits_cpu, supports, train_cpu
from tests.train.fused.problems import Problem, make_problem

GOLDEN = Path(__file__).parents[4] / "shared" / "golden"

problems = st.builds(
    make_problem,
    seed=st.integers(0, 2**16),
    n=st.integers(8, 60),
    d=st.integers(2, 20),
    C=st.integers(2, 6),
    dense=st.booleans(),
    K=st.integers(1, 4),
    hidden_channels=st.sampled_from([3, 8, 16, 24, 32, 40]),
    direction=st.sampled_from(["undirected", "out", "in", "both"]),
    localsim_direction=st.sampled_from(["same", "in"]),
    localsim_self_loops=st.booleans(),
    similarity=st.sampled_from(["cosine", "euclidean", "squared"]),
    propagation=st.sampled_from(["irdc", "power", "initial_residual", "drc"]),
    filter=st.sampled_from(["weighted_self_loop", "self_loop"]),
    gamma=st.sampled_from([0.0, 0.3, 1.0]),
    beta=st.sampled_from([0.0, 0.4, 1.0]),
    weights=st.sampled_from(["localsim", "graph"]),
    localsim_scale=st.sampled_from(["none", "standard"]),
    localsim_hops=st.integers(0, 2),
    localsim_degree=st.booleans(),
    reduce_norm=st.sampled_from(["row", "batch", "none"]),
    out_norm=st.booleans(),
    adjacency_embedding=st.booleans(),
    dropout=st.just(0.0),
)


def assume_no_channel_cancels(problem: Problem) -> None:
    """Rejects graphs with a channel row of rounding errors only (an isolated node seen by a high-pass filter, say):
    it is scaled to length one, and rounding decides where it points."""
    M, power = mixing(problem.config), np.asarray(sp.csr_array(problem.pre.x).toarray(), dtype=np.float64)
    size = np.linalg.norm(power, axis=1)
    total, total_size = np.zeros((*M.shape[:2], *power.shape)), np.zeros((*M.shape[:2], len(power)))
    for s in range(problem.config.K + 1):
        total += M[:, :, s, None, None] * power
        total_size += abs(M[:, :, s, None]) * size
        power, size = problem.pre.adj @ power, problem.pre.adj @ size
    assume(not (np.linalg.norm(total, axis=-1) < 1e-3 * total_size)[total_size > 0].any())


@torch.no_grad()
def assume_no_row_all_but_vanishes(problem: Problem) -> None:
    """Rejects problems with a row that is almost, but not quite, zero before it is scaled to length one: its gradient
    is a difference of equal numbers divided by almost nothing, in float32 by either way."""
    rows, model = make_rows(problem.pre, problem.config, dense=True), problem.model
    projected = rows.channels.project(model.reduce.weights[0]).norm(dim=-1)
    reduced = model.reduce(rows.channels)
    fused = fuse(reduced, model.fusion(rows, reduced[0])).norm(dim=-1)
    links = model.adjacency.train()(rows.links).norm(dim=-1) if model.adjacency is not None else fused
    for norm in (projected / projected.max(), fused, links):
        assume(not ((norm > 0) & (norm < 0.02)).any())


@torch.no_grad()
def assume_no_unit_at_its_kink(problem: Problem) -> None:
    """Rejects problems where a column has no variance over the training rows: batch norm divides rounding errors by
    almost nothing, and ReLU goes by their sign."""
    if problem.config.reduce_norm == "batch":
        train = torch.from_numpy(np.flatnonzero(problem.split.train))
        rows = make_rows(problem.pre, problem.config, dense=True).select(train)
        projected = rows.channels.project(problem.model.reduce.weights[0])
        normed = deepcopy(problem.model.reduce.norms[0]).train()(projected)
        assume(not ((normed != 0) & (normed.abs() < 1e-3)).any())


def torch_gradients(problem: Problem) -> dict[str, torch.Tensor]:
    """By autograd."""
    train = torch.from_numpy(np.flatnonzero(problem.split.train))
    logits = problem.model.train()(make_rows(problem.pre, problem.config, dense=True).select(train))
    F.cross_entropy(logits, torch.from_numpy(problem.y)[train]).backward()
    return {name: p.grad for name, p in problem.model.named_parameters() if p.grad is not None}


@settings(max_examples=60, deadline=None)
@given(problem=problems)
def test_logits_equal_the_torch_model(problem: Problem) -> None:
    assume_no_channel_cancels(problem)
    with torch.no_grad():
        expected = problem.model.eval()(make_rows(problem.pre, problem.config, dense=True)).numpy()

    logits = logits_cpu(problem.pre, problem.config, problem.initial)

    np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-5)


@settings(max_examples=100, deadline=None)
@given(problem=problems, path=st.sampled_from(["narrow", "dense"]))
def test_gradients_equal_autograd(problem: Problem, path: Any) -> None:
    assume_no_channel_cancels(problem)
    assume_no_row_all_but_vanishes(problem)
    assume_no_unit_at_its_kink(problem)
    expected = torch_gradients(problem)

    gradients = gradients_cpu(problem.pre, problem.y, problem.split, problem.config, problem.initial, path)

    assert gradients.keys() == expected.keys()
    close = 1e-4 if problem.config.reduce_norm == "batch" else 1e-5  # a column without variance is divided by √1e-5
    for name, gradient in gradients.items():
        size = float(expected[name].abs().max())
        np.testing.assert_allclose(gradient, expected[name], rtol=1e-4, atol=close * max(size, 0.1), err_msg=name)


@pytest.mark.parametrize("path", ["narrow", "dense"])
@pytest.mark.parametrize("links", [False, True])
def test_with_dropout_gradients_are_the_slopes_of_the_loss(path: Any, links: bool) -> None:
    """Masks depend on seed, epoch, node and column only, so that the loss of the first step is a function of the
    weights."""
    problem = make_problem(seed=5, dropout=0.5, adjacency_embedding=links, epochs=1, lr=1e-6)
    gradients = gradients_cpu(problem.pre, problem.y, problem.split, problem.config, problem.initial, path)
    random, step = np.random.default_rng(0), 1e-3

    def loss(name: str, entry: int, change: float) -> float:
        weights = problem.initial
        weights[name].view(-1)[entry] += change
        trained = train_cpu(problem.pre, problem.y, problem.split, problem.config, weights, path)
        return trained.history[0]["train_loss"]

    for name, gradient in gradients.items():
        for entry in random.choice(gradient.numel(), size=min(3, gradient.numel()), replace=False):
            slope = (loss(name, entry, step) - loss(name, entry, -step)) / (2 * step)
            assert slope == pytest.approx(float(gradient.reshape(-1)[entry]), rel=0.02, abs=5e-4), name


def test_large_hidden_sizes_and_many_features_cross_tiles_and_blocks() -> None:
    problem = make_problem(n=9000, d=50, K=2, hidden_channels=64, dropout=0.0, adjacency_embedding=True)
    expected = torch_gradients(problem)

    gradients = gradients_cpu(problem.pre, problem.y, problem.split, problem.config, problem.initial, "narrow")

    for name, gradient in gradients.items():
        np.testing.assert_allclose(gradient, expected[name], rtol=1e-3, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.npz")), ids=lambda file: file.stem)
def test_logits_equal_the_released_code(file: Path) -> None:
    with np.load(file) as arrays:
        golden = dict(arrays)
    released = json.loads(golden["config"].tobytes())
    config = reference.our_config(released)
    if not supports(config):
        pytest.skip("for the torch loop")
    weights = {
        key.removeprefix("weight:"): torch.from_numpy(golden[key]) for key in golden if key.startswith("weight:")
    }
    graph = Graph(x=golden["x"], edge_index=golden["edge_index"])

    logits = logits_cpu(precompute(graph, config), config, reference.our_weights(weights))

    np.testing.assert_allclose(logits, golden["logits"], atol=1e-5)
