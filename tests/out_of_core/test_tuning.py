"""A search over what a store leaves open, on its validation rows, that goes on after a kill."""

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lsgnn import Graph, InputError, LSGNNConfig
from lsgnn.graph.splits import Splits
from lsgnn.out_of_core.executors import processes
from lsgnn.out_of_core.executors import ray as ray_cluster
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.store_space import space_of_store
from lsgnn.out_of_core.training import train_stored
from lsgnn.out_of_core.tuning import tune_stored
from lsgnn.tuning.database import database
from lsgnn.tuning.limits import limits_of
from lsgnn.tuning.study import open_study, worker_mark
from lsgnn.zoo.lsgnn_space import SPACES
from tests.graphs import two_blocks

CONFIG = LSGNNConfig(K=3, hidden_channels=8, epochs=3)
QUICK: dict[str, Any] = dict(base=CONFIG, trials=4, rescore=2, grid=False)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return precompute(two_blocks(n=90), tmp_path / "store", CONFIG)


def test_a_space_leaves_out_what_the_store_has_settled(store: Store) -> None:
    paper, wide = (limits_of(space_of_store(SPACES[name], store, CONFIG)) for name in ("paper", "extended"))
    assert paper.keys() == {"lr", "weight_decay", "dropout", "beta", "gamma"}
    assert wide.keys() - paper.keys() == {
        *("localsim_scale", "localsim_degree", "weights", "out_norm", "reduce_norm", "hidden_channels"),
        *("K", "select_by"),
    }
    assert wide["K"].choices == (2, 3)  # type: ignore[attr-defined]


def test_a_killed_search_goes_on_to_the_same_choice(store: Store, tmp_path: Path) -> None:
    whole = tune_stored(store, **QUICK)
    assert len(whole.trials) == 4
    best = max(whole.trials, key=lambda trial: trial["val"])
    trained = train_stored(store, CONFIG.replace(**best["settings"]))
    assert best["val"] == [pytest.approx(100 * trained.history[trained.best_epoch - 1]["val_accuracy"])]

    def killed(study: Any) -> None:
        if len(study.trials) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune_stored(store, storage=tmp_path / "study.db", on_trial=killed, **QUICK)
    again = tune_stored(store, storage=tmp_path / "study.db", **QUICK)
    assert again.settings == whole.settings
    assert [trial["val"] for trial in again.trials] == [trial["val"] for trial in whole.trials]
    with pytest.raises(InputError, match=r"holds a search of .* on other data or splits, or with other settings"):
        tune_stored(store, storage=tmp_path / "study.db", metric="macro_f1", **QUICK)


def test_no_label_of_a_test_node_is_read(store: Store, tmp_path: Path) -> None:
    graph, masks = two_blocks(n=90), [np.asarray(store.array(part)) for part in ("train", "val", "test")]
    y = np.where(masks[2], 1 - graph.y, graph.y)
    swapped = Graph(x=graph.x, edge_index=graph.edge_index, y=y, splits=Splits(*(mask[None] for mask in masks)))
    other = precompute(swapped, tmp_path / "other", CONFIG)
    assert tune_stored(other, **QUICK).trials == tune_stored(store, **QUICK).trials


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trials": 0}, "trials=0 is out of range"),
        ({"timeout": 0.0}, "timeout=0.0 is out of range"),
        ({"space": "huge"}, "space='huge' is not a choice"),
        ({"start": [{"similarity": "cosine"}]}, "start has 'similarity', which is not searched"),
        ({"base": CONFIG.replace(K=4)}, "K=4, but the store was made with 3"),
        ({"workers": 0}, "workers=0 is out of range"),
        ({"executor": processes(2)}, "workers of a search meet in a file: pass storage"),
    ],
)
def test_what_a_store_cannot_search_is_named(store: Store, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tune_stored(store, **QUICK | change)


def test_processes_share_a_search(store: Store, tmp_path: Path) -> None:
    tuning = tune_stored(store, storage=tmp_path / "study.db", executor=processes(2), **QUICK)
    assert len(tuning.trials) == 4
    study = open_study(f"store {store.folder.name}/lsgnn/paper", tmp_path / "study.db", decides=decides_of(tmp_path))
    workers = {trial.user_attrs["worker"] for trial in study.trials}
    assert worker_mark() not in workers  # this process has only chosen


def decides_of(folder: Path) -> str:
    """What the study in the file was made with."""
    import optuna

    (study,) = optuna.get_all_study_summaries(database(folder / "study.db"))
    return str(study.user_attrs["decides"])


def test_trials_of_a_ray_node_that_dies_are_done_by_another(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An emulated cluster of two nodes, one of which is killed while it has a trial under way."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_worker_niceness", "0")  # else workers wait for everybody on a machine in use
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        mortal = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes(timeout=60)
        file, killed = tmp_path / "study.db", threading.Event()

        def kill() -> None:
            """When both nodes have taken a trial."""
            while not killed.is_set() and len(_workers(file)) < 2:
                time.sleep(0.2)
            cluster.remove_node(mortal, allow_graceful=False)
            killed.set()

        thread = threading.Thread(target=kill)
        thread.start()
        slow = QUICK | {"base": CONFIG.replace(epochs=60), "trials": 5, "rescore": 1}
        tuning = tune_stored(store, storage=file, executor=ray_cluster(cluster.address), workers=2, **slow)
        assert killed.is_set()
        thread.join()
        assert [trial["state"] for trial in tuning.trials] == ["complete"] * 5
    finally:
        killed.set()
        cluster.shutdown()


def _workers(file: Path) -> set[str]:
    """Who has taken a trial so far."""
    if not file.exists():
        return set()
    try:
        with closing(sqlite3.connect(file, timeout=1)) as opened:
            found = opened.execute("SELECT value_json FROM trial_user_attributes WHERE key = 'worker'")
            return {value for (value,) in found}
    except sqlite3.OperationalError:  # tables are being made
        return set()
