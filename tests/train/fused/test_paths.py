"""The cost model sends sparse features one way and dense ones the other, and the user has the last word."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.propagate.precompute import Precomputed
from lsgnn.propagate.similarity import NeighbourSimilarity
from lsgnn.train.fused import paths
from lsgnn.train.fused.paths import chosen_path


def graph(n: int, d: int, stored: int | None, edges: int) -> Precomputed:
    """Only shapes and numbers of entries count here."""

    def pattern(shape: tuple[int, int], entries: int) -> sp.csr_array:
        indptr = np.minimum(np.arange(shape[0] + 1) * -(-entries // shape[0]), entries)
        return sp.csr_array((np.ones(entries, np.float32), np.zeros(entries, np.int32), indptr), shape=shape)

    x = np.zeros((n, d), np.float32) if stored is None else pattern((n, d), stored)
    similarity = NeighbourSimilarity.of(sp.csr_array((n, n), dtype=np.float32), np.zeros(0, np.float32))
    return Precomputed(x, pattern((n, n), edges), similarity)


@pytest.mark.parametrize(
    ("n", "d", "stored", "edges", "path"),
    [
        (2708, 1433, 49_216, 10_556, "narrow"),  # Cora
        (19_717, 500, 988_031, 88_648, "narrow"),  # Pubmed
        (11_758, 10, None, 1_038_000, "dense"),  # Tolokers
        (20_000, 128, None, 275_000, "dense"),  # like ogbn-arxiv, smaller
    ],
)
def test_auto_takes_the_cheaper_path(n: int, d: int, stored: int | None, edges: int, path: str) -> None:
    assert chosen_path(graph(n, d, stored, edges), LSGNNConfig(), n // 2, n // 3) == path


def test_a_stack_that_is_too_large_is_not_formed_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pre = graph(1000, 10, None, 50_000)
    monkeypatch.setattr(paths, "LARGEST_STACK", 1)

    assert chosen_path(pre, LSGNNConfig(), 500, 300) == "narrow"
    assert chosen_path(pre, LSGNNConfig(), 500, 300, "dense") == "dense"


def test_an_unknown_path_is_an_error() -> None:
    with pytest.raises(InputError, match="use 'auto', 'narrow' or 'dense'"):
        chosen_path(graph(10, 2, 5, 5), LSGNNConfig(), 5, 5, "wide")  # type: ignore[arg-type]
