from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from lsgnn.zoo.wrgat import WRGATConv
from tests.zoo.exact import dense, dense_adjacency, exact
from tests.zoo.reading import GRAPH, built


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LSGNN_CACHE", str(tmp_path))


def by_hand(conv: WRGATConv, h: torch.Tensor, relations: list[torch.Tensor]) -> torch.Tensor:
    root, *W = torch.split(conv.linear.weight, conv.out_channels, dim=1)
    out = h @ root + conv.bias
    for r, weight in enumerate(relations):
        H, (a_i, a_j) = h @ W[r], conv.attention[r]
        score = F.leaky_relu((H @ a_i)[:, None] + (H @ a_j)[None], 0.2)
        share = torch.nan_to_num(torch.softmax(score.masked_fill(weight == 0, -torch.inf), dim=1))
        out = out + (weight * share) @ H
    return out


def test_without_the_second_division_messages_are_summed() -> None:
    module, inputs = exact("wrgat", GRAPH, hidden_channels=6, mean=False)
    matrices = []
    for relation in inputs.relations:
        W = torch.zeros(40, 40, dtype=torch.float64)
        W[relation.edges.row, relation.edges.col] = relation.weight
        matrices.append(W)
    torch.testing.assert_close(matrices[0], dense_adjacency(GRAPH, self_loops=True))
    h = F.relu(by_hand(module.conv1, dense(inputs.x), matrices))
    torch.testing.assert_close(module(inputs), by_hand(module.conv2, h, matrices), atol=1e-10, rtol=0)


def test_each_source_hands_out_weight_one_per_ring() -> None:
    _, inputs = built("wrgat", rings=2)
    for relation in inputs.relations[1:]:
        total = torch.zeros(40).index_add(0, relation.edges.col, relation.weight)
        assert ((total - 1).abs().lt(1e-5) | (total == 0)).all()


def test_without_rings_only_the_graphs_edges_are_left() -> None:
    module, inputs = built("wrgat", rings=0)
    assert len(inputs.relations) == 1
    assert module.conv1.attention.shape[0] == 1


def test_attention_starts_within_glorots_bound_of_one_matrix() -> None:
    attention = WRGATConv(5, 100, num_relations=4).attention.detach()
    assert 0.9 * (6 / 204) ** 0.5 < float(attention.abs().max()) <= (6 / 204) ** 0.5


def test_gradients_reach_every_parameter() -> None:
    module, inputs = built("wrgat")
    module(inputs).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in module.parameters())
