from itertools import product

import numpy as np
import pytest
import torch

from lsgnn import Graph, zoo
from lsgnn.errors import InputError
from lsgnn.graph.splits import stratified_splits
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.zoo.presets import zoo_preset, zoo_variants
from tests.graphs import random_graph
from tests.zoo import test_every_model as promises
from tests.zoo.exact import exact
from tests.zoo.reading import built

# 0 and 3 have self loops, 5 and 6 are isolated (6 with a self loop of its own), 4 is a sink, 0→1 comes three times
EDGES = [(0, 0), (0, 1), (0, 1), (0, 1), (1, 0), (1, 2), (2, 3), (3, 3), (3, 1), (2, 4), (3, 4), (6, 6)]
KINDS = [{"conv": "gcn"}, {"conv": "sage"}, {"conv": "gat"}, {"conv": "gat", "heads": 2}]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind.values())))


def small_graph() -> Graph:
    x = np.random.default_rng(0).normal(size=(7, 5))
    return Graph(x=x, edge_index=np.array(EDGES).T, y=np.array([0, 1, 2, 0, 1, 2, 0]))


def readers(direction: str) -> list[list[int]]:
    """Whom each of the seven nodes reads: its neighbours, each once, and itself, once."""
    read = [{i} for i in range(7)]
    for source, target in EDGES:
        if direction in ("out", "undirected"):
            read[source].add(target)
        if direction in ("in", "undirected"):
            read[target].add(source)
    return [sorted(nodes) for nodes in read]


def plain(module: torch.nn.Module, x: torch.Tensor, direction: str, settings: dict) -> torch.Tensor:
    """The equations, node by node."""
    read = readers(direction)
    w = dict(module.named_parameters())
    h, layers = x, []
    if settings.get("pre_linear"):
        h = h @ w["pre.weight"] + w["pre.bias"]
    for l in range(3):
        rows = []
        for i, others in enumerate(read):
            if settings["conv"] == "gcn":
                terms = [h[j] / (len(others) * len(read[j])) ** 0.5 for j in others]
                row = sum(terms) @ w[f"convs.{l}.lin.weight"] + w[f"convs.{l}.lin.bias"]
            elif settings["conv"] == "sage":
                mean = sum(h[j] for j in others) / len(others)
                row = mean @ w[f"convs.{l}.lin.weight"] + w[f"convs.{l}.lin.bias"] + h[i] @ w[f"convs.{l}.own.weight"]
            else:
                row = attention(h, i, others, w[f"convs.{l}.lin.weight"], w[f"convs.{l}.attention"])
            if settings.get("residual", True):
                row = row + h[i] @ w[f"residuals.{l}.weight"] + w[f"residuals.{l}.bias"]
            if settings.get("norm") == "layer":
                row = (row - row.mean()) / (row.var(unbiased=False) + 1e-5).sqrt()
            rows.append(row.relu())
        h = torch.stack(rows)
        layers.append(h)
    h = sum(layers) if settings.get("jk") else h
    return h @ w["head.weight"] + w["head.bias"]


