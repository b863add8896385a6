"""Depth: the deep path is the same model as the shallow one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lsgnn.config import LSGNNConfig
from lsgnn.graph.splits import stratified_splits
from lsgnn.runs.fit import fit
from paper import depth
from paper.frame import Plan, Results
from tests.graphs import two_blocks


def test_the_deep_path_trains_the_same_model_as_the_torch_loop() -> None:
    graph, config = two_blocks(), LSGNNConfig(K=3, epochs=10, seed=3)
    split = stratified_splits(graph.y, 1)[0]
    (logits,) = depth._deep_lsgnn(graph, [split], config)
    run = fit(graph, config, split=split, engine="torch")
    np.testing.assert_allclose(logits, run.logits, rtol=1e-3, atol=1e-4)


def test_small_graphs_get_ten_splits_and_large_ones_one(tmp_path: Path) -> None:
    units = depth.units(Plan(), Results(tmp_path, "depth"))
    assert len(units) == 9 * 2 * 6
    splits = {unit.arguments["dataset"]: unit.arguments["splits"] for unit in units}
    assert (splits["texas"], splits["pubmed"]) == (10, 1)
