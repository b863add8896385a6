"""Training on stored rows is the training of the torch loop, however many processes share it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import distributed

from lsgnn import Graph, InputError, LSGNNConfig, stratified_splits
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.training import batches, train_stored
from lsgnn.out_of_core.world import World, joined_world
from lsgnn.propagate.precompute import precompute as in_memory
from lsgnn.train.train_lsgnn import train
from tests.graphs import random_graph, two_blocks

CONFIG = LSGNNConfig(K=2, hidden_channels=8, epochs=6)
GRAPH = two_blocks(n=90)
TOGETHER_CONFIG = CONFIG.replace(dropout=0.0, select_by="val_roc_auc")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return precompute(GRAPH, tmp_path / "store", CONFIG.replace(K=3), max_memory=1 << 20)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"class_weight": "balanced", "beta": 0.3, "gamma": 0.9},
        {"weights": "graph", "propagation": "power"},
        {"reduce_norm": "batch"},
        {"localsim_scale": "standard", "localsim_degree": True},
    ],
)
def test_one_batch_of_all_rows_is_the_training_of_the_torch_loop(store: Store, settings: dict[str, Any]) -> None:
    config = CONFIG.replace(**settings)
    split = stratified_splits(GRAPH.y)[0]
    ours = train_stored(store, config, batch_size=1000, engine="torch")
    theirs = train(in_memory(GRAPH, config), GRAPH.y, 2, split, config, engine="torch")
    assert ours.best_epoch == theirs.best_epoch
    for a, b in zip(ours.history, theirs.history, strict=True):
        assert a["train_loss"] == pytest.approx(b["train_loss"], abs=1e-5)
        assert a["val_loss"] == pytest.approx(b["val_loss"], abs=1e-5)
        assert a["val_accuracy"] == pytest.approx(b["val_accuracy"])
    for name, tensor in theirs.state_dict.items():
        torch.testing.assert_close(ours.state_dict[name], tensor, atol=1e-4, rtol=1e-3)


def test_epochs_are_selected_by_a_ranking_in_one_process(store: Store) -> None:
    config = CONFIG.replace(select_by="val_average_precision", dropout=0.0)
    theirs = train(in_memory(GRAPH, config), GRAPH.y, 2, stratified_splits(GRAPH.y)[0], config, engine="torch")
    ours = train_stored(store, config, batch_size=7)
    assert all("val_average_precision" in epoch for epoch in ours.history)
    whole = train_stored(store, config, batch_size=1000)
    key = "val_average_precision"
    assert [e[key] for e in whole.history] == pytest.approx([e[key] for e in theirs.history], abs=1e-6)


def test_rows_of_a_range_are_those_of_the_labelled_nodes(tmp_path: Path) -> None:
    graph = random_graph()  # with isolated nodes
    y = np.where(np.arange(40) % 3 == 0, -1, graph.y)
    graph = Graph(x=graph.x, edge_index=graph.edge_index, y=y)
    store = precompute(graph, tmp_path / "store", CONFIG, max_memory=1 << 20)
    rows = StoredRows(store, CONFIG)
    some, everything = rows.labelled(np.arange(26)), rows.range(0, 40)
    index = torch.from_numpy(store.array("labelled").copy())
    torch.testing.assert_close(some.channels.stack, everything.channels.stack[:, index])
    naive = everything.neighbours.mean(everything.neighbours.values)
    torch.testing.assert_close(some.neighbours.mean(some.neighbours.values), naive[index])


def test_batches_hold_every_place_once_in_an_order_of_their_own() -> None:
    places = np.arange(100, 123)
    parts = list(batches(places, 10, np.random.default_rng(0)))
    assert [len(part) for part in parts] == [8, 8, 7]
    assert sorted(np.concatenate(parts)) == list(places)
    assert list(np.concatenate(parts)) != list(places)
    (whole,) = batches(places, 23, np.random.default_rng(0))
    assert list(whole) == list(places)


def test_mini_batches_learn(store: Store) -> None:
    trained = train_stored(store, CONFIG.replace(epochs=30), batch_size=16)
    assert trained.history[-1]["val_accuracy"] > 0.8
    assert trained.history[-1]["train_loss"] < trained.history[0]["train_loss"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"direction": "out"}, "direction='out', but the store was made with 'undirected'"),
        ({"K": 4}, "K=4, but the store was made with 3"),
        ({"direction": "both"}, "direction='both' needs the powers of two filters, and a store holds one"),
        ({"localsim_space": "predictions"}, "localsim_space='predictions' compares what a store does not hold"),
        ({"localsim_hops": 1}, "localsim_hops=1 reads the φ of other nodes, which a row of a store does not know"),
        ({"structure_features": "degrees"}, "structure_features='degrees' is not for stores: use 'none'"),
        ({"adjacency_embedding": True}, "adjacency_embedding=True keeps parameters of each node"),
        ({"weights": "free"}, "weights='free' keeps parameters of each node"),
    ],
)
def test_settings_that_the_store_does_not_serve_are_refused(
    store: Store, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        train_stored(store, CONFIG.replace(**settings))


def test_more_processes_than_rows_are_refused(store: Store) -> None:
    with pytest.raises(InputError, match="too few for 100 process"):
        train_stored(store, CONFIG, world=World(0, 100))
    with pytest.raises(InputError, match=r"each needs 2 row\(s\) of every batch"):
        train_stored(store, CONFIG.replace(head="mlp"), batch_size=1)
    with pytest.raises(InputError, match="head='mlp' normalises over the whole batch"):
        train_stored(store, CONFIG.replace(head="mlp"), world=World(0, 2))
    with pytest.raises(InputError, match=r"reduce_norm='batch' normalises over .*: use reduce_norm='row'"):
        train_stored(store, CONFIG.replace(reduce_norm="batch"), world=World(0, 2))


def test_alone_there_is_nobody_to_join() -> None:
    with joined_world() as world:
        assert (world.rank, world.size, world.is_first) == (0, 1, True)
        assert float(world.sum(torch.tensor(3.0))) == 3.0


def test_a_group_that_ray_train_made_is_joined_and_left_as_it_is(tmp_path: Path) -> None:
    distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/meeting", rank=0, world_size=1)
    try:
        with joined_world() as world:
            assert (world.rank, world.size) == (0, 1)
        assert distributed.is_initialized()
    finally:
        distributed.destroy_process_group()


TOGETHER = """
import json, sys
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.training import train_stored
from lsgnn.out_of_core.world import joined_world
from tests.out_of_core.test_training import TOGETHER_CONFIG

with joined_world() as world:
    history = train_stored(Store(sys.argv[1]), TOGETHER_CONFIG, batch_size=20, world=world).history
    open(f"{sys.argv[2]}{world.rank}", "w").write(json.dumps([world.size, history]))
"""


def test_two_processes_of_torchrun_train_what_one_trains(store: Store, tmp_path: Path) -> None:
    script = tmp_path / "together.py"
    script.write_text(TOGETHER)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    root = Path(__file__).parents[2]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{root / 'src'}:{root}"}
    subprocess.run(
        [*command, str(script), str(store.folder), str(tmp_path / "rank")], check=True, cwd=root, env=environment
    )
    alone = train_stored(store, TOGETHER_CONFIG, batch_size=20).history
    for rank in (0, 1):
        size, history = json.loads((tmp_path / f"rank{rank}").read_text())
        assert size == 2
        for a, b in zip(history, alone, strict=True):
            assert a["train_loss"] == pytest.approx(b["train_loss"], abs=1e-5)
            assert a["val_loss"] == pytest.approx(b["val_loss"], abs=1e-5)
            assert a["val_roc_auc"] == pytest.approx(b["val_roc_auc"], abs=1e-6)  # of all rows, seen by both
