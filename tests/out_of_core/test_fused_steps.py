"""The fused engine on stored rows: the torch loop's numbers, whatever the number of threads."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lsgnn import Graph, InputError, LSGNNConfig
from lsgnn.graph.splits import Split
from lsgnn.out_of_core import fitting, fused_rows
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.fused_steps import affordable_threads, layout_of
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.training import train_stored, why_torch
from lsgnn.propagate.precompute import precompute as in_memory
from lsgnn.train.train_lsgnn import train
from lsgnn.train.trained import StopTraining, Trained
from tests.graphs import random_graph, two_blocks

CONFIG = LSGNNConfig(K=2, hidden_channels=8, epochs=4, dropout=0.0)


def weighted_graph() -> Graph:
    """With isolated nodes, nodes without a class and edge weights."""
    graph = random_graph(n=60, d=9)
    y = np.where(np.arange(60) % 7 == 0, -1, graph.y)
    weights = np.random.default_rng(1).uniform(0.5, 2, graph.edge_index.shape[1]).astype(np.float32)
    return Graph(x=graph.x, edge_index=graph.edge_index, y=y, edge_weight=weights)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return precompute(weighted_graph(), tmp_path / "store", CONFIG.replace(K=3), max_memory=1 << 20)


def require_same(ours: Trained, theirs: Trained, tolerance: float) -> None:
    assert ours.best_epoch == theirs.best_epoch
    for a, b in zip(ours.history, theirs.history, strict=True):
        assert a == pytest.approx(b, abs=tolerance)
    assert ours.state_dict.keys() == theirs.state_dict.keys()
    for name, tensor in theirs.state_dict.items():
        if not name.endswith("num_batches_tracked"):  # torch counts here, and never looks
            torch.testing.assert_close(ours.state_dict[name], tensor, atol=10 * tolerance, rtol=1e-4)


SETTINGS: list[dict[str, Any]] = [
    {},
    {"class_weight": "balanced", "beta": 0.3, "gamma": 0.9, "select_by": "val_macro_f1"},
    {"weights": "graph", "propagation": "power", "out_norm": False, "reduce_norm": "none"},
    {"reduce_norm": "batch", "optimizer": "adamw"},
    {"localsim_scale": "standard", "localsim_degree": True},
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("batch_size", [7, 1000])
def test_without_dropout_it_is_the_torch_loop_to_rounding(
    store: Store, settings: dict[str, Any], batch_size: int
) -> None:
    config = CONFIG.replace(**settings)
    ours, theirs = (train_stored(store, config, batch_size=batch_size, engine=engine) for engine in ("cpu", "torch"))
    require_same(ours, theirs, 1e-5)


@pytest.mark.parametrize("points", [2, 3])
def test_similarities_between_points_of_a_grid_are_interpolated(
    store: Store, monkeypatch: pytest.MonkeyPatch, points: int
) -> None:
    """A perceptron that is linear in the similarity is the same on any grid; LocalSim's is not."""
    exact = train_stored(store, CONFIG, engine="cpu", batch_size=20)
    monkeypatch.setattr(fused_rows, "POINTS", points)
    coarse = train_stored(store, CONFIG, engine="cpu", batch_size=20)
    assert coarse.history != exact.history
    monkeypatch.setattr(fused_rows, "POINTS", 60)  # of more edges than that in a batch
    require_same(train_stored(store, CONFIG, engine="cpu", batch_size=20), exact, 2e-4)


@pytest.mark.parametrize("settings", [{}, {"reduce_norm": "batch"}])
def test_the_number_of_threads_does_not_change_a_bit(store: Store, settings: dict[str, Any]) -> None:
    config = CONFIG.replace(dropout=0.5, **settings)
    one, three = (train_stored(store, config, batch_size=10, engine="cpu", threads=n) for n in (1, 3))
    assert one.history == three.history
    assert all(torch.equal(tensor, three.state_dict[name]) for name, tensor in one.state_dict.items())


