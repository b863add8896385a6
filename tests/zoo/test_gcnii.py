import math
from dataclasses import replace

import numpy as np
import torch
from torch_geometric.nn import GCN2Conv

from lsgnn.nn.sparse import SparseMatrix
from lsgnn.zoo.gcnii import GCNIILayer
from lsgnn.zoo.inputs import gcn_filter, message_edges
from tests.zoo.reading import GRAPH, built, dense_gcn_filter, features_l1

ADJ = SparseMatrix.of(gcn_filter(GRAPH, "undirected"))
P = dense_gcn_filter(GRAPH)


def test_it_equals_pygs_gcn2_conv_layer_by_layer() -> None:
    module, inputs = built("gcnii", num_layers=3, alpha=0.2, theta=1.5, raw_self_loops=False)
    edges = message_edges(GRAPH, "undirected")
    h = h0 = module.first(features_l1(GRAPH)).relu()
    for number, ours in enumerate(module.layers, start=1):
        theirs = GCN2Conv(64, alpha=0.2, theta=1.5, layer=number)
        theirs.weight1.data = ours.weight.data
        h = theirs(h, h0, edges).relu()
    torch.testing.assert_close(module(inputs), module.last(h), atol=1e-5, rtol=1e-4)


def test_without_residual_and_with_all_weight_it_is_a_gcn_layer() -> None:
    layer, h = GCNIILayer(5, alpha=0.0, beta=1.0), torch.randn(40, 5)
    torch.testing.assert_close(layer(h, torch.randn(40, 5), ADJ), (P @ h @ layer.weight).relu(), atol=1e-5, rtol=1e-4)


def test_the_star_gives_the_initial_residual_a_matrix_of_its_own() -> None:
    alpha, beta = 0.3, math.log(1.5)
    layer, h, h0 = GCNIILayer(5, alpha, beta, star=True), torch.randn(40, 5), torch.randn(40, 5)
    top, bottom = layer.weight[:5], layer.weight[5:]
    expected = beta * (P @ h @ top + h0 @ bottom) + (1 - beta) * ((1 - alpha) * P @ h + alpha * h0)
    torch.testing.assert_close(layer(h, h0, ADJ), expected.relu(), atol=1e-5, rtol=1e-4)


def test_self_loops_of_the_data_come_on_top_of_the_added_ones() -> None:
    graph = replace(GRAPH, edge_index=np.array([[0, 0], [0, 1]]))
    assert np.allclose(gcn_filter(graph, "out", raw_self_loops=True).toarray()[0, 0], 2 / 3)
    assert np.allclose(gcn_filter(graph, "out").toarray()[0, 0], 1 / 2)
