"""Norms of the reduction: what each keeps of a row's size."""

import numpy as np
import pytest
import torch

import lsgnn
from lsgnn import LSGNNConfig
from lsgnn.nn.channel_norm import ChannelBatchNorm, folded, make_channel_norm
from tests.graphs import two_blocks

H = torch.tensor([[[3.0, 4.0], [0.0, 0.0], [6.0, 8.0]]])  # one channel, three rows


def test_rows_of_length_one_forget_how_large_they_were() -> None:
    normed = make_channel_norm("row", 1, 2)(H)
    torch.testing.assert_close(normed, torch.tensor([[[0.6, 0.8], [0.0, 0.0], [0.6, 0.8]]]))
    assert torch.equal(make_channel_norm("none", 1, 2)(H), H)


def test_batch_norm_brings_columns_to_one_scale_and_keeps_which_row_is_larger() -> None:
    normed = make_channel_norm("batch", 1, 2)(H)
    spread = 1.5**0.5  # rows 0, 1, 2 times something: mean 1, variance 2/3
    expected = torch.tensor([[[0.0, 0.0], [-spread, -spread], [spread, spread]]])
    torch.testing.assert_close(normed, expected, atol=1e-4, rtol=0)


def test_channels_are_standardised_one_by_one() -> None:
    norm = ChannelBatchNorm(2, 2)
    stack = torch.cat([H, 100 * H])
    normed = norm(stack)
    torch.testing.assert_close(normed[0], normed[1], atol=1e-4, rtol=0)
    torch.testing.assert_close(norm.running_mean, 0.1 * torch.tensor([3.0, 4.0, 300.0, 400.0]))


def test_a_trained_norm_is_a_scale_and_a_shift_of_each_row_alone() -> None:
    norm = ChannelBatchNorm(1, 2)
    norm(H)
    scale, shift = folded(norm.eval())
    for row in range(3):
        torch.testing.assert_close(norm(H[:, [row]])[0, 0].double(), H[0, row].double() * scale + shift)


@pytest.mark.parametrize("engine", ["cpu", "torch"])
def test_other_graphs_are_read_by_the_averages_of_training(engine: str) -> None:
    graph = two_blocks()
    run = lsgnn.fit(graph, LSGNNConfig(reduce_norm="batch", feature_norm="none", K=2, epochs=5), engine=engine)
    assert np.allclose(run.predict(graph).probabilities, run.predict().probabilities, atol=1e-6)
