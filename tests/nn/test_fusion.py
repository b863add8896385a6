import torch

from lsgnn import LSGNNConfig
from lsgnn.nn.fusion import fuse, make_fusion
from lsgnn.nn.rows import make_rows
from lsgnn.propagate.precompute import precompute
from tests.graphs import random_graph


def test_fusion_by_hand() -> None:
    reduced = torch.tensor([[[1.0]], [[10.0]], [[20.0]], [[100.0]], [[200.0]]])  # I, L1, L2, H1, H2
    alpha = torch.tensor([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])  # (I, L, H) of hop 1, of hop 2
    assert fuse(reduced, alpha).flatten().tolist() == [1, 1 + 20 + 300, 4 + 100 + 1200]


def test_the_flat_index_of_a_weight_is_three_times_the_hop_plus_the_channel() -> None:
    K, rows = 4, make_rows(precompute(random_graph(), LSGNNConfig(K=4)), LSGNNConfig(K=4))
    fusion = make_fusion("localsim", K, 8, None)
    alpha = fusion(rows, torch.zeros(40, 8))
    flat = fusion.weights(rows)
    assert torch.equal(alpha[:, 2, 1], flat[:, 3 * 2 + 1])


def test_every_kind_of_weights_answers_the_same_call() -> None:
    rows = make_rows(precompute(random_graph(), LSGNNConfig(K=2)), LSGNNConfig(K=2))
    for kind in ("localsim", "localsim_naive", "graph", "node", "free", "random"):
        fusion = make_fusion(kind, 2, 8, num_nodes=40)
        assert fusion(rows, torch.rand(40, 8)).shape == (40, 2, 3)
        assert fusion(rows.select(torch.tensor([4, 9])), torch.rand(2, 8)).shape == (2, 2, 3)
