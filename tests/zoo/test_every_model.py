"""What every model of the zoo promises, whatever it computes."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from lsgnn import zoo
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import stratified_splits
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.train.seeded import seeded
from tests.graphs import random_graph

VARIANTS = [
    ("mlp", {}),
    ("gcn", {}),
    ("gcn", {"num_layers": 4}),
    ("sgc", {}),
    ("gat", {"heads": 2, "out_heads": 2}),
    ("mixhop", {}),
    ("mixhop", {"head": "psum"}),
    ("gcnii", {"num_layers": 3}),
    ("gcnii", {"num_layers": 3, "star": True}),
    ("appnp", {}),
    ("fagcn", {}),
    ("linkx", {"num_layers": 2, "num_edge_layers": 2, "num_node_layers": 2}),
    ("gprgnn", {}),
    ("gprgnn", {"weights": "localsim"}),
    ("gprgnn", {"init": "random"}),
    ("dagnn", {}),
    ("dagnn", {"weights": "localsim", "localsim_act": "sigmoid"}),
    ("h2gcn", {"K": 2}),
    ("h2gcn", {"K": 2, "weights": "localsim", "granularity": "hop"}),
    ("lsgnn", {"K": 2}),
]
IDS = [f"{name}-{'-'.join(map(str, settings.values()))}" for name, settings in VARIANTS]
every_variant = pytest.mark.parametrize(("name", "settings"), VARIANTS, ids=IDS)


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
    first, second = (model.solve(graph, split, config) for _ in range(2))
    other = model.solve(graph, split, config.replace(seed=1))
    assert first.logits.shape == (40, 3)
    assert np.isfinite(first.logits).all()
    assert first.num_parameters > 0
    assert 1 <= first.trained.best_epoch <= 3
    assert np.array_equal(first.logits, second.logits)
    assert not np.array_equal(first.logits, other.logits)


@pytest.mark.parametrize("name", zoo.names())
@pytest.mark.parametrize("sparse", [True, False])
def test_degrees_are_columns_that_the_module_reads(name: str, sparse: bool) -> None:
    """Whoever scales features reads them beside the user's; look-ups and trees do what they do without."""
    graph, model = graph_with(sparse), zoo.get(name)
    split = stratified_splits(graph.y)[0]
    plain, degrees = (
        model.solve(graph, split, model.config(epochs=3, structure_features=s)) for s in ("none", "degrees")
    )
    assert np.isfinite(degrees.logits).all()
    assert np.array_equal(plain.logits, degrees.logits) == (not hasattr(model.config, "feature_norm"))
    if hasattr(model.config, "feature_norm"):
        assert degrees.num_parameters > plain.num_parameters
        assert model.prepare(graph, model.config(structure_features="degrees")).x.shape[1] == 30 + 3  # and a constant


@pytest.mark.parametrize("name", zoo.names())
def test_without_degrees_the_model_prepares_the_graph_itself(name: str) -> None:
    seen: list[object] = []
    model, graph = replace(zoo.get(name), make_inputs=lambda *given: seen.extend(given)), random_graph()
    config = model.config()
    model.prepare(graph, config)
    assert (seen[0] is graph, seen[1] is config, seen[2]) == (True, True, None)


def untrained(name: str, settings: dict, graph: Graph) -> tuple[torch.nn.Module, object, torch.Tensor]:
    model = zoo.get(name)
    config = model.config(hidden_channels=8, **settings)
    inputs = model.prepare(graph, config)
    with seeded(0):
        module = model.build(config, graph, inputs).eval()
    if name == "lsgnn":
        from lsgnn.nn.rows import make_rows

        inputs = make_rows(inputs, config)
    with torch.no_grad():
        return module, inputs, module(inputs)


@every_variant
def test_sparse_and_dense_features_give_the_same_logits(name: str, settings: dict) -> None:
    *_, sparse = untrained(name, settings, graph_with(sparse=True))
    *_, dense = untrained(name, settings, graph_with(sparse=False))
    torch.testing.assert_close(sparse, dense, atol=1e-5, rtol=1e-4)