def test_rows_in_half_precision_are_read_as_they_are(tmp_path: Path) -> None:
    how: dict[str, Any] = dict(max_memory=1 << 20, dtype="float16")
    store = precompute(weighted_graph(), tmp_path / "half", CONFIG, **how)
    assert store.array("rows").dtype == np.float16
    ours, theirs = (train_stored(store, CONFIG, batch_size=20, engine=engine) for engine in ("cpu", "torch"))
    require_same(ours, theirs, 1e-5)


@pytest.mark.parametrize("settings", [{}, {"reduce_norm": "batch"}])
def test_one_batch_of_all_rows_is_the_training_in_memory_with_its_dropout(
    store: Store, settings: dict[str, Any]
) -> None:
    config, split = CONFIG.replace(dropout=0.5, seed=3, **settings), Split(*map(store.array, ("train", "val", "test")))
    ours = train_stored(store, config, batch_size=1000, engine="cpu")
    graph = weighted_graph()
    theirs = train(in_memory(graph, config), graph.y, 3, split, config, engine="cpu")
    require_same(ours, theirs, 1e-5)


def test_every_epoch_drops_out_other_units(store: Store) -> None:
    still = CONFIG.replace(dropout=0.5, lr=1e-12)
    losses = [epoch["train_loss"] for epoch in train_stored(store, still, engine="cpu").history]
    assert len(set(losses)) == len(losses)


def test_a_run_that_is_stopped_goes_on_as_if_it_had_not_been(store: Store, tmp_path: Path) -> None:
    config, file = CONFIG.replace(dropout=0.5, reduce_norm="batch"), tmp_path / "state.safetensors"
    whole = train_stored(store, config, batch_size=20, engine="cpu")

    def stop(epoch: Any) -> None:
        if epoch["epoch"] == 2:
            raise StopTraining

    train_stored(store, config, batch_size=20, engine="cpu", resume=file, on_epoch=stop)
    heard = list[int]()
    again = train_stored(
        store, config, batch_size=20, engine="cpu", resume=file, on_epoch=lambda e: heard.append(e["epoch"])
    )
    assert heard == [3, 4]
    assert again.history == whole.history
    assert all(torch.equal(tensor, again.state_dict[name]) for name, tensor in whole.state_dict.items())
    # the torch loop has moments of other shapes: it begins anew
    train_stored(store, config, batch_size=20, engine="torch", resume=file, on_epoch=lambda e: heard.append(e["epoch"]))
    assert heard == [3, 4, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"head": "mlp"}, "head='mlp'"), ({"reduce_layers": 2}, "reduce_layers=2"), ({}, "")],
)
def test_what_it_cannot_train_goes_to_torch_and_a_note_says_so(
    store: Store, settings: dict[str, Any], reason: str
) -> None:
    assert why_torch(CONFIG.replace(**settings)) == reason
    run = fitting.fit_stored(store, CONFIG.replace(epochs=1), batch_size=40, **settings)
    assert [note for note in run.notes if "torch loop" in note and reason in note] == [
        note for note in run.notes if "CPU engine" in note
    ]
    assert any("CPU engine" in note for note in run.notes) == bool(reason)


def test_an_engine_that_cannot_is_an_error() -> None:
    with pytest.raises(InputError, match="engine='cpu' cannot train with head='mlp'"):
        why_torch(CONFIG.replace(head="mlp"), "cpu")
    with pytest.raises(InputError, match="engine='cpu' cannot train with device='cuda'"):
        why_torch(CONFIG, "cpu", "cuda")
    assert why_torch(CONFIG, device="cuda") == "device='cuda'"
    assert why_torch(CONFIG, "torch") == "engine='torch'"


def test_small_batches_get_one_thread() -> None:
    from lsgnn.nn.model import LSGNN

    layout = layout_of(LSGNN.from_config(CONFIG, 9, 3, 60), CONFIG)
    assert affordable_threads(layout, 10) == 1
    assert affordable_threads(layout, 10**9) == torch.get_num_threads()


def test_mini_batches_learn(tmp_path: Path) -> None:
    store = precompute(two_blocks(n=90), tmp_path / "blocks", CONFIG, max_memory=1 << 20)
    trained = train_stored(store, CONFIG.replace(epochs=30, dropout=0.5), batch_size=16, engine="cpu")
    assert trained.history[-1]["val_accuracy"] > 0.8
