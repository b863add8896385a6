from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path

from lsgnn.errors import InputError
from lsgnn.propagate.filters import adjacency
from lsgnn.zoo.geom_gcn_neighbourhoods import (
    Neighbourhoods,
    apart,
    isomap,
    nearest_pairs,
    neighbourhoods,
    quadrants,
    read_neighbourhoods,
    spectral,
)
from tests.graphs import random_graph


def path_graph(n: int) -> sp.csr_array:
    A = sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1], format="csr")
    return sp.csr_array(A.astype(np.float32))


def connected() -> sp.csr_array:
    A = adjacency(random_graph(), "undirected")[:38, :38]
    return sp.csr_array(A + path_graph(38))


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LSGNN_CACHE", str(tmp_path))


def test_with_all_nodes_as_landmarks_isomap_is_classical_scaling_of_the_steps() -> None:
    A = connected()
    B = shortest_path(A, unweighted=True) ** 2
    J = np.eye(38) - 1 / 38
    values, vectors = np.linalg.eigh(-0.5 * J @ B @ J)
    expected = vectors[:, [-1, -2]] * np.sqrt(values[[-1, -2]])
    np.testing.assert_allclose(np.abs(isomap(A, 38, seed=0)), np.abs(expected), atol=1e-8)


def test_a_path_lies_on_a_line_even_when_few_of_its_nodes_are_landmarks() -> None:
    position = isomap(path_graph(30), landmarks=8, seed=0)
    steps = np.abs(np.diff(position[:, 0]))
    np.testing.assert_allclose(steps, 1.0, atol=1e-8)
    np.testing.assert_allclose(position[:, 1], 0.0, atol=1e-8)


def test_spectral_positions_are_eigenvectors_of_the_random_walk() -> None:
    A = connected()
    walk = A.toarray() / A.toarray().sum(axis=1, keepdims=True)
    position = spectral(A)
    for column in position.T:
        image = walk @ column
        np.testing.assert_allclose(image, (image @ column) / (column @ column) * column, atol=1e-6)


def test_quadrants_are_numbered_as_in_the_original_files() -> None:
    position = np.array([[0.0, 0.0], [-1, -1], [-1, 1], [1, -1], [1, 1]])
    seen_from_0 = np.array([[0, 0, 0, 0], [1, 2, 3, 4]])
    assert quadrants(position, seen_from_0).tolist() == [0, 1, 2, 3]


def test_nearest_pairs_are_the_closest_of_all() -> None:
    position = np.array([[0.0, 0], [1, 0], [3, 0], [7, 0]])
    assert sorted(nearest_pairs(position, 4).T.tolist()) == [[0, 1], [1, 0], [1, 2], [2, 1]]


def test_distances_in_the_disc_grow_towards_its_rim() -> None:
    position = np.array([[0.0, 0.0], [0.2, 0.0], [0.9, 0.0], [0.99, 0.0]])  # 0.9 and 0.99 are farther than they look
    assert sorted(nearest_pairs(position, 2, hyperbolic=True).T.tolist()) == [[0, 1], [1, 0]]
    assert sorted(nearest_pairs(position, 2, hyperbolic=False).T.tolist()) == [[2, 3], [3, 2]]


def test_nodes_in_one_place_do_not_flood_the_neighbourhood() -> None:
    pairs = nearest_pairs(np.zeros((100, 2)), 200)
    assert pairs.shape == (2, 200)
    assert np.bincount(pairs[0]).max() <= 16


