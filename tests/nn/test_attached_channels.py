"""Partial sums by Horner's rule, by hand: a node hands on what its neighbours need, and nothing else is read of it."""

import numpy as np
import scipy.sparse as sp
import torch

from lsgnn import Graph, LSGNNConfig
from lsgnn.nn.attached_channels import AttachedChannels, known_sums
from lsgnn.nn.horner import by_horner
from lsgnn.propagate.precompute import mixing, precompute

# 0 → 1 → 2: each node reads the next one
CHAIN = Graph(x=np.array([[1.0], [2.0], [4.0]]), edge_index=[[0, 1], [1, 2]])
CONFIG = LSGNNConfig(K=2, direction="out", degree="plain", feature_norm="none", beta=0.5, gamma=0.5, hidden_channels=1)


def test_horners_rule_is_the_sum_of_powers() -> None:
    """Two hops over a matrix that doubles: Σ_s M_ks 2^s x."""
    M = torch.tensor([[[1.0, 3, 0], [5, 7, 11]], [[0, 1, 0], [0, 0, 1]]])  # [2, K, K+1]
    reduced = torch.ones(1, 5, 1)
    out = by_horner(reduced, M, lambda total: 2 * total)
    assert out.flatten().tolist() == [1, 1 + 3 * 2, 5 + 7 * 2 + 11 * 4, 2, 4]


def test_a_node_hands_on_its_partial_sums() -> None:
    """T^(2) of hop 2 is M_22 x; T^(1) of hop 1 is M_11 x, and that of hop 2 is M_21 x + Â T^(2)."""
    pre, M = precompute(CHAIN, CONFIG), mixing(CONFIG)
    sums = known_sums(pre, CONFIG, torch.ones(5, 1, 1))  # per node: T^(2) [2 × 1 hop], T^(1) [2 × 2 hops]
    x, adj = np.asarray(pre.x)[:, 0], pre.adj.toarray()
    np.testing.assert_allclose(sums[:, :2], x[:, None] * M[:, 1, 2], atol=1e-6)
    first, second = x[:, None] * M[:, 0, 1], adj @ sums[:, :2] + x[:, None] * M[:, 1, 1]
    np.testing.assert_allclose(sums[:, 2:].reshape(3, 2, 2), np.stack([first, second], axis=2), atol=1e-6)


def test_a_new_node_reads_the_sums_of_its_neighbours() -> None:
    """A node that reads node 0 with weight 0.5, and a second one that reads the first with weight 2."""
    pre, M = precompute(CHAIN, CONFIG), mixing(CONFIG)
    weight = torch.ones(5, 1, 1)
    adj = sp.csr_array(np.array([[0.5, 0, 0], [0, 2, 0]], np.float32))  # columns: node 0, new, new
    new = AttachedChannels(
        np.array([[3.0], [1.0]], np.float32), adj, known_sums(pre, CONFIG, weight)[:1], torch.from_numpy(M).float()
    )
    out = new.project(weight)[:, :, 0].numpy()  # [5, 2]
    hat = np.zeros((5, 5))
    hat[:3, :3], hat[3, 0], hat[4, 3] = pre.adj.toarray(), 0.5, 2
    x = np.array([1, 2, 4, 3, 1.0])
    powers = np.stack([x, hat @ x, hat @ hat @ x])
    expected = np.concatenate([x[None], np.einsum("cks,sn->ckn", M, powers).reshape(4, 5)])[:, 3:]
    np.testing.assert_allclose(out, expected, atol=1e-5)
    assert [part.shape for part in new.sums] == [(2, 2), (2, 4)]
