"""Training on a store that is killed goes on after its last epoch, as if nothing had happened."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from lsgnn import InputError, LSGNNConfig
from lsgnn.out_of_core import fitting
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.fitting import fit_stored
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.stored_run import StoredRun
from lsgnn.out_of_core.training import train_stored
from lsgnn.train.trained import Epoch
from tests.graphs import two_blocks

CONFIG = LSGNNConfig(K=2, hidden_channels=8, epochs=6, reduce_norm="batch")


class Killed(BaseException):
    pass


def after(epoch: int) -> Any:
    """A callback that ends the process, as it were, in an epoch."""

    def on_epoch(line: Epoch) -> None:
        if line["epoch"] == epoch:
            raise Killed

    return on_epoch


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return precompute(two_blocks(n=90), tmp_path / "store", CONFIG)


def test_a_killed_training_run_ends_with_the_same_bits(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "state.safetensors"
    whole = train_stored(store, CONFIG, batch_size=20)
    for epoch in (2, 5):
        with pytest.raises(Killed):
            train_stored(store, CONFIG, batch_size=20, resume=file, on_epoch=after(epoch))
    told = list[int]()
    again = train_stored(store, CONFIG, batch_size=20, resume=file, on_epoch=lambda line: told.append(line["epoch"]))
    assert told == [6]
    assert again.history == whole.history
    assert again.best_epoch == whole.best_epoch
    for name, tensor in whole.state_dict.items():
        assert torch.equal(again.state_dict[name], tensor), name
    finished = train_stored(store, CONFIG, batch_size=20, resume=file, on_epoch=after(6))  # nothing is left to do
    assert finished.history == whole.history


def test_patience_that_ran_out_before_a_kill_is_not_forgotten(store: Store, tmp_path: Path) -> None:
    config, file = CONFIG.replace(patience=1, epochs=200, lr=0.5), tmp_path / "state.safetensors"
    first = train_stored(store, config, resume=file)
    assert len(first.history) < 200
    assert train_stored(store, config, resume=file).history == first.history


def test_other_settings_begin_anew_and_damage_is_named(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "state.safetensors"
    train_stored(store, CONFIG, resume=file)
    other = CONFIG.replace(lr=0.5)
    assert train_stored(store, other, resume=file).history == train_stored(store, other).history
    content = bytearray(file.read_bytes())
    for place in (0, -1):
        content[place] ^= 1
        file.write_bytes(content)
        with pytest.raises(InputError, match="is damaged: remove it, and training begins anew"):
            train_stored(store, other, resume=file)
        content[place] ^= 1


def test_what_was_chosen_and_trained_before_a_kill_is_not_done_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how: dict[str, Any] = dict(members=2, epochs=3, K=2, resume=tmp_path / "training")
    whole, told = fit_stored(store, **how | {"resume": None}), list[int]()
    with pytest.raises(Killed):
        fit_stored(store, **how, on_epoch=lambda line: told.append(line["epoch"]) or len(told) < 5 or after(2)(line))
    monkeypatch.setattr(fitting, "probed", lambda *_, **__: pytest.fail("what was chosen is chosen again"))
    told.clear()
    again = fit_stored(store, **how, on_epoch=lambda line: told.append(line["epoch"]))
    assert told == [3]  # of the second seed
    assert (again.metrics, again.notes, again.tried) == (whole.metrics, whole.notes, whole.tried)


TOGETHER = """
import os, signal, sys
from lsgnn.cli.main import run
from lsgnn.out_of_core import fitting

def train_stored(*arguments, on_epoch=None, **how):
    def dies(line):
        if os.environ["RANK"] == os.environ.get("DIES") and line["epoch"] == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        on_epoch(line)
    return fitting.untouched(*arguments, on_epoch=dies, **how)

fitting.untouched, fitting.train_stored = fitting.train_stored, train_stored
run()
"""


def test_the_same_torchrun_command_goes_on_after_a_process_was_killed(tmp_path: Path) -> None:
    config = LSGNNConfig(K=2, hidden_channels=8, dropout=0.0, epochs=6)
    store = precompute(two_blocks(n=90), tmp_path / "store", config)
    (script := tmp_path / "together.py").write_text(TOGETHER)
    (preset := tmp_path / "config.toml").write_text(config.to_toml())
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(script)]
    command = [*launch, "fit", str(store.folder), "--preset", str(preset), "--batch-size", "20", "--out"]
    root = Path(__file__).parents[2]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{root / 'src'}:{root}"}

    def trained_together(**more: str) -> subprocess.CompletedProcess[str]:
        out, env = str(tmp_path / "run"), environment | more
        return subprocess.run([*command, out], check=False, cwd=tmp_path, env=env, capture_output=True, text=True)

    gone = "error: one of the 2 processes that train together is gone: start them all again as before"
    for _ in range(3):  # torchrun may be the first to notice, and end the other before it can say anything
        shutil.rmtree(tmp_path / ".run.training", ignore_errors=True)
        killed = trained_together(DIES="1")
        assert killed.returncode != 0
        assert not (tmp_path / "run").exists()
        assert (tmp_path / ".run.training" / "seed-0.safetensors").exists()
        assert "lsgnn/out_of_core" not in killed.stderr  # no traceback of ours
        if gone in killed.stderr or "stopped" in killed.stderr:
            break
    else:
        pytest.fail(killed.stderr)
    again = trained_together()
    assert again.returncode == 0, again.stderr
    assert not (tmp_path / ".run.training").exists()
    alone = train_stored(store, config, batch_size=20).history
    for a, b in zip(StoredRun.load(tmp_path / "run").trained.history, alone, strict=True):
        assert a["train_loss"] == pytest.approx(b["train_loss"], abs=1e-5)
        assert a["val_loss"] == pytest.approx(b["val_loss"], abs=1e-5)
