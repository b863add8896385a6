"""Deep stacks: both forms equal the channels computed whole, with gradients, at any K."""

from __future__ import annotations

import pytest
import torch

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.nn.deep import RecurrenceChannels, StreamedChannels, deep_rows
from lsgnn.propagate.precompute import channels, precompute
from tests.graphs import random_graph


@pytest.mark.parametrize("K", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("narrow", [True, False])
def test_projections_equal_those_of_the_whole_stack(K: int, narrow: bool) -> None:
    graph, config = random_graph(sparse=True), LSGNNConfig(K=K, gamma=0.4, beta=0.3, direction="out")
    pre = precompute(graph, config)
    weight = torch.randn(2 * K + 1, graph.num_features, 5)
    expected = torch.from_numpy(channels(pre, config)) @ weight
    found = deep_rows(pre, config, narrow).channels
    torch.testing.assert_close(found.project(weight), expected, rtol=1e-4, atol=1e-5)
    some = torch.tensor([3, 0, 17])
    torch.testing.assert_close(found.select(some).project(weight), expected[:, some], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("narrow", [True, False])
def test_gradients_equal_those_of_the_whole_stack(narrow: bool) -> None:
    graph, config = random_graph(sparse=True), LSGNNConfig(K=20, gamma=0.5)
    pre, some = precompute(graph, config), torch.arange(10)
    weight = torch.randn(41, graph.num_features, 3, requires_grad=True)
    whole = torch.from_numpy(channels(pre, config))[:, some]
    upstream = torch.randn(41, 10, 3)
    (expected,) = torch.autograd.grad(whole @ weight, weight, upstream)
    (found,) = torch.autograd.grad(
        deep_rows(pre, config, narrow).channels.select(some).project(weight), weight, upstream
    )
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_a_stack_that_does_not_fit_in_memory_is_never_formed(monkeypatch: pytest.MonkeyPatch) -> None:
    config = LSGNNConfig(K=20)
    pre = precompute(random_graph(), config)
    assert isinstance(deep_rows(pre, config).channels, StreamedChannels)
    monkeypatch.setattr("lsgnn.nn.deep.LARGEST_STACK", 1000)
    assert isinstance(deep_rows(pre, config).channels, RecurrenceChannels)


def test_other_propagations_are_refused() -> None:
    config = LSGNNConfig(K=20, propagation="power")
    with pytest.raises(InputError, match="no deep form"):
        deep_rows(precompute(random_graph(), config), config)
