import inspect
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from lsgnn.errors import InputError
from lsgnn.nn.localsim import KeptSimilarities, LocalSimWeights, NaiveLocalSim, RefinedLocalSim, neighbours_of
from lsgnn.nn.rows import Neighbours
from lsgnn.propagate.similarity import NeighbourSimilarity, smoothing_matrix

# node 0: neighbours at similarity 0 and 1; node 1: two at 0.5; node 2: none
SHARE = sp.csr_array(np.array([[0, 1, 1], [1, 0, 1], [0, 0, 0]], dtype=np.float32))
NEIGHBOURS = Neighbours.of(NeighbourSimilarity.of(SHARE, np.array([0, 1, 0.5, 0.5], dtype=np.float32)))


def test_naive_localsim_cannot_tell_the_papers_two_nodes_apart() -> None:
    assert NaiveLocalSim()(NEIGHBOURS).tolist() == [0.5, 0.5, 0.0]


def test_refined_localsim_is_the_mean_of_the_mlp_over_the_neighbours() -> None:
    refined = RefinedLocalSim(hidden_channels=8)
    mlp = lambda d: refined.mlp(torch.tensor([d, d * d])).item()  # noqa: E731
    phi = refined(NEIGHBOURS).tolist()
    assert np.allclose(phi, [(mlp(0.0) + mlp(1.0)) / 2, mlp(0.5), 0.0], atol=1e-6)
    assert abs(phi[0] - phi[1]) > 1e-4  # what the naive one cannot do
    assert phi[2] == 0.0  # not MLP(0)


def test_weights_are_unbounded_and_as_many_as_asked_for() -> None:
    torch.manual_seed(0)
    weights = LocalSimWeights(num_weights=7, hidden_channels=8)(NEIGHBOURS)
    assert weights.shape == (3, 7)
    assert (weights < 0).any()


def test_similarities_are_standardised_by_what_was_measured_once() -> None:
    naive = LocalSimWeights(1, 8, refined=False, scale="standard")
    naive.set_scales((0.5, 2.0), (0.0, 1.0))
    assert naive.columns(NEIGHBOURS)[:, 0].tolist() == [0.0, 0.0, 0.0]  # mean of (0 - .5) / 2 and (1 - .5) / 2
    assert NeighbourSimilarity.of(SHARE, np.array([0, 1, 0.5, 0.5], np.float32)).scale == (0.5, 0.125**0.5)


def test_smoothed_localsim_is_the_mean_over_the_node_and_its_neighbours() -> None:
    similarity = NeighbourSimilarity.of(SHARE, np.array([0, 1, 0.5, 0.7], dtype=np.float32))
    neighbours = Neighbours.of(similarity, smoothing_matrix(SHARE))
    weights = LocalSimWeights(1, 8, refined=False, hops=2, degree=True)
    once = [(0.5 + 0.6 + 0) / 3, (0.5 + 0.6 + 0) / 3, 0.0]  # nodes 0 and 1 read each other and node 2, which reads none
    twice = [sum(once) / 3, sum(once) / 3, 0.0]
    expected = np.stack([[0.5, 0.6, 0.0], once, twice, np.log([3, 3, 1])], axis=1)
    assert np.allclose(weights.columns(neighbours), expected, atol=1e-6)
    assert weights.mlp[0].in_features == 8
    with pytest.raises(InputError, match="nothing to smooth LocalSim with"):
        weights.columns(NEIGHBOURS)


def test_pyg_users_get_their_neighbours_from_an_edge_index() -> None:
    x = torch.tensor([[2.0, 0.0], [3.0, 3.0], [0.0, 1.0], [0.0, 0.0]])
    # 1 → 0 twice and 2 → 0; 0 → 1; a self loop at 2, which does not count
    edge_index = torch.tensor([[1, 1, 2, 0, 2], [0, 0, 0, 1, 2]])
    neighbours = neighbours_of(x, edge_index)
    half = 0.5**0.5
    assert np.allclose(NaiveLocalSim()(neighbours), [half / 2, half, 0.0, 0.0], atol=1e-6)
    distances = NaiveLocalSim()(neighbours_of(x, edge_index, "euclidean"))  # between rows of length one
    assert np.allclose(distances[1], -((2 - 2 * half) ** 0.5), atol=1e-6)


def test_localsim_weights_can_start_at_weights_of_a_host() -> None:
    weights = LocalSimWeights(num_weights=2, hidden_channels=8)
    weights.start_at(torch.tensor([0.25, -1.0]), scale=0.0)
    assert weights(NEIGHBOURS).tolist() == [[0.25, -1.0]] * 3


def test_the_documented_example_adds_localsim_to_a_gnn_of_ones_own() -> None:
    from torch_geometric.data import Data
    from torch_geometric.nn import SimpleConv

    torch.manual_seed(0)
    data = Data(x=torch.rand(6, 4), edge_index=torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]]))
    example = inspect.cleandoc(LocalSimWeights.__doc__).split("::\n\n", 1)[1].split("\nArgs:")[0]
    names = dict(torch=torch, SimpleConv=SimpleConv, LocalSimWeights=LocalSimWeights, data=data)
    exec(textwrap.dedent(example), names | {"neighbours_of": neighbours_of}, names)
    logits = names["TwoHops"](4, 3)(data.x, data.edge_index, names["neighbours"])
    logits.sum().backward()
    assert logits.shape == (6, 3)


def test_similarities_that_a_model_keeps_are_saved_with_its_weights() -> None:
    assert KeptSimilarities(3).state_dict()["values"].tolist() == [0, 0, 0]
