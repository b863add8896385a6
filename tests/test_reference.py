"""Outputs of the authors' released code, to 1e-5: channels, similarities, LocalSim and logits."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from lsgnn import Graph, InputError, reference
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import make_rows
from lsgnn.propagate.precompute import channels, precompute
from lsgnn.propagate.similarity import edge_similarity

GOLDEN = sorted((Path(__file__).parents[2] / "shared" / "golden").glob("*.npz"))


@pytest.fixture(params=GOLDEN or [None], ids=lambda path: path.stem if path else "none")
def golden(request: pytest.FixtureRequest) -> dict[str, np.ndarray]:
    if request.param is None:
        pytest.skip("the authors' outputs (../shared/golden) are not here")
    with np.load(request.param) as file:
        return dict(file)


def test_everything_the_released_code_computes_is_computed_alike(golden: dict[str, np.ndarray]) -> None:
    released = json.loads(bytes(golden["config"]))
    weights = {k.removeprefix("weight:"): torch.from_numpy(v) for k, v in golden.items() if k.startswith("weight:")}
    graph = Graph(x=golden["x"], edge_index=golden["edge_index"], y=golden["y"])
    config = reference.our_config(released)
    pre = precompute(graph, config)
    similarity = edge_similarity(pre.x, golden["edge_index"], config.similarity, config.euclid_sign)
    assert np.abs(channels(pre, config) - golden["channels"]).max() < 1e-5
    assert np.abs(similarity - golden["edge_similarity"]).max() < 1e-5
    assert np.abs(reference.logits(graph, weights, released).numpy() - golden["logits"]).max() < 1e-5
    model = LSGNN.from_weights(config, reference.our_weights(weights), graph.num_nodes)
    for dense in (True, False):
        rows = make_rows(pre, config, dense)
        assert np.abs(model.fusion.weights.localsim(rows.neighbours).detach().numpy() - golden["localsim"]).max() < 1e-5
        assert np.abs(model(rows).detach().numpy() - golden["logits"]).max() < 1e-5


def test_flags_written_with_a_stray_comma_are_understood() -> None:
    assert reference.our_config({"irdc": [True], "transposed": (True,)}).direction == "out"


def test_what_is_not_of_the_released_code_is_refused() -> None:
    with pytest.raises(InputError, match="method='dot' is unknown"):
        reference.our_config({"method": "dot"})
    with pytest.raises(InputError, match=r"'conv\.weight' is not one of the released LSGNN"):
        reference.our_weights({"conv.weight": torch.zeros(1)})
