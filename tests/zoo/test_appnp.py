import torch
from torch_geometric.nn import APPNP as PyGAPPNP

from lsgnn.zoo.inputs import message_edges
from tests.zoo.reading import GRAPH, built, features_l1


def test_it_equals_pygs_appnp_on_the_same_predictions() -> None:
    module, inputs = built("appnp", K=4, alpha=0.3)
    theirs = PyGAPPNP(K=4, alpha=0.3)
    h = module.mlp(features_l1(GRAPH))
    torch.testing.assert_close(module(inputs), theirs(h, message_edges(GRAPH, "undirected")), atol=1e-6, rtol=1e-5)


def test_always_teleporting_leaves_the_mlp() -> None:
    module, inputs = built("appnp", alpha=1.0)
    torch.testing.assert_close(module(inputs), module.mlp(inputs.x))


def test_the_filter_is_dropped_in_training_only() -> None:
    module, inputs = built("appnp", dropout=0.0, adj_dropout=0.5)
    calm = module(inputs)
    torch.testing.assert_close(calm, module(inputs))
    assert not torch.allclose(calm, module.train()(inputs))
