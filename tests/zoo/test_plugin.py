"""LocalSim in place of a host's own weights."""

import numpy as np
import pytest
import torch

from lsgnn.nn.localsim import LocalSimWeights, neighbours_of
from tests.zoo.reading import GRAPH, built

HOSTS = [
    ("gprgnn", {}),
    ("dagnn", {}),
    ("dagnn", {"localsim_act": "sigmoid"}),
    ("h2gcn", {"K": 2}),
    ("h2gcn", {"K": 2, "granularity": "hop"}),
]


@pytest.mark.parametrize(("name", "settings"), HOSTS)
def test_it_starts_as_its_host_where_localsim_does_not_speak_yet(name: str, settings: dict) -> None:
    host, inputs = built(name, **settings)
    plugged, with_neighbours = built(name, weights="localsim", **settings)
    own = {k: v for k, v in host.state_dict().items() if k in plugged.state_dict()}
    plugged.load_state_dict(own, strict=False)
    with torch.no_grad():
        plugged.localsim.mlp[-1].weight.zero_()
        if name == "dagnn":  # keeps half of every hop
            host.retain.weight.zero_()
            host.retain.bias.zero_()
    torch.testing.assert_close(plugged(with_neighbours), host(inputs), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(("name", "settings"), HOSTS)
def test_the_weights_differ_from_node_to_node_and_learn(name: str, settings: dict) -> None:
    plugged, inputs = built(name, weights="localsim", **settings)
    alpha = plugged.localsim(inputs.neighbours)
    assert alpha.std(dim=0).min() > 0
    plugged(inputs).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in plugged.localsim.parameters())


def test_how_many_weights_each_host_needs() -> None:
    counts = {
        (name, *settings.values()): built(name, weights="localsim", **settings)[0].localsim.mlp[-1].out_features
        for name, settings in HOSTS
    }
    assert list(counts.values()) == [11, 11, 11, 3, 5]


def test_the_default_start_is_that_of_lsgnn() -> None:
    torch.manual_seed(0)
    expected = LocalSimWeights(3, 64).state_dict()
    host, default = (
        built("h2gcn", K=2, weights="localsim", localsim_init=init)[0].localsim for init in ("host", "default")
    )
    assert host.mlp[-1].bias.tolist() == [1.0, 1.0, 1.0]
    assert default.mlp[-1].bias.shape == expected["mlp.2.bias"].shape
    assert default.mlp[-1].bias.abs().max() < 0.2


def test_similarities_are_those_of_the_hosts_graph_without_self_loops() -> None:
    _, inputs = built("gprgnn", weights="localsim", direction="in", similarity="euclidean")
    x, edge_index = torch.from_numpy(np.asarray(GRAPH.x)), torch.from_numpy(GRAPH.edge_index)
    theirs = neighbours_of(x, edge_index, "euclidean")
    torch.testing.assert_close(inputs.neighbours.mean(inputs.neighbours.values), theirs.mean(theirs.values))
