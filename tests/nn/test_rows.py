import numpy as np
import pytest
import torch

from lsgnn import LSGNNConfig
from lsgnn.nn.rows import DenseChannels, NarrowChannels, make_rows, prefers_dense
from lsgnn.propagate.precompute import channels, precompute
from tests.graphs import random_graph


@pytest.mark.parametrize("propagation", ["irdc", "power", "initial_residual", "drc"])
def test_narrow_and_dense_channels_project_alike_with_equal_gradients(propagation: str) -> None:
    graph = random_graph(sparse=True)
    config = LSGNNConfig(K=3, beta=0.3, gamma=0.7, direction="out", propagation=propagation)
    pre, weight = precompute(graph, config), torch.randn(7, graph.num_features, 4)
    results, rows = [], torch.tensor([5, 0, 7])
    for dense in (True, False):
        W = weight.clone().requires_grad_()
        out = make_rows(pre, config, dense).select(rows).channels.project(W)
        out.square().sum().backward()
        results.append((out.detach(), W.grad))
    (dense_out, dense_grad), (narrow_out, narrow_grad) = results
    assert dense_out.shape == (7, 3, 4)
    assert torch.allclose(dense_out, torch.from_numpy(channels(pre, config)[:, rows]) @ weight, atol=1e-5)
    assert torch.allclose(narrow_out, dense_out, atol=1e-5)
    assert torch.allclose(narrow_grad, dense_grad, atol=1e-4)


def test_sparse_features_take_the_narrow_path_and_low_dimensional_ones_the_dense() -> None:
    config, random = LSGNNConfig(), np.random.default_rng(0)
    wide = random_graph(n=200, d=4000, sparse=True)
    wide.x.data[random.random(wide.x.nnz) < 0.97] = 0
    wide.x.eliminate_zeros()
    assert not prefers_dense(precompute(wide, config), config)
    assert isinstance(make_rows(precompute(wide, config), config).channels, NarrowChannels)
    low = random_graph(d=10)
    assert isinstance(make_rows(precompute(low, config), config).channels, DenseChannels)
    assert prefers_dense(precompute(wide, config), config.replace(K=20))  # too deep for the power basis


def test_picking_rows_of_a_per_node_tensor() -> None:
    rows = make_rows(precompute(random_graph(), LSGNNConfig()), LSGNNConfig())
    assert rows.pick(torch.arange(40)).tolist() == list(range(40))
    assert rows.select(torch.tensor([3, 1])).pick(torch.arange(40)).tolist() == [3, 1]
