"""Â of a store, edge by edge."""

from pathlib import Path

import numpy as np
import pytest

from lsgnn import Graph, LSGNNConfig
from lsgnn.out_of_core import precompute


@pytest.mark.parametrize("leaves", [3, 70_000], ids=["few", "more than two bytes can count"])
def test_an_edge_is_worth_the_roots_of_both_degrees(tmp_path: Path, leaves: int) -> None:
    star = Graph(
        x=np.ones((leaves + 1, 2), np.float32),
        edge_index=np.stack([np.zeros(leaves, np.int64), np.arange(1, leaves + 1)]),
        y=np.arange(leaves + 1) % 2,
    )
    store = precompute(star, tmp_path / "store", LSGNNConfig(K=1, direction="undirected"))
    hub, leaf = leaves + 1, 2  # degrees with the self loop
    np.testing.assert_allclose(store.array("filter_values"), (hub * leaf) ** -0.5, rtol=1e-6)
    assert len(store.array("filter_values")) == 2 * leaves
