from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn.propagate.filters import adjacency
from lsgnn.zoo import structural_relations
from lsgnn.zoo.structural_relations import closest_in_degree, structural_distances
from tests.graphs import random_graph

STAR = sp.csr_array(  # 0 is the hub of 1, 2, 3; 4 - 5 is an edge of its own; 6 is alone
    (np.ones(8), ([0, 0, 0, 1, 2, 3, 4, 5], [1, 2, 3, 0, 0, 0, 5, 4])), shape=(7, 7)
)


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LSGNN_CACHE", str(tmp_path))
    return tmp_path


def slow_time_warp(a: list, b: list) -> float:
    """The textbook recursion on (degree, count) pairs."""
    D = np.full((len(a) + 1, len(b) + 1), np.inf)
    D[0, 0] = 0
    for i, (p, m) in enumerate(a, start=1):
        for j, (q, k) in enumerate(b, start=1):
            cost = (max(p + 0.5, q + 0.5) / min(p + 0.5, q + 0.5) - 1) * max(m, k)
            D[i, j] = cost + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return float(D[-1, -1])


def slow_ring(A: np.ndarray, node: int, k: int) -> list:
    steps = [next((s for s in range(9) if np.linalg.matrix_power(A, s)[node, j] > 0), 99) for j in range(len(A))]
    degrees = [A[j].sum() for j in range(len(A)) if steps[j] == k]
    return sorted((d, degrees.count(d)) for d in set(degrees))


def test_distances_equal_the_definition_ring_by_ring() -> None:
    A = adjacency(random_graph(n=14), "undirected")
    found, full = structural_distances(A, rings=3, candidates=13), A.toarray().astype(np.float64)
    assert found.pairs.shape[1] == 14 * 13 // 2
    for p, (u, v) in enumerate(found.pairs.T):
        total = 0.0
        for k in range(3):
            left, right = slow_ring(full, u, k), slow_ring(full, v, k)
            total = total + slow_time_warp(left, right) if left and right else np.nan
            np.testing.assert_allclose(found.distance[k, p], total, rtol=1e-12)


def test_leaves_of_a_star_are_alike_and_unlike_their_hub() -> None:
    found = structural_distances(STAR, rings=3, candidates=6)
    distance = {(int(u), int(v)): found.distance[:, p] for p, (u, v) in enumerate(found.pairs.T)}
    assert distance[1, 2].tolist() == [0, 0, 0]
    assert distance[0, 1][0] == 3.5 / 1.5 - 1
    assert np.isnan(distance[0, 6][1])  # 6 has no neighbours to compare
    assert distance[1, 4][0] == 0 < distance[1, 4][1]


def test_weights_are_shares_of_each_source() -> None:
    relations = structural_distances(STAR, rings=2, candidates=6).relations()
    np.testing.assert_allclose(relations[0].sum(axis=1), np.ones(7), rtol=1e-6)
    np.testing.assert_allclose(relations[1].sum(axis=1), [1, 1, 1, 1, 1, 1, 0], rtol=1e-6)
    row = relations[0].toarray()[0]
    np.testing.assert_allclose(row[1] / row[6], np.exp(-(3.5 / 1.5 - 1) + (3.5 / 0.5 - 1)), rtol=1e-5)


def test_candidates_are_the_nearest_in_degree() -> None:
    pairs = closest_in_degree(np.array([1, 9, 2, 8, 5]), 1)
    assert pairs.T.tolist() == [[0, 2], [1, 3], [2, 4]]


def test_a_second_call_reads_what_the_first_one_wrote(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = structural_distances(STAR)
    assert len(list(cache.rglob("*.npz"))) == 1
    monkeypatch.setattr(structural_relations, "_distances", None)
    second = structural_distances(STAR)
    np.testing.assert_array_equal(first.distance, second.distance)
    np.testing.assert_array_equal(first.pairs, second.pairs)


def test_other_edges_or_settings_are_other_files_and_damage_is_repaired(cache: Path) -> None:
    first = structural_distances(STAR)
    structural_distances(STAR, rings=2)
    structural_distances(sp.csr_array(STAR[::-1][:, ::-1]))
    assert len(list(cache.rglob("*.npz"))) == 3
    for path in cache.rglob("*.npz"):
        path.write_bytes(b"not a zip file")
    np.testing.assert_array_equal(structural_distances(STAR).distance, first.distance)


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = cache / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("LSGNN_CACHE", str(blocked))
    assert structural_distances(STAR).distance.shape[0] == 3
