"""What the peers made for heterophily promise together; each has a test of its own for what it computes."""

import tomllib
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from lsgnn import zoo
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import stratified_splits
from tests.graphs import random_graph, two_blocks
from tests.zoo.reading import built

VARIANTS = [
    ("geom_gcn", {}),
    ("geom_gcn", {"embedding": "spectral"}),
    ("geom_gcn", {"embedding": "structural"}),
    ("wrgat", {}),
    ("wrgat", {"rings": 1, "mean": False}),
    ("acm_gcn", {}),
    ("acm_gcn", {"variant": "+", "layer_norm": True}),
    ("acm_gcn", {"variant": "++"}),
    ("ggcn", {"num_layers": 4}),
    ("glognn", {"delta": 0.5}),
    ("glognn", {"plus_plus": True, "gamma": 0.3}),
    ("cpgnn", {"pretrain_epochs": 2}),
    ("cpgnn", {"pretrain_epochs": 0, "adjacency": "symmetric", "rounds": 2}),
    ("asgc", {}),
    ("fsgnn", {}),
    ("dir_gnn", {}),
    ("dir_gnn", {"jk": "cat", "normalize": True}),
    ("dir_gnn", {"jk": "none", "alpha": 1.0}),
]
IDS = [f"{name}-{'-'.join(map(str, settings.values()))}" for name, settings in VARIANTS]
every_variant = pytest.mark.parametrize(("name", "settings"), VARIANTS, ids=IDS)
MODELS = sorted({name for name, _ in VARIANTS})
NINE = ["cora", "citeseer", "pubmed", "chameleon", "squirrel", "actor", "cornell", "texas", "wisconsin"]

# weights per node are not renamed with the nodes; ties of degree or of place go by the node's number
NAMES_MATTER = {"geom_gcn", "wrgat"}


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("LSGNN_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


def graph_with(sparse: bool) -> Graph:
    """The same few features, stored sparse or dense; isolated nodes, self loops and a zero row included."""
    graph = random_graph(d=30)
    x = np.asarray(graph.x) * (np.random.default_rng(1).random((40, 30)) < 0.2)
    return replace(graph, x=sp.csr_array(x) if sparse else x)


@every_variant
@pytest.mark.parametrize("sparse", [True, False])
def test_it_trains_and_the_seed_decides_everything(name: str, settings: dict, sparse: bool) -> None:
    graph = graph_with(sparse)
    model, split = zoo.get(name), stratified_splits(graph.y)[0]
    config = model.config(epochs=3, hidden_channels=8, **settings)
    first, second = model.solve(graph, split, config), model.solve(graph, split, config)
    other = model.solve(graph, split, config.replace(seed=1))
    assert first.logits.shape == (graph.num_nodes, graph.num_classes)
    assert np.isfinite(first.logits).all()
    assert np.array_equal(first.logits, second.logits)
    assert np.array_equal(first.logits, other.logits) == (name == "asgc")  # it solves for its weights: nothing is drawn


@every_variant
def test_sparse_and_dense_features_give_the_same_logits(name: str, settings: dict) -> None:
    sparse, dense = (_logits(name, graph_with(kind), settings) for kind in (True, False))
    torch.testing.assert_close(sparse, dense, atol=1e-5, rtol=1e-4)


@every_variant
def test_selected_nodes_get_the_logits_they_have_among_all(name: str, settings: dict) -> None:
    module, inputs = built(name, graph_with(sparse=True), hidden_channels=8, **settings)
    index = torch.tensor([5, 39, 0, 3])
    torch.testing.assert_close(module(inputs.select(index)), module(inputs)[index], atol=1e-6, rtol=1e-5)


@every_variant
def test_renaming_the_nodes_renames_the_outputs(name: str, settings: dict) -> None:
    if name in NAMES_MATTER or settings.get("variant", "plain") != "plain" or settings.get("delta", 1.0) < 1:
        pytest.skip("has weights per node, or breaks ties by a node's number")
    graph = graph_with(sparse=True)
    order = np.random.default_rng(2).permutation(graph.num_nodes)
    place = np.argsort(order)
    renamed = Graph(x=sp.csr_array(graph.x)[order], edge_index=place[graph.edge_index], y=graph.y[order])
    before, after = _logits(name, graph, settings), _logits(name, renamed, settings)
    torch.testing.assert_close(after, before[torch.from_numpy(order)], atol=1e-5, rtol=1e-4)


@every_variant
def test_reversing_all_edges_swaps_in_and_out(name: str, settings: dict) -> None:
    graph = graph_with(sparse=True)
    reverse = replace(graph, edge_index=graph.edge_index[::-1])
    out = _moved_logits(name, graph, {**settings, "direction": "out"})
    back = _moved_logits(name, reverse, {**settings, "direction": "in"})
    other = _moved_logits(name, graph, {**settings, "direction": "in"})
    torch.testing.assert_close(out, back, atol=1e-6, rtol=1e-5)
    assert not torch.allclose(out, other, atol=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_resetting_gives_a_new_start_of_the_same_kind(name: str) -> None:
    module, _ = built(name, graph_with(sparse=True))
    starts = []
    for spoiled in (7.0, -7.0):
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.fill_(spoiled)
        torch.manual_seed(0)
        module.reset_parameters()
        starts.append([p.detach().clone() for p in module.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*starts, strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_it_learns_two_blocks_that_avoid_each_other(name: str) -> None:
    graph = two_blocks(alike=False)
    split = stratified_splits(graph.y)[0]
    config = zoo.get(name).config(epochs=80, hidden_channels=16, lr=0.02, feature_norm="none", dropout=0.2)
    logits = zoo.get(name).solve(graph, split, config).logits
    assert (logits.argmax(axis=1) == graph.y)[split.train].mean() > 0.8


@pytest.mark.parametrize("name", MODELS)
def test_every_preset_is_valid_and_every_suggestion_too(name: str) -> None:
    optuna = pytest.importorskip("optuna")
    model = zoo.get(name)
    tables = tomllib.loads((files("lsgnn.zoo") / "presets" / f"{name}.toml").read_text("utf-8"))
    assert set(tables) <= {"default", "variants", *NINE}
    for dataset in NINE:
        model.config.from_dict({**tables["default"], **tables.get(dataset, {})})
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    for _ in range(5):
        model.config.from_dict(model.space(study.ask()))


def _moved_logits(name: str, graph: Graph, settings: dict) -> torch.Tensor:
    """Away from the initial weights: CPGNN's and ASGC's zeros hide what they read from their neighbours."""
    module, inputs = built(name, graph, hidden_channels=8, **settings)
    torch.manual_seed(3)
    with torch.no_grad():
        for tensor in module.state_dict().values():
            tensor.add_(0.1 * torch.randn_like(tensor))
        return module(inputs)


def _logits(name: str, graph: Graph, settings: dict) -> torch.Tensor:
    module, inputs = built(name, graph, hidden_channels=8, **settings)
    with torch.no_grad():
        return module(inputs)
