import numpy as np
import torch
from torch_geometric.nn import DirGNNConv, GCNConv

from lsgnn.graph.graph import Graph
from lsgnn.zoo.dir_gnn import DirGCNConv
from lsgnn.zoo.inputs import message_edges
from tests.zoo.reading import GRAPH, built


def test_a_layer_equals_pygs_where_both_degrees_agree() -> None:
    source, target = GRAPH.edge_index
    both = np.concatenate([[source, target], [target, source]], axis=1)
    graph = Graph(x=GRAPH.x, edge_index=both[:, both[0] != both[1]], y=GRAPH.y)
    _, inputs = built("dir_gnn", graph)
    ours = DirGCNConv(12, 4, alpha=0.3)
    theirs = DirGNNConv(GCNConv(12, 4, add_self_loops=False, bias=False), alpha=0.3, root_weight=False)
    W_out, W_in = ours.linear.weight.detach().chunk(2, dim=1)
    with torch.no_grad():
        theirs.conv_in.lin.weight.copy_(W_in.t())
        theirs.conv_out.lin.weight.copy_(W_out.t())
        ours.bias.zero_()  # PyG has one bias of both directions
    expected = theirs(inputs.x, message_edges(graph, "out"))
    torch.testing.assert_close(ours(inputs.x, inputs.out, inputs.into), expected, atol=1e-6, rtol=1e-5)


def test_all_weight_on_one_direction_ignores_the_other() -> None:
    module, inputs = built("dir_gnn", alpha=1.0)
    blind = type(inputs)(x=inputs.x, out=inputs.out, into=inputs.out)
    assert torch.equal(module(inputs), module(blind))


def test_cat_reads_every_layer_and_none_only_the_last() -> None:
    cat, _ = built("dir_gnn", num_layers=3, hidden_channels=5, jk="cat")
    none, _ = built("dir_gnn", num_layers=3, hidden_channels=5, jk="none")
    assert cat.head.in_channels == 15
    assert none.head is None
    assert none.convs[-1].out_channels == GRAPH.num_classes
