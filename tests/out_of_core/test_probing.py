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

QUICK: dict[str, Any] = dict(epochs=30, hidden_channels=8, weights="graph", gamma=0.5)


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
    norms = {"reduce_norm", "out_norm"}
    others = {"class_weight", "K", "gamma", "hidden_channels", "weight_decay", "weights"}
    assert draft_of(store).open_to == others | norms
    run = fit_stored(store, K=2, weight_decay=0.0, **QUICK)
    assert (run.config.K, run.tried) == (2, ())
    assert fit_stored(store, store.config.replace(epochs=1)).tried == ()


def crowded(n: int = 400) -> Graph:
    """A node is of the class that says whether it has many neighbours: nothing but the size of a sum shows it."""
    random = np.random.default_rng(0)
    y = np.arange(n) % 2
    source = np.repeat(np.arange(n), np.where(y, 6, 1))
    target = random.integers(0, n, len(source))
    return Graph(x=np.ones((n, 2), np.float32), edge_index=np.stack([source, target]), y=y, name="crowd")


def test_batch_norm_is_chosen_where_sizes_tell_the_classes_apart(tmp_path: Path) -> None:
    config = LSGNNConfig(K=2, direction="out", feature_norm="none", lr=0.05, dropout=0.0, weight_decay=0.0)
    store, seen = precompute(crowded(), tmp_path / "store", config), list[str]()
    run = fit_stored(store, on_stage=seen.append, **QUICK)
    assert seen == ["magnitude"]
    assert (run.config.reduce_norm, run.config.out_norm, run.config.lr) == ("batch", False, 0.05)
    assert run.metrics["val_accuracy"] > 0.9
    named = fit_stored(store, out_norm=True, **QUICK)
    assert (named.config.reduce_norm, named.tried) == ("row", ())


def test_a_sample_has_every_class_and_about_the_shares_of_all() -> None:
    places, y = np.arange(100, 3100), np.repeat([0, 1, 2], [2000, 970, 30])
    some = stratified_sample(places, y, 300)
    np.testing.assert_array_equal(np.bincount(y[some - 100]), [200, 97, 20])
    assert (np.diff(some) > 0).all()
    assert stratified_sample(places, y, 3000) is places
