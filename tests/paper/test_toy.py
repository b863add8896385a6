"""The toy graphs: the batched model equals the equations, and one cell behaves as theory says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from lsgnn.datasets import fsbm
from lsgnn.propagate.filters import adjacency
from lsgnn.propagate.similarity import NeighbourSimilarity, edge_similarity
from paper import rendering
from paper.frame import Plan, PlannedUnit, Results
from paper.toy import EXPERIMENT, PROTOCOL, compute, limit, node_features, raw_classes
from paper.toy_model import ToyInputs, ToyLSGNN
from paper.toy_page import METHODS


def random_inputs(B: int = 3, c: int = 3, n: int = 20, steered: bool = True) -> ToyInputs:
    torch.manual_seed(0)
    masks = [torch.zeros(B, n) for _ in range(3)]
    return ToyInputs(torch.randn(B, c, n), torch.randn(B, n) if steered else None, torch.zeros(B, n).long(), *masks)


@pytest.mark.parametrize("steered", [True, False])
def test_the_model_is_the_papers_with_one_hop_and_no_normalisation(steered: bool) -> None:
    inputs = random_inputs(steered=steered)
    model = ToyLSGNN(inputs, raw_block=True, z=4)
    assert model.raw_out is not None
    for b in range(3):
        alpha = model.weights().expand(-1, 20, -1)[b]  # [n, c]
        blocks = [F.relu(inputs.h[b, c][:, None] * model.reduce[b, c]) for c in range(3)]  # n × z, as the paper writes
        Z = sum(alpha[:, c, None] * blocks[c] for c in range(3))
        expected = blocks[0] @ model.raw_out[b] + Z @ model.out[b] + model.bias[b]
        torch.testing.assert_close(model()[b], expected)


def test_localsim_and_filters_are_those_of_the_package() -> None:
    graph = fsbm(0.8, 0.3, n=200, seed=1)
    features = node_features(graph)
    A = adjacency(graph, "undirected")
    pairs = np.stack([np.repeat(np.arange(200), np.diff(A.indptr)), A.indices])
    phi = NeighbourSimilarity.of(A, edge_similarity(graph.x, pairs, "squared")).naive_localsim()
    np.testing.assert_allclose(features["phi"], phi, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(features["low"] + features["high"], features["raw"])


def test_the_limit_needs_the_subgraph_where_neighbours_mean_opposite_things() -> None:
    graph = fsbm(1.0, 0.0, seed=3)
    seen, told = ((limit(graph, 1.0, 0.0, know) == graph.y).mean() for know in (False, True))
    assert told > 0.99
    # one hop cannot tell a node of one subgraph from its mirror image in the other: the raw feature is all there is
    assert seen == pytest.approx((raw_classes(graph) == graph.y).mean(), abs=0.02)


def test_a_grid_with_one_cell_renders(tmp_path: Path) -> None:
    results = Results(tmp_path, "toy")
    accuracy = {method: [80.0, 90.0] for method in METHODS}
    arguments = {"lambda1": 0.2, "lambda2": 0.2, **PROTOCOL}
    results.add(PlannedUnit("02-02", arguments), result={"accuracy": accuracy})
    written = rendering.render(EXPERIMENT, results, tmp_path / "out")
    assert "| Raw feature | not run yet | not run yet | 85.0 | 85.0 |" in written[0].read_text("utf-8")


def test_one_cell_where_the_subgraphs_differ_most() -> None:
    arguments: dict[str, Any] = {"lambda1": 1.0, "lambda2": 0.0, "seed": 5, "graphs": 2, "n": 1000, "degree": 10}
    accuracy = compute(arguments | {"epochs": 80, "lr": 0.03, "patience": 30}, Plan())["accuracy"]
    mean = {method: np.mean(scores) for method, scores in accuracy.items()}
    assert mean["raw"] == pytest.approx(84.1, abs=5)
    assert mean["filter_graph"] < 65 < mean["filter_localsim"]
    assert abs(mean["full_localsim"] - mean["full_graph"]) < 4
    assert mean["full_localsim_averaged"] > 92