def attention(h: torch.Tensor, i: int, others: list[int], W: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
    heads = []
    for part, to, of in zip(W.chunk(a.shape[1], dim=1), a[0], a[1], strict=True):
        scores = [to @ (h[i] @ part) + of @ (h[j] @ part) for j in others]
        scores = torch.stack([score if score > 0 else 0.2 * score for score in scores])
        shares = scores.exp() / scores.exp().sum()
        heads.append(sum(share * (h[j] @ part) for share, j in zip(shares, others, strict=True)))
    return torch.cat(heads)


@every_kind
@pytest.mark.parametrize("direction", ["undirected", "out", "in"])
def test_it_equals_the_equations_written_node_by_node(kind: dict, direction: str) -> None:
    graph = small_graph()
    for norm, residual, jk, pre_linear in product(["layer", "none"], *[[True, False]] * 3):
        settings = {**kind, "norm": norm, "residual": residual, "jk": jk, "pre_linear": pre_linear}
        settings["feature_norm"] = "none"
        module, inputs = exact("classic", graph, hidden_channels=4, num_layers=3, direction=direction, **settings)
        expected = plain(module, torch.from_numpy(np.asarray(graph.x, dtype=np.float64)), direction, settings)
        # the filter is stored in single precision
        torch.testing.assert_close(module(inputs), expected, atol=1e-6, rtol=1e-5)


@every_kind
def test_it_keeps_what_every_model_promises(kind: dict) -> None:
    for promise in (
        promises.test_sparse_and_dense_features_give_the_same_logits,
        promises.test_selected_nodes_get_the_logits_they_have_among_all,
        promises.test_renaming_the_nodes_renames_the_outputs,
        promises.test_reversing_all_edges_swaps_in_and_out,
        promises.test_settings_out_of_range_are_refused,
        promises.test_its_search_space_suggests_valid_settings,
    ):
        promise("classic", kind)
    for sparse in (True, False):
        promises.test_it_trains_and_the_seed_decides_everything("classic", kind, sparse)


def test_batch_norm_reads_all_nodes_whichever_are_asked_for() -> None:
    module, inputs = built("classic", hidden_channels=4, dropout=0.0)
    first = module.convs[0](inputs.x, inputs.neighbours) + module.residuals[0](inputs.x)
    module.train()(inputs.select(torch.tensor([0, 1])))
    torch.testing.assert_close(module.norms[0].running_mean, 0.1 * first.mean(dim=0))  # torch's momentum
    torch.testing.assert_close(module.norms[0].running_var, 0.9 + 0.1 * first.var(dim=0))


def test_dense_features_are_propagated_once_and_sparse_ones_stay_sparse() -> None:
    for conv in ("gcn", "sage"):
        dense = built("classic", conv=conv)[1]
        torch.testing.assert_close(dense.smooth, dense.neighbours.forward @ dense.x)
        assert built("classic", conv=conv, pre_linear=True)[1].smooth is None
        sparse = built("classic", promises.graph_with(sparse=True), conv=conv)[1]
        assert sparse.smooth is None
        assert isinstance(sparse.x, SparseMatrix)


def test_a_search_over_depths_and_widths_prepares_the_graph_once() -> None:
    config = zoo.get("classic").config
    assert config(hidden_channels=64, num_layers=7, norm="none", jk=True).input_settings == config().input_settings
    assert config(conv="sage").input_settings != config().input_settings


def test_weights_begin_as_in_torch_and_pyg() -> None:
    module, _ = built("classic", conv="sage", hidden_channels=32, pre_linear=True)
    for name, parameter in module.named_parameters():
        if "norms" not in name:
            bound = (12 if name.startswith("pre") else 32) ** -0.5
            assert 0.8 * bound < parameter.abs().max() <= bound, name
    gcn, _ = built("classic", hidden_channels=32)
    assert gcn.convs[0].lin.weight.abs().max() <= (6 / (12 + 32)) ** 0.5
    assert not gcn.convs[0].lin.bias.any()
    before = gcn.convs[1].lin.weight.clone()
    gcn.reset_parameters()
    assert not torch.equal(before, gcn.convs[1].lin.weight)


def test_presets_hold_the_published_rows_and_their_two_variants() -> None:
    config = zoo.get("classic").config
    assert zoo_preset("classic", "squirrel-filtered") == config(
        feature_norm="none", hidden_channels=256, num_layers=4, dropout=0.7, epochs=500
    )
    assert zoo_preset("classic", "squirrel") == config() == zoo_preset("classic", "my-graph")
    assert zoo_variants("classic") == ("", "sage", "gat")
    assert zoo_preset("classic", "chameleon-filtered", "gat") == config(
        conv="gat", feature_norm="none", hidden_channels=256, num_layers=2, dropout=0.7, weight_decay=1e-3, epochs=200
    )
    for dataset in ("amazon-ratings", "roman-empire", "minesweeper", "questions"):
        assert zoo_preset("classic", dataset).patience == 0, "thousands of small steps, none of which we have checked"
        assert [zoo_preset("classic", dataset, v).conv for v in zoo_variants("classic")] == ["gcn", "sage", "gat"]


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(InputError, match=r"heads=3 is out of range: it must be a divisor of hidden_channels=128"):
        zoo.get("classic").config(heads=3)


def test_a_graph_without_edges_is_classified_by_its_features() -> None:
    graph = random_graph()
    alone = Graph(x=graph.x, edge_index=np.zeros((2, 0), np.int64), y=graph.y)
    for kind in KINDS:
        module, inputs = built("classic", alone, hidden_channels=4, **kind)
        assert torch.isfinite(module(inputs)).all()


def test_by_default_columns_of_any_scale_count_and_words_stay_as_they_are() -> None:
    graph = random_graph()
    x = np.asarray(graph.x, dtype=np.float64) + np.random.default_rng(0).normal(size=graph.x.shape)
    x[:, 0] *= 1e6
    scaled = Graph(x=x, edge_index=graph.edge_index, y=graph.y)
    assert torch.allclose(built("classic", scaled)[1].x.std(dim=0, correction=0), torch.tensor(1.0), atol=1e-3)
    words = Graph(x=(x > 0).astype(np.float32), edge_index=graph.edge_index, y=graph.y)
    assert torch.equal(built("classic", words)[1].x, torch.from_numpy(np.asarray(words.x)))


@pytest.mark.parametrize("name", ["classic", "trees"])
def test_balanced_class_weights_raise_the_share_of_the_rare_class(name: str) -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.08).astype(int)
    x = rng.normal(size=(400, 3)) + 0.7 * y[:, None]
    graph = Graph(x=x, edge_index=np.zeros((2, 0), np.int64), y=y)
    split = stratified_splits(y, num_splits=1, train=0.5, val=0.25, seed=0)[0]
    model = zoo.get(name)
    found = {}
    for weight in ("none", "balanced"):
        config = model.config(class_weight=weight, epochs=30, select_by="val_loss")
        found[weight] = (model.solve(graph, split, config).logits.argmax(axis=1)[split.test] == 1).mean()
    assert found["balanced"] > 2 * found["none"]
