import numpy as np
import pytest
import scipy.sparse as sp
import torch

from lsgnn.propagate.filters import adjacency
from lsgnn.zoo.h2gcn import two_hop_adjacency
from tests.zoo.reading import GRAPH, built


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


@pytest.mark.parametrize("settings", [{}, {"weights": "localsim"}, {"weights": "localsim", "granularity": "hop"}])
def test_class_by_class_and_by_representation_agree(settings: dict) -> None:
    module, inputs = built("h2gcn", K=2, localsim_init="default", **settings)
    r = module.embed(inputs.x).relu()
    alpha = None if module.localsim is None else module.localsim(inputs.neighbours)
    wide, narrow = module._by_representation(r, alpha, inputs), module._by_class(r, alpha, inputs)
    torch.testing.assert_close(wide, narrow, atol=1e-6, rtol=1e-5)
