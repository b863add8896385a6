"""What nobody decided is chosen for a store by short training runs on a sample of its rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lsgnn import Graph, LSGNNConfig
from lsgnn.out_of_core import probing
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.fitting import fit_stored
from lsgnn.out_of_core.probing import draft_of
from lsgnn.out_of_core.sampling import stratified_sample
from lsgnn.out_of_core.store import Store

QUICK: dict[str, Any] = dict(epochs=30, hidden_channels=8, weights="graph")


def far_sighted(n: int = 400) -> Graph:
    """A ring in which a node is of the class that the features show three steps on, and nowhere nearer."""
    random = np.random.default_rng(0)
    shown = random.integers(0, 2, n)
    x = np.zeros((n, 2), np.float32)
    x[np.arange(n), shown] = 1
    y = shown[(np.arange(n) + 3) % n]
    return Graph(x=x, edge_index=np.stack([np.arange(n), (np.arange(n) + 1) % n]), y=y, name="ring")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return precompute(far_sighted(), tmp_path / "store", LSGNNConfig(K=3, direction="out", lr=0.05, dropout=0.0))


def test_hops_are_chosen_by_validation_rows_of_a_sample(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "ROWS", 70)
    seen = list[str]()
    run = fit_stored(store, on_stage=seen.append, **QUICK)
    assert run.config.K == 3
    assert seen == ["hops", "decay"]
    hops = {row.candidate: row for row in run.tried if row.stage == "hops"}
    assert hops["3"].taken
    assert hops["3"].score > hops["2"].score + 0.2
    assert "hops: 2 " in run.notes[-1]
    assert run.config.lr == 0.05  # named when the store was made


def test_what_is_named_is_not_tried(store: Store) -> None:
    assert draft_of(store).open_to == {"class_weight", "K", "hidden_channels", "weight_decay", "weights"}
    run = fit_stored(store, K=2, weight_decay=0.0, **QUICK)
    assert (run.config.K, run.tried) == (2, ())
    assert fit_stored(store, store.config.replace(epochs=1)).tried == ()


def test_a_sample_has_every_class_and_about_the_shares_of_all() -> None:
    places, y = np.arange(100, 3100), np.repeat([0, 1, 2], [2000, 970, 30])
    some = stratified_sample(places, y, 300)
    np.testing.assert_array_equal(np.bincount(y[some - 100]), [200, 97, 20])
    assert (np.diff(some) > 0).all()
    assert stratified_sample(places, y, 3000) is places
