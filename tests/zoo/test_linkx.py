import numpy as np
import pytest
import torch
from torch_geometric.nn import LINKX as PyGLINKX

from lsgnn.graph.graph import Graph
from tests.zoo.reading import GRAPH, built, features_l1


@pytest.mark.parametrize("layers", [1, 2])
def test_it_equals_pygs_linkx_on_flipped_edges(layers: int) -> None:
    depth = {"num_layers": layers, "num_edge_layers": layers, "num_node_layers": layers}
    module, inputs = built("linkx", direction="out", hidden_channels=6, **depth)
    theirs = PyGLINKX(40, 12, 6, 3, dropout=0.5, **depth).eval()
    with torch.no_grad():
        theirs.edge_lin.weight.copy_(module.edge_mlp.layers[0].weight)
        theirs.edge_lin.bias.copy_(module.edge_mlp.layers[0].bias)
        # our W [h_A ‖ h_X] is one map, theirs are two
        for lin, weight in zip((theirs.cat_lin1, theirs.cat_lin2), module.mix.weight.chunk(2), strict=True):
            lin.weight.copy_(weight.t())
            lin.bias.copy_(module.mix.bias / 2)
        pairs = [*zip(module.node_mlp.layers, theirs.node_mlp.lins, strict=True)]
        pairs += [*zip(module.final_mlp.layers, theirs.final_mlp.lins, strict=True)]
        if layers == 2:
            pairs.append((module.edge_mlp.layers[1], theirs.edge_mlp.lins[0]))
        for ours, lin in pairs:
            lin.weight.copy_(ours.weight.t())
            lin.bias.copy_(ours.bias)
        expected = theirs(features_l1(GRAPH), torch.from_numpy(GRAPH.edge_index).flip(0))
    torch.testing.assert_close(module(inputs), expected, atol=1e-5, rtol=1e-4)


def test_renaming_nodes_and_their_weights_renames_the_outputs() -> None:
    order = np.random.default_rng(0).permutation(40)
    renamed = Graph(x=np.asarray(GRAPH.x)[order], edge_index=np.argsort(order)[GRAPH.edge_index], y=GRAPH.y[order])
    module, inputs = built("linkx")
    other, other_inputs = built("linkx", renamed)
    with torch.no_grad():
        other.edge_mlp.layers[0].weight.copy_(module.edge_mlp.layers[0].weight[order])
    torch.testing.assert_close(other(other_inputs), module(inputs)[order], atol=1e-5, rtol=1e-4)