@every_variant
def test_selected_nodes_get_the_logits_they_have_among_all(name: str, settings: dict) -> None:
    module, inputs, everyone = untrained(name, settings, graph_with(sparse=True))
    index = torch.tensor([5, 39, 0, 3])
    torch.testing.assert_close(module(inputs.select(index)), everyone[index], atol=1e-6, rtol=1e-5)


@every_variant
def test_renaming_the_nodes_renames_the_outputs(name: str, settings: dict) -> None:
    if name == "linkx":
        pytest.skip("has a weight per node: its own test renames those as well")
    graph = graph_with(sparse=True)
    order = np.random.default_rng(2).permutation(graph.num_nodes)
    place = np.argsort(order)
    renamed = Graph(x=sp.csr_array(graph.x)[order], edge_index=place[graph.edge_index], y=graph.y[order])
    *_, before = untrained(name, settings, graph)
    *_, after = untrained(name, settings, renamed)
    torch.testing.assert_close(after, before[torch.from_numpy(order)], atol=1e-5, rtol=1e-4)


@every_variant
def test_reversing_all_edges_swaps_in_and_out(name: str, settings: dict) -> None:
    if name == "mlp":
        pytest.skip("reads no edge")
    graph = graph_with(sparse=True)
    reverse = replace(graph, edge_index=graph.edge_index[::-1])
    *_, out = untrained(name, {**settings, "direction": "out"}, graph)
    *_, back = untrained(name, {**settings, "direction": "in"}, reverse)
    *_, other = untrained(name, {**settings, "direction": "in"}, graph)
    torch.testing.assert_close(out, back, atol=1e-6, rtol=1e-5)
    assert not torch.allclose(out, other, atol=1e-4)


def test_few_features_per_node_are_kept_sparse() -> None:
    from lsgnn.zoo.inputs import features

    assert isinstance(features(graph_with(sparse=True), "l1"), SparseMatrix)
    assert isinstance(features(graph_with(sparse=False), "l1"), torch.Tensor)


def test_every_listed_model_of_ours_says_its_own_name() -> None:
    for name in {name for name, _ in VARIANTS} | {"majority", "twin_lookup"}:
        assert name in zoo.names()
        assert zoo.get(name).name == name


def test_a_misspelt_model_is_told_what_is_near() -> None:
    with pytest.raises(InputError, match=r"no model 'gcn2' in the zoo: did you mean .*'gcn'"):
        zoo.get("gcn2")
    with pytest.raises(InputError, match=r"no model 'transformer' in the zoo: choose one of lsgnn, mlp, gcn"):
        zoo.get("transformer")
    with pytest.raises(InputError, match="'geom_gcn'"):
        zoo.get("Geom-GCN")


@every_variant
def test_settings_out_of_range_are_refused(name: str, settings: dict) -> None:
    with pytest.raises(InputError, match=r"hidden_channels=0 is out of range: it must be at least 1"):
        zoo.get(name).config(hidden_channels=0)
    with pytest.raises(InputError, match=r"there is no setting 'hiden_channels': did you mean 'hidden_channels'\?"):
        zoo.get(name).config.from_dict({"hiden_channels": 3})


class FirstChoice:
    """A trial of Optuna that always suggests the first or smallest value."""

    def suggest_categorical(self, name: str, choices: list) -> object:
        return choices[0]

    def suggest_float(self, name: str, low: float, high: float, log: bool = False) -> float:
        return low

    def suggest_int(self, name: str, low: int, high: int) -> int:
        return low


@every_variant
def test_its_search_space_suggests_valid_settings(name: str, settings: dict) -> None:
    model = zoo.get(name)
    suggested = model.space(FirstChoice())
    assert {"lr"} <= set(suggested)
    model.config(**suggested)
