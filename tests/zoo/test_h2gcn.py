import numpy as np
import pytest
import scipy.sparse as sp
import torch

from lsgnn.propagate.filters import adjacency
from lsgnn.zoo.h2gcn import two_hop_adjacency
from tests.zoo.reading import GRAPH, built, features_l1


def test_two_hops_on_a_path_with_a_triangle_by_hand() -> None:
    # 0 - 1 - 2 - 3, and 1, 2, 4 a triangle
    edges = [(0, 1), (1, 2), (2, 3), (1, 4), (2, 4)]
    rows, cols = zip(*edges, *[(b, a) for a, b in edges], strict=True)
    A = sp.csr_array((np.ones(10), (rows, cols)), shape=(5, 5))
    far = two_hop_adjacency(A).toarray()
    assert far.tolist() == [
        [0, 0, 1, 0, 1],
        [0, 0, 0, 1, 0],
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 1],
        [1, 0, 0, 1, 0],
    ]


def test_two_hop_neighbours_are_neither_the_node_nor_its_neighbours() -> None:
    A = adjacency(GRAPH, "undirected")
    far = two_hop_adjacency(A)
    assert far.diagonal().sum() == 0
    assert (far * A).nnz == 0
    assert set(far.data) == {1.0}


@pytest.mark.parametrize("K", [1, 2])
def test_it_equals_the_dense_formula(K: int) -> None:
    module, inputs = built("h2gcn", K=K, hidden_channels=4)
    A = adjacency(GRAPH, "undirected").toarray() > 0
    two = (A.astype(int) @ A > 0) & ~A & ~np.eye(len(A), dtype=bool)

    def normalized(M: np.ndarray) -> torch.Tensor:
        degree = M.sum(axis=1)
        scale = np.divide(1.0, np.sqrt(degree), out=np.zeros(len(M)), where=degree > 0)
        return torch.from_numpy(scale[:, None] * M * scale).float()

    A1, A2 = normalized(A), normalized(two)
    rounds = [(features_l1(GRAPH) @ module.embed.weight).relu()]
    for _ in range(K):
        rounds.append(torch.cat([A1 @ rounds[-1], A2 @ rounds[-1]], dim=1))
    expected = torch.cat(rounds, dim=1) @ module.classify.weight
    assert module.classify.in_channels == 4 * (2 ** (K + 1) - 1)
    torch.testing.assert_close(module(inputs), expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("settings", [{}, {"weights": "localsim"}, {"weights": "localsim", "granularity": "hop"}])
def test_class_by_class_and_by_representation_agree(settings: dict) -> None:
    module, inputs = built("h2gcn", K=2, localsim_init="default", **settings)
    r = module.embed(inputs.x).relu()
    alpha = None if module.localsim is None else module.localsim(inputs.neighbours)
    wide, narrow = module._by_representation(r, alpha, inputs), module._by_class(r, alpha, inputs)
    torch.testing.assert_close(wide, narrow, atol=1e-6, rtol=1e-5)
