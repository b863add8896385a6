"""A node of a store is explained as the same node of a graph in memory."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lsgnn
from lsgnn import InputError, LSGNNConfig
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.fitting import fit_stored
from tests.graphs import two_blocks

CONFIG = LSGNNConfig(K=2, hidden_channels=8, epochs=4)
GRAPH = replace(two_blocks(n=60), y=np.where(np.arange(60) % 5 == 0, -1, two_blocks(n=60).y))


@pytest.mark.parametrize("settings", [{}, {"localsim_direction": "out"}])
def test_an_explanation_is_that_of_a_run_in_memory(tmp_path: Path, settings: dict[str, Any]) -> None:
    config = CONFIG.replace(**settings)
    store = precompute(GRAPH, tmp_path / "store", config)
    ours = fit_stored(store, config, members=2, batch_size=1000)
    theirs = lsgnn.fit(GRAPH, config, members=2, engine="cpu")
    for member in (None, 1):
        a, b = ours.explain(store, "7", member), theirs.explain(7, member)
        assert (a.node_id, a.label, a.part, a.prediction) == (b.node_id, b.label, b.part, b.prediction)
        for name in ("probabilities", "logits", "alpha", "own", "hops", "bias", "localsim", "naive_localsim"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=2e-4, err_msg=name)
        assert a.naive_percentile == pytest.approx(b.naive_percentile)
        for near, other in zip(a.neighbours, b.neighbours, strict=True):
            assert asdict(near) == pytest.approx(asdict(other), abs=1e-5)
    assert "it reads" in str(ours.explain(store, 7))


def test_of_a_lean_store_labelled_nodes_are_explained(tmp_path: Path) -> None:
    whole, lean = (precompute(GRAPH, tmp_path / keep, CONFIG, keep=keep) for keep in ("all", "labelled"))
    run = fit_stored(lean, CONFIG)
    a, b = run.explain(lean, 7), run.explain(whole, 7)
    np.testing.assert_allclose(a.hops, b.hops, atol=1e-6)
    assert [near.prediction is None for near in a.neighbours] == [near.label is None for near in b.neighbours]
    assert any(near.prediction is None for near in a.neighbours)
    with pytest.raises(InputError, match="node 5 has no label, and the store keeps the hops of labelled nodes only"):
        run.explain(lean, 5)
    with pytest.raises(InputError, match="has no node 'seven'"):
        run.explain(lean, "seven")
    with pytest.raises(InputError, match=r"member 1 does not exist: the run has members 0\.\.0"):
        run.explain(lean, 7, member=1)
