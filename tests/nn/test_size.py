"""Sizes that are known before anything is allocated are those of what is allocated then."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import LSGNN, LSGNNConfig, memory
from lsgnn.config import Weights
from lsgnn.errors import InputError
from lsgnn.nn.rows import make_rows
from lsgnn.nn.size import num_activations, num_weights
from lsgnn.propagate.precompute import channels, precompute, stack_bytes
from tests.graphs import random_graph

settings = st.fixed_dictionaries(
    {
        "K": st.integers(1, 4),
        "direction": st.sampled_from(["out", "both"]),
        "hidden_channels": st.integers(1, 5),
        "reduce_layers": st.integers(1, 3),
        "weights": st.sampled_from([kind for kind in Weights.__args__ if kind != "auto"]),  # type: ignore[attr-defined]
        "head": st.sampled_from(["linear", "mlp"]),
        "adjacency_embedding": st.booleans(),
        "localsim_scale": st.sampled_from(["none", "standard"]),
        "localsim_hops": st.integers(0, 2),
        "localsim_degree": st.booleans(),
        "reduce_norm": st.sampled_from(["row", "batch", "none"]),
    }
)


@given(settings, st.integers(1, 6), st.integers(2, 4))
def test_the_weights_are_counted_exactly(chosen: dict[str, Any], d: int, C: int) -> None:
    config = LSGNNConfig(**chosen)
    state = LSGNN.from_config(config, d, C, num_nodes=7).state_dict()
    counted = sum(tensor.numel() for name, tensor in state.items() if not name.endswith("num_batches_tracked"))
    assert num_weights(config, d, C, num_nodes=7) == counted


@pytest.mark.parametrize("K", [3, 20])
def test_the_stack_takes_what_was_said(K: int) -> None:
    graph = random_graph(n=300, d=90)
    config = LSGNNConfig(K=K)
    pre = precompute(graph, config)
    channels(pre, config)  # compiles
    tracemalloc.start()
    channels(pre, config)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.8 * peak < stack_bytes(config, 300, 90) < 1.2 * peak


def test_what_passes_through_the_model_grows_with_every_setting_that_is_named() -> None:
    small = num_activations(LSGNNConfig(K=2, hidden_channels=4), 10, 100)
    assert small == 10 * (5 * 8 + 3 * 4) + 100 * 8
    for more in ({"K": 3}, {"hidden_channels": 5}, {"reduce_layers": 2}):
        assert num_activations(LSGNNConfig(**{"K": 2, "hidden_channels": 4} | more), 10, 100) > small


def test_rows_that_do_not_fit_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    pre = precompute(random_graph(), LSGNNConfig())
    monkeypatch.setattr(memory, "available_memory", lambda: 10**4)
    monkeypatch.setattr(memory, "ASKED_FROM", 0)
    monkeypatch.setattr(np, "zeros", None)  # nothing is allocated
    with pytest.raises(InputError, match=r"a model with hidden_channels=16, K=5 on 40 nodes needs .* lower hidden_cha"):
        make_rows(pre, LSGNNConfig())
    with pytest.raises(InputError, match=r"hidden_channels=1, K=3000 on 40 nodes needs .*: lower K, or train on a sto"):
        make_rows(pre, LSGNNConfig(K=3000, hidden_channels=1))
