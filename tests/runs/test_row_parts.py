"""A large graph, part by part: the same logits as of the whole."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from lsgnn.nn.rows import make_rows
from lsgnn.propagate.precompute import channels
from lsgnn.runs.row_parts import LargeRows, large_rows, parts_of
from lsgnn.zoo.protocol import logits_of
from tests.graphs import random_graph
from tests.trained import small_run


def test_parts_of_a_graph_give_the_logits_of_the_whole() -> None:
    run = small_run()
    rows, module = make_rows(run.inputs, run.config, dense=True), run.modules[0]
    parts = list(parts_of(rows, 15))
    assert [len(part.index) for part in parts] == [15, 15, 10]
    found = np.concatenate([logits_of(module, part) for part in parts])
    np.testing.assert_allclose(found, logits_of(module, rows), atol=1e-6)


def test_what_is_small_or_has_no_rows_of_its_own_stays_whole() -> None:
    run = small_run()
    rows, narrow = (make_rows(run.inputs, run.config, dense=dense) for dense in (True, False))
    for whole, at_once in ((rows, 40), (narrow, 15), (rows.select(torch.arange(20)), 15), ("anything", 1)):
        assert list(parts_of(whole, at_once)) == [whole]


@pytest.mark.parametrize("settings", [{}, {"direction": "both"}, {"localsim_degree": True}, {"weights": "graph"}])
def test_from_powers_a_part_has_the_very_channels_and_the_logits_of_the_whole(settings: dict[str, Any]) -> None:
    run = small_run(members=2, **settings)
    rows = LargeRows.of(run.inputs, run.config)
    np.testing.assert_array_equal(rows.rows(5, 20).channels.stack, channels(run.inputs, run.config)[:, 5:20])
    for module in run.modules:
        found = rows.answers(partial(logits_of, module), at_once=15)
        np.testing.assert_allclose(found, logits_of(module, run.rows), atol=1e-6)


def test_a_run_takes_that_way_on_a_large_graph_its_own_or_another(monkeypatch: pytest.MonkeyPatch) -> None:
    run, again, other = small_run(members=2), small_run(members=2), random_graph(seed=5)
    expected = run.predict().probabilities, run.predict(other).probabilities
    monkeypatch.setattr("lsgnn.runs.run.large_rows", lambda inputs, config: large_rows(inputs, config, 10))
    monkeypatch.setattr("lsgnn.nn.rows.channels", lambda *_: pytest.fail("all channels were made"))
    for found, probabilities in zip((again.predict(), again.predict(other)), expected, strict=True):
        np.testing.assert_allclose(found.probabilities, probabilities, atol=1e-6)


@pytest.mark.parametrize(
    "whole",
    [{"K": 17}, {"localsim_hops": 1}, {"weights": "free"}, {"adjacency_embedding": True}],
    ids=["a deep stack", "neighbours' LocalSim", "weights of each node", "links"],
)
def test_where_a_row_needs_more_than_itself_there_are_no_parts(whole: dict[str, Any]) -> None:
    plain, run = small_run(epochs=1), small_run(epochs=1, **whole)
    assert large_rows(plain.inputs, plain.config, 39) is not None
    assert large_rows(plain.inputs, plain.config, 40) is None
    assert large_rows(run.inputs, run.config, 39) is None
    assert large_rows("of another model", run.config, 39) is None
