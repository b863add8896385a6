"""A `StoredRun` on disk: a folder of plain files with their digests.

`model.safetensors` weights (those of member m named `m.…`) · `config.toml` settings · `stored_run.json` all the rest.
"""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from lsgnn.config import LSGNNConfig
from lsgnn.digests import DIGESTS, recorded_digests, verify_digests, write_digests
from lsgnn.errors import InputError
from lsgnn.files import undo_exchange, write_folder_atomically, write_json, write_text
from lsgnn.out_of_core.records import read_json
from lsgnn.out_of_core.run_facts import FACTS, checked_facts
from lsgnn.out_of_core.stored_run import StoredRun
from lsgnn.runs.member_weights import flat_weights, weights_by_member
from lsgnn.train.trained import Trained

ABOUT = "stored_run.json"
FILES = ("model.safetensors", "config.toml", ABOUT)
STRAY = re.compile(r"\..*\.[0-9a-f]{12}\.tmp")  # what a killed process of ours leaves
FIX = "restore it or train again"


def save_stored_run(run: StoredRun, folder: Path) -> None:
    require_place(folder)
    about = {name: getattr(run, name) for name in FACTS}
    about["decision"] = None if run.decision is None else asdict(run.decision)
    about["tried"] = [asdict(row) for row in run.tried]
    members = [{"best_epoch": m.best_epoch, "seconds": m.seconds, "history": m.history} for m in run.members]
    with write_folder_atomically(folder) as new:
        (new / "model.safetensors").write_bytes(save(flat_weights(run.members)))
        write_text(new / "config.toml", run.config.to_toml())
        write_json(new / ABOUT, about | {"members": members})
        write_digests(new, FILES)


def load_stored_run(folder: Path) -> StoredRun:
    if not is_stored_run(folder):
        raise InputError(f"{folder} is not a run on a store: pass a folder in which a run on a store was saved")
    verify_digests(folder, FILES)
    name = "config.toml"
    try:
        config = LSGNNConfig.from_dict(tomllib.loads((folder / name).read_text("utf-8")))
        name = ABOUT
        found = read_json(folder / name, FIX)
        about, members = checked_facts(found)
        name = "model.safetensors"
        weights = load_file(folder / name)
        one = "members" not in found  # as version 0.2 wrote it
        states = [weights] if one else weights_by_member(weights, len(members))
    except (ValueError, OSError, SafetensorError) as error:
        raise InputError(f"{folder / name} is damaged ({_first_line(error)}): {FIX}") from error
    trained = (Trained(state, **member) for state, member in zip(states, members, strict=True))
    run = StoredRun(config=config, members=tuple(trained), **about)
    _require_fit(run, folder)
    return run


def _require_fit(run: StoredRun, folder: Path) -> None:
    """The files of a run belong together: weights, settings and names must be of the same shape."""
    try:
        shapes = {(model.in_channels, model.out_channels) for model in run.models}
    except (RuntimeError, KeyError, IndexError, TypeError, OverflowError) as error:
        raise InputError(f"the weights of {folder} do not fit its config.toml: {FIX}") from error
    classes, columns = len(run.class_names), {len(run.feature_names), len(run.column_scale.get("mean", ()))}
    if (
        columns - {0, run.model.in_channels}
        or shapes != {(run.model.in_channels, classes)}
        or (run.decision is not None and classes != 2)
    ):
        raise InputError(f"the weights of {folder} do not fit its {ABOUT}: {FIX}")
    for model in run.models:
        for name, tensor in model.state_dict().items():
            counts = name.endswith("num_batches_tracked")
            if not (tensor.dtype == (torch.int64 if counts else torch.float32) and bool(tensor.isfinite().all())):
                raise InputError(f"{folder / FILES[0]} is damaged ({name} is not of finite float32 values): {FIX}")


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def require_place(folder: Path) -> None:
    """Raises unless a run may be written there: nothing but the files of such a run is replaced."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not is_stored_run(folder):
        raise InputError(f"{folder} exists and is not a run on a store: choose another folder or remove it first")
    for file in sorted(folder.iterdir()):
        if not STRAY.fullmatch(file.name) and not (file.is_file() and file.name in (*FILES, DIGESTS)):
            raise InputError(f"{file} is not part of a run and would be lost: move it, or choose another folder")


def is_stored_run(folder: str | Path) -> bool:
    """True if a run was written there, even if some of its files are gone."""
    folder = Path(folder).expanduser()
    undo_exchange(folder)
    with suppress(InputError):
        return (folder / ABOUT).exists() or ABOUT in recorded_digests(folder)
    return False
