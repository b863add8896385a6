"""`StoredRun`: a model trained on a store; predicts every node of a store, chunk by chunk, into a file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch.nn import functional as F

from lsgnn.config import LSGNNConfig
from lsgnn.digests import DIGESTS, recorded_digests, verify_digests, write_digests
from lsgnn.errors import InputError
from lsgnn.files import undo_exchange, write_folder_atomically, write_json, write_text
from lsgnn.nn.model import LSGNN
from lsgnn.out_of_core.prediction_files import write_file, write_parts
from lsgnn.out_of_core.records import read_json
from lsgnn.out_of_core.reduced import reduced_features
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.run_facts import checked_facts
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.threads import all_cores
from lsgnn.out_of_core.training import places_of, train_stored
from lsgnn.out_of_core.world import World
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.runs.predictions import Predictions
from lsgnn.train.calibration import calibrated_temperature, expected_calibration_error
from lsgnn.train.environment import environment
from lsgnn.train.loop import OnEpoch
from lsgnn.train.trained import Trained

ABOUT = "stored_run.json"
FILES = ("model.safetensors", "config.toml", ABOUT)
STRAY = re.compile(r"\..*\.[0-9a-f]{12}\.tmp")  # what a killed process of ours leaves
FIX = "restore it or train again"


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredRun:
    """A trained LSGNN without its graph, which stays in the store.

    Args:
        metrics: loss, accuracy and calibration error of the validation and the test nodes.
        temperature: what logits are divided by so that probabilities can be believed.
        feature_names, column_scale: those of the store it was trained on.
    """

    config: LSGNNConfig
    trained: Trained = field(repr=False)
    num_nodes: int
    class_names: tuple[str, ...]
    metrics: dict[str, float]
    temperature: float
    environment: dict[str, str] = field(repr=False)
    feature_names: Sequence[str] = field(default=(), repr=False)
    column_scale: dict[str, list[float]] = field(default_factory=dict, repr=False)

    @cached_property
    def model(self) -> LSGNN:
        return LSGNN.from_weights(self.config, self.trained.state_dict, self.num_nodes)

    def predict(
        self,
        store: Store,
        path: str | Path,
        *,
        calibrated: bool = True,
        on_chunk: Callable[[int], None] | None = None,
    ) -> int:
        """Writes the probabilities of every node to a `.csv` or `.parquet` file, or a folder of parts; how many.

        Args:
            store: the one the model was trained on, or another with the same settings, features and classes.
            path: one whose name has no ending is a folder of Parquet files, `part-00000.parquet` and so on.
            on_chunk: called with the number of nodes done so far.
        """
        path = Path(path)
        if path.suffix not in ("", ".csv", ".parquet"):
            raise InputError(
                f"cannot write predictions to {path.name!r}: the name must end in .csv or .parquet, or, for a folder "
                "of Parquet files, have no ending"
            )
        chunks = self._chunks(store, self.temperature if calibrated else 1.0, path.parent)
        done = 0
        for written in (write_parts if path.suffix == "" else write_file)(chunks, path):
            done += written
            if on_chunk is not None:
                on_chunk(done)
        return done

    @torch.no_grad()
    def _chunks(self, store: Store, temperature: float, folder: Path) -> Iterator[Predictions]:
        if (store.manifest.num_features, store.class_names) != (self.model.in_channels, self.class_names):
            raise InputError(f"{store.folder} has other features or classes than the model was trained on")
        if list(store.manifest.feature_names) != list(self.feature_names):
            raise InputError(
                f"the columns of {store.folder} are not those the model learned from, in their order: it must have "
                f"{_few(self.feature_names)}, not {_few(store.manifest.feature_names)}"
            )
        rows, ids = StoredRows(store, self.config), store.array("node_ids")
        theirs, ours = (ColumnScale.from_dict(of.column_scale) if of.column_scale else None for of in (store, self))
        if ours is not None and not (theirs is not None and ours.is_like(theirs)):
            raise InputError(
                f"the columns of {store.folder} are standardised by means and deviations of their own, not by those "
                "the model learned from: standardise both alike yourself, and make stores with feature_norm=none"
            )
        reduced = None
        if store.manifest.keep == "labelled":
            weight = self.model.reduce.weights[0].detach().numpy()
            reduced = reduced_features(store, self.config, weight, folder, all_cores())
        for start, stop in rows.chunks():
            logits = self.model(rows.range(start, stop, reduced)).numpy()
            yield Predictions.of_logits(logits, ids[start:stop], self.class_names, temperature)

    def save(self, folder: str | Path) -> None:
        """Writes the run as a folder of plain files with their digests; refuses to replace anything but such a run."""
        folder = Path(folder).expanduser()
        require_place(folder)
        about = {name: value for name, value in asdict(self).items() if name not in ("config", "trained")}
        trained = {"best_epoch": self.trained.best_epoch, "seconds": self.trained.seconds}
        with write_folder_atomically(folder) as new:
            (new / "model.safetensors").write_bytes(save(self.trained.state_dict))
            write_text(new / "config.toml", self.config.to_toml())
            write_json(new / ABOUT, about | trained | {"history": self.trained.history})
            write_digests(new, FILES)

    @classmethod
    def load(cls, folder: str | Path) -> StoredRun:
        """Reads a folder written by `save`, if its files are as they were; executes no code from it."""
        folder = Path(folder).expanduser()
        if not is_stored_run(folder):
            raise InputError(f"{folder} is not a run on a store: pass a folder in which a run on a store was saved")
        verify_digests(folder, FILES)
        name = "config.toml"
        try:
            config = LSGNNConfig.from_dict(tomllib.loads((folder / name).read_text("utf-8")))
            name = "model.safetensors"
            weights = load_file(folder / name)
            name = ABOUT
            about = checked_facts(read_json(folder / name, FIX))
            trained = Trained(weights, about.pop("best_epoch"), about.pop("history"), about.pop("seconds"))
            run = cls(config=config, trained=trained, **about)
        except (ValueError, OSError, SafetensorError) as error:
            raise InputError(f"{folder / name} is damaged ({_first_line(error)}): {FIX}") from error
        run._require_fit(folder)
        return run

    def _require_fit(self, folder: Path) -> None:
        """The files of a run belong together: weights, settings and names must be of the same shape."""
        try:
            shape = (self.model.in_channels, self.model.out_channels)
        except (RuntimeError, KeyError, IndexError, TypeError, OverflowError) as error:
            raise InputError(f"the weights of {folder} do not fit its config.toml: {FIX}") from error
        columns = {len(self.feature_names), len(self.column_scale.get("mean", ()))} - {0}
        if columns - {shape[0]} or len(self.class_names) != shape[1]:
            raise InputError(f"the weights of {folder} do not fit its {ABOUT}: {FIX}")
        for name, tensor in self.model.state_dict().items():
            counts = name.endswith("num_batches_tracked")
            if not (tensor.dtype == (torch.int64 if counts else torch.float32) and bool(tensor.isfinite().all())):
                raise InputError(f"{folder / FILES[0]} is damaged ({name} is not of finite float32 values): {FIX}")


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "") or "columns without names"


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


def fit_stored(
    store: Store,
    config: LSGNNConfig | None = None,
    *,
    batch_size: int = 8192,
    device: str = "cpu",
    world: World | None = None,
    on_epoch: OnEpoch | None = None,
) -> StoredRun:
    """Trains LSGNN on the training rows of a store and reads its test nodes once, at the end.

    Args:
        config: settings; by default those of the store. β, γ and fewer hops than it has may be chosen freely.
        batch_size: rows of one optimiser step.
        world: the processes that train together (see `lsgnn.out_of_core.world.joined_world`).
    """
    config = config or store.config
    trained = train_stored(store, config, batch_size=batch_size, device=device, world=world, on_epoch=on_epoch)
    model = LSGNN.from_weights(config, trained.state_dict, store.num_nodes)
    labels, metrics, temperature = store.array("y")[store.array("labelled")], dict[str, float](), 1.0
    for part in ("val", "test"):
        places = places_of(store, part)
        if not len(places):
            continue
        logits, y = _logits(model, StoredRows(store, config), places, batch_size), labels[places]
        if part == "val":
            temperature = calibrated_temperature(logits, y)
        probabilities = Predictions.of_logits(logits, places, store.class_names, temperature).probabilities
        metrics[f"{part}_loss"] = float(F.cross_entropy(torch.from_numpy(logits), torch.from_numpy(y)))
        metrics[f"{part}_accuracy"] = float((logits.argmax(axis=1) == y).mean())
        metrics[f"{part}_ece"] = expected_calibration_error(probabilities, y)
    return StoredRun(
        config=config,
        trained=trained,
        num_nodes=store.num_nodes,
        class_names=store.class_names,
        metrics=metrics,
        temperature=temperature,
        environment=environment(),
        feature_names=store.manifest.feature_names,
        column_scale=store.column_scale,
    )


@torch.no_grad()
def _logits(model: LSGNN, rows: StoredRows, places: NDArray[np.int64], at_once: int) -> NDArray[np.float32]:
    parts = (places[start : start + at_once] for start in range(0, len(places), at_once))
    return np.concatenate([model(rows.labelled(part)).numpy() for part in parts])
