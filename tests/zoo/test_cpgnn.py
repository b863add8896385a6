from dataclasses import replace

import numpy as np
import torch
from torch.nn import functional as F

from lsgnn.graph.splits import stratified_splits
from lsgnn.zoo.cpgnn import MODEL, CPGNNConfig, compatibility, sinkhorn
from tests.graphs import two_blocks
from tests.zoo.exact import dense, dense_adjacency, exact
from tests.zoo.reading import GRAPH, built


def test_it_equals_belief_propagation_with_dense_matrices() -> None:
    module, inputs = exact("cpgnn", GRAPH, rounds=2, adjacency="plain")
    H = torch.tensor([[0.5, -0.2, -0.3], [0.1, 0.2, -0.3], [-0.4, 0.1, 0.3]], dtype=torch.float64)  # rows sum to zero
    with torch.no_grad():
        module.H.copy_(H)
    A = dense_adjacency(GRAPH)
    E = F.softmax(module.prior(dense(inputs.x)), dim=-1) - 1 / 3
    expected = E + A @ (E + A @ E @ H) @ H
    torch.testing.assert_close(module(inputs), expected, atol=1e-10, rtol=0)


def test_no_rounds_leave_the_prior() -> None:
    module, inputs = built("cpgnn", rounds=0)
    assert torch.equal(module(inputs).argmax(dim=-1), module.prior(inputs.x).argmax(dim=-1))


def test_compatibility_only_looks_at_the_row_differences() -> None:
    module, inputs = built("cpgnn")
    with torch.no_grad():
        module.H.normal_()
        before = module(inputs)
        module.H.add_(torch.tensor([[1.0], [2.0], [3.0]]))
    torch.testing.assert_close(module(inputs), before)


def test_sinkhorn_makes_rows_and_columns_sum_to_one() -> None:
    H = sinkhorn(torch.tensor([[1.0, 2.0], [3.0, 9.0]], dtype=torch.float64))
    torch.testing.assert_close(H.sum(dim=0), torch.ones(2, dtype=torch.float64))
    torch.testing.assert_close(H.sum(dim=1), torch.ones(2, dtype=torch.float64))


def test_known_labels_tell_whether_classes_attract_or_avoid_each_other() -> None:
    for alike, sign in ((True, 1), (False, -1)):
        graph = two_blocks(alike=alike)
        _, inputs = built("cpgnn", graph)
        unsure = torch.full((graph.num_nodes, 2), 0.5)
        H = compatibility(inputs.adj, unsure, torch.arange(40), torch.from_numpy(graph.y[:40]))
        torch.testing.assert_close(H.sum(dim=0), torch.zeros(2), atol=1e-5, rtol=0)
        assert sign * H[0, 0] > 0.1
        assert sign * H[0, 1] < -0.1


def test_labels_outside_the_training_nodes_change_no_weight() -> None:
    split = stratified_splits(GRAPH.y)[0]
    y = GRAPH.y.copy()
    hidden = ~split.train & ~split.val
    y[hidden] = (y[hidden] + 1) % 3
    config = CPGNNConfig(epochs=4, pretrain_epochs=5)
    first, second = (MODEL.solve(graph, split, config) for graph in (GRAPH, replace(GRAPH, y=y)))
    assert np.array_equal(first.logits, second.logits)
    y[split.val] = (y[split.val] + 1) % 3  # validation labels choose the epoch and nothing else
    one = config.replace(epochs=1)
    third, fourth = (MODEL.solve(graph, split, one) for graph in (GRAPH, replace(GRAPH, y=y)))
    assert np.array_equal(third.logits, fourth.logits)


def test_the_prior_is_trained_alone_first_and_only_once() -> None:
    module, inputs = built("cpgnn", pretrain_epochs=30, dropout=0.0)
    module.train()
    before = F.cross_entropy(module.prior(inputs.x), module.y)
    module(inputs)
    after = F.cross_entropy(module.prior(inputs.x), module.y)
    assert after < before
    module(inputs)
    assert F.cross_entropy(module.prior(inputs.x), module.y) == after
    assert all(p.grad is None for p in module.parameters())