@pytest.mark.parametrize("embedding", ["isomap", "spectral", "structural"])
def test_groups_partition_the_combined_edges_and_both_spaces_are_as_large(embedding: str) -> None:
    A = adjacency(random_graph(), "in")
    found = neighbourhoods(A, embedding)
    pairs = found.v * 40 + found.u
    assert len(np.unique(pairs)) == len(pairs)
    assert set(found.group.tolist()) <= set(range(9))
    assert (found.group == 8).sum() == 40
    graph_edges = set((np.repeat(np.arange(40), np.diff(A.indptr)) * 40 + A.indices).tolist())
    assert graph_edges <= set(pairs.tolist())
    assert (found.group // 4 == 1).sum() == A.nnz


def test_nodes_of_one_place_are_shared_out_over_nodes_and_quadrants() -> None:
    position = apart(np.zeros((100, 2)), seed=0)
    pairs = nearest_pairs(position, 400)
    quadrant = quadrants(position, pairs)
    assert np.bincount(quadrant).min() > 70  # about a fourth in each
    assert len(np.unique(pairs[0])) > 60
    back = quadrants(position, pairs[::-1])
    assert (quadrant + back == 3).all()  # the opposite, as seen from the other


def test_a_star_is_placed_too_though_all_its_directions_are_alike() -> None:
    hub, leaves = np.zeros(40, int), np.arange(1, 41)
    ends = (np.concatenate([hub, leaves]), np.concatenate([leaves, hub]))
    position = isomap(sp.csr_array((np.ones(80, np.float32), ends), shape=(41, 41)), landmarks=1024, seed=0)
    assert np.isfinite(position).all()
    np.testing.assert_allclose(position[0], 0, atol=1e-6)


def test_places_that_differ_stay_in_their_order() -> None:
    position = np.array([[0.0, 0.0], [1e-3, 5.0], [-7.0, 2.0]])
    pairs = np.array([[0, 0, 1], [1, 2, 2]])
    assert quadrants(apart(position, seed=3), pairs).tolist() == quadrants(position, pairs).tolist()
    assert np.abs(apart(position, seed=3) - position).max() < 1e-5


def test_nodes_outside_the_largest_component_have_no_latent_neighbours() -> None:
    A = adjacency(random_graph(), "undirected")
    found = neighbourhoods(A, "isomap")
    latent = found.group // 4 == 1
    assert not np.isin(found.v[latent], [38, 39]).any()
    assert not np.isin(found.u[latent], [38, 39]).any()


def test_a_latent_neighbour_overrides_the_graph_neighbour_it_also_is() -> None:
    pairs = np.array([[0, 0, 1, 2], [1, 1, 0, 2]])
    found = Neighbourhoods.of(pairs, np.array([0, 1, 0, 0]), np.array([2, 3, 1, 0]), n=3)
    assert list(zip(found.v.tolist(), found.u.tolist(), found.group.tolist(), strict=True)) == [
        (0, 1, 7),
        (1, 0, 1),
        (0, 0, 8),
        (1, 1, 8),
        (2, 2, 8),
    ]


def test_a_file_of_the_original_repository_is_read(tmp_path: Path) -> None:
    path = tmp_path / "outf_nodes_space_relation_texas_MDS.txt"
    path.write_text("node1,node2\tspace\trelation_type\n3,0\tgraph\t1\n3,0\tlatent_space\t2\n1,2\tgraph\t0\n")
    found = read_neighbourhoods(path, n=4)
    edges = list(zip(found.v.tolist(), found.u.tolist(), found.group.tolist(), strict=True))
    assert edges[:2] == [(0, 3, 6), (2, 1, 0)]
    assert edges[2:] == [(i, i, 8) for i in range(4)]


def test_a_broken_file_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "outf.txt"
    path.write_text("node1,node2\tspace\trelation_type\n3,0\tmoon\t1\n")
    with pytest.raises(InputError, match="line 2"):
        read_neighbourhoods(path, n=4)
    path.write_text("3,4\tgraph\t1\n")
    with pytest.raises(InputError, match=r"names node 4, but the graph has nodes 0\.\.3"):
        read_neighbourhoods(path, n=4)
    with pytest.raises(InputError, match="check the path"):
        read_neighbourhoods(tmp_path / "none.txt", n=4)


def test_the_poincare_embedding_lies_in_the_disc() -> None:
    pytest.importorskip("gensim")
    from lsgnn.zoo.geom_gcn_neighbourhoods import poincare_disc

    first, second = poincare_disc(connected(), seed=0), poincare_disc(connected(), seed=0)
    assert first.shape == (38, 2)
    assert (np.linalg.norm(first, axis=1) < 1).all()
    np.testing.assert_array_equal(first, second)
