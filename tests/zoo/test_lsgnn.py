import numpy as np
import pytest

from lsgnn import zoo
from lsgnn.config import LSGNNConfig
from lsgnn.graph.splits import stratified_splits
from lsgnn.runs.fit import fit
from tests.graphs import two_blocks


def test_behind_the_protocol_it_is_the_very_same_model() -> None:
    graph = two_blocks()
    split, config = stratified_splits(graph.y)[0], LSGNNConfig(K=2, hidden_channels=8, epochs=5, lr=0.05)
    model = zoo.get("lsgnn")
    inputs = model.prepare(graph, config)
    shared, alone = model.solve(graph, split, config, inputs), model.solve(graph, split, config)
    run = fit(graph, config, split=split)
    assert np.array_equal(shared.logits, alone.logits)
    assert shared.logits == pytest.approx(run.logits, rel=1e-5, abs=1e-6)  # torch sums by as many threads as are free
    assert shared.num_parameters == sum(p.numel() for p in run.module.parameters())
