import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from lsgnn import LSGNN, Graph, InputError, LSGNNConfig
from lsgnn.nn.rows import make_rows
from lsgnn.propagate.precompute import precompute
from tests.graphs import random_graph


def build(graph: Graph, config: LSGNNConfig) -> LSGNN:
    torch.manual_seed(0)
    return LSGNN.from_config(config, graph.num_features, graph.num_classes, graph.num_nodes).eval()


def logits(graph: Graph, config: LSGNNConfig, model: LSGNN | None = None) -> torch.Tensor:
    return (model or build(graph, config))(make_rows(precompute(graph, config), config))


def test_permuting_the_nodes_permutes_the_logits() -> None:
    graph, config = random_graph(), LSGNNConfig(K=3, direction="out")
    order = np.random.default_rng(1).permutation(graph.num_nodes)
    place = np.argsort(order)
    shuffled = Graph(x=graph.x[order], edge_index=place[graph.edge_index], y=graph.y[order])
    assert torch.allclose(logits(shuffled, config), logits(graph, config)[order], atol=1e-5)


def test_a_row_does_not_depend_on_the_other_rows_asked_for() -> None:
    graph, config = random_graph(), LSGNNConfig(K=3)
    model, rows = build(graph, config), make_rows(precompute(graph, config), config)
    some = torch.tensor([7, 3, 39])
    assert torch.allclose(model(rows.select(some)), model(rows)[some], atol=1e-6)


def test_constant_localsim_weights_equal_graph_level_weights() -> None:
    graph, config = random_graph(), LSGNNConfig(K=2)
    by_localsim, by_graph = build(graph, config), build(graph, config.replace(weights="graph"))
    alpha = torch.randn(2, 3)
    with torch.no_grad():
        by_localsim.fusion.weights.mlp[2].weight.zero_()
        by_localsim.fusion.weights.mlp[2].bias.copy_(alpha.flatten())
        by_graph.fusion.alpha.copy_(alpha)
    by_graph.reduce, by_graph.head = by_localsim.reduce, by_localsim.head
    assert torch.allclose(logits(graph, config, by_localsim), logits(graph, config, by_graph), atol=1e-6)


@pytest.mark.parametrize(("out_norm", "unchanged"), [(True, True), (False, False)])
def test_with_out_norm_only_the_ratios_of_the_weights_count(out_norm: bool, unchanged: bool) -> None:
    graph, config = random_graph(), LSGNNConfig(K=2, weights="graph", out_norm=out_norm)
    model = build(graph, config)
    before = logits(graph, config, model)
    with torch.no_grad():
        model.fusion.alpha.mul_(3.0)
    assert torch.allclose(logits(graph, config, model), before, atol=1e-5) == unchanged


def test_the_stacked_start_is_bounded_as_torch_bounds_a_3d_tensor() -> None:
    K, d, z = 5, 100, 16
    weight = LSGNN(d, z, 3, K=K).reduce.weights[0]
    bound = math.sqrt(6 / (z * (d + 2 * K + 1)))
    assert 0.98 * bound < weight.abs().max() <= bound
    assert LSGNN(d, z, 3, K=K, reduce_init="per_matrix").reduce.weights[0].abs().max() > 2 * bound


def test_cora_sized_model_has_the_number_of_parameters_of_the_fact_sheet() -> None:
    assert sum(p.numel() for p in LSGNN(1433, 16, 7, K=5).parameters()) == 253_255


def test_options_for_arxiv_year_run_together() -> None:
    config = LSGNNConfig(adjacency_embedding=True, reduce_layers=2, head="mlp", out_norm=False, hidden_channels=8)
    graph = random_graph()
    assert logits(graph, config).shape == (40, 3)
    with pytest.raises(InputError, match="pass num_nodes"):
        LSGNN(4, 8, 2, adjacency_embedding=True)
    with pytest.raises(InputError, match="hold no links"):
        build(graph, config)(make_rows(precompute(graph, LSGNNConfig()), LSGNNConfig()))


def test_reset_parameters_starts_afresh_and_repr_is_short() -> None:
    model = LSGNN(4, 8, 2, K=3)
    before = model.reduce.weights[0].clone()
    model.reset_parameters()
    assert not torch.equal(before, model.reduce.weights[0])
    for weights, start in (("graph", True), ("free", False), ("random", False)):
        fusion = LSGNN(4, 8, 2, K=3, weights=weights, num_nodes=5)
        kept = fusion.fusion.noise if weights == "random" else fusion.fusion.alpha
        first = kept.detach().clone()
        torch.nn.init.constant_(kept, 7.0)
        fusion.reset_parameters()
        assert (kept != 7).all()
        assert torch.equal(kept, first) == start  # ones, or another draw
    assert str(model) == "LSGNN(4, 8, 2, K=3)"


@pytest.mark.parametrize(("layers", "widths"), [(1, [12, 4]), (2, [12, 8, 4]), (3, [12, 8, 8, 4])])
def test_all_layers_of_the_reduction_but_the_last_are_twice_as_wide(layers: int, widths: list[int]) -> None:
    model = build(random_graph(), LSGNNConfig(K=1, hidden_channels=4, reduce_layers=layers))
    assert [tuple(w.shape) for w in model.reduce.weights] == [(3, *pair) for pair in pairwise(widths)]
