from dataclasses import replace

import numpy as np
import scipy.sparse as sp
import torch
from torch_geometric.nn import SGConv

from lsgnn.zoo.inputs import message_edges
from tests.zoo.reading import GRAPH, built, features_l1


def test_it_equals_pygs_sg_conv_whether_features_are_propagated_before_or_after() -> None:
    few = np.asarray(GRAPH.x) * (np.random.default_rng(0).random((40, 12)) < 0.2)
    source, target = GRAPH.edge_index
    plain = replace(GRAPH, edge_index=GRAPH.edge_index[:, source != target])  # PyG counts a self loop of the data once
    for graph, to_go in ((replace(plain, x=few), 0), (replace(plain, x=sp.csr_array(few)), 3)):
        module, inputs = built("sgc", graph, K=3)
        theirs = SGConv(12, 3, K=3)
        theirs.lin.weight.data, theirs.lin.bias.data = module.linear.weight.data.t(), module.linear.bias.data
        expected = theirs(features_l1(replace(GRAPH, x=few)), message_edges(GRAPH, "undirected"))
        assert inputs.hops_to_go == to_go
        torch.testing.assert_close(module(inputs), expected, atol=1e-6, rtol=1e-5)
