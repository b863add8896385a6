"""Finished units of work, kept so that a killed run goes on where it was: lines of JSON, in files that only grow.

A unit is known by its key, a digest of everything that decides its result (data, split, settings, metric): a key that
is there is a finished unit, and a changed setting is another key. `compare` keeps its units here, and so do the paper's
experiments.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from lsgnn.config import TrainingConfig
from lsgnn.errors import InputError
from lsgnn.files import make_folder, plain, safe_name
from lsgnn.graph.digest import digest_of_graph, digest_of_split
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.train.metrics import Metric


class UnitFile:
    """A file with one JSON object per line, each with its `key`; lines are only ever added, by one process or several.

    A line is written at once, under a lock, and is on the disk when `add` returns. What a killed process left half
    written is no line: it is passed over, and the next line begins on a new one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._state: tuple[int, ...] = ()
        self._units: dict[str, dict[str, Any]] = {}

    def units(self) -> Mapping[str, dict[str, Any]]:
        """Key → unit, in the order of the lines. Of several lines with one key the last counts, damaged ones never."""
        try:
            now = self.path.stat()
            state = (now.st_ino, now.st_size, now.st_mtime_ns)
            if state != self._state:  # other processes may have added some
                self._units, self._state = _parsed(self.path.read_bytes()), state
        except (FileNotFoundError, NotADirectoryError):
            self._units, self._state = {}, ()
        except OSError as error:
            raise InputError(f"cannot read {self.path} ({error.strerror}): make it a readable file") from error
        return self._units

    def add(self, key: str, unit: Mapping[str, Any]) -> None:
        """Adds one line; NaN and infinity become null, as JSON knows neither."""
        make_folder(self.path.parent)
        line = json.dumps({"key": key} | plain(unit), ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(self.path, flags, 0o666)
            try:
                _append(descriptor, line)
            finally:
                os.close(descriptor)  # which ends the lock as well
        except OSError as error:
            reason = f"cannot add to {self.path} ({error.strerror}): make room for it, or choose another folder"
            raise InputError(reason) from error


def _parsed(content: bytes) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for line in content.split(b"\n"):
        try:
            unit = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):  # half a line, or bytes that are no text
            continue
        if isinstance(unit, dict) and isinstance(key := unit.pop("key", None), str):
            found.pop(key, None)  # so that the order is that of the lines that count
            found[key] = unit
    return found


def _append(descriptor: int, line: bytes) -> None:
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if size:
        os.lseek(descriptor, size - 1, os.SEEK_SET)
        line = line if os.read(descriptor, 1) == b"\n" else b"\n" + line
    if os.write(descriptor, line) < len(line):  # the disk is full
        os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(descriptor)


def key_of(*decides: Any) -> str:
    """A digest of everything that decides a result, as JSON can hold it."""
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True)
class Unit:
    """What one model scored on one split, in percent; `best_epoch` is 0 where nothing is trained."""

    dataset: str
    model: str
    split: int
    metric: Metric
    val: float
    test: float
    best_epoch: int
    epochs: int  # trained before patience or the budget ran out
    seconds: float  # of training and prediction
    prepare_seconds: float  # of what has no parameters, done once for all splits
    num_parameters: int
    config: dict[str, Any] = field(repr=False)
    environment: dict[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, stored: Mapping[str, Any] | None) -> Self | None:
        """The unit of a line; None where there is none or it is damaged (it is then computed again)."""
        if stored is None or any(f.name not in stored for f in fields(cls)):
            return None
        if not isinstance(stored["config"], dict) or not all(isinstance(stored[n], float | int) for n in _NUMBERS):
            return None
        return cls(**{f.name: stored[f.name] for f in fields(cls)})


_NUMBERS = ("split", "val", "test", "best_epoch", "epochs", "seconds", "prepare_seconds", "num_parameters")


class UnitStore:
    """The units of one graph in a folder, `<graph>/<model>.jsonl`; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None, graph: Graph) -> None:
        self.folder = None if folder is None else make_folder(Path(folder).expanduser() / safe_name(graph.name))
        self._data = digest_of_graph(graph) if folder is not None else ""
        self._files: dict[str, UnitFile] = {}

    def key(self, model: str, split: Split, config: TrainingConfig, metric: Metric) -> str:
        return key_of(self._data, digest_of_split(split), model, config.to_dict(), metric)

    def get(self, key: str, model: str, number: int) -> Unit | None:
        """The finished unit, by the number that its split has now; None if there is none."""
        file = self._file(model)
        unit = Unit.of(file.units().get(key)) if file else None
        return unit and replace(unit, split=number)

    def add(self, key: str, unit: Unit) -> None:
        if file := self._file(unit.model):
            file.add(key, asdict(unit))

    def _file(self, model: str) -> UnitFile | None:
        if self.folder is None:
            return None
        return self._files.setdefault(model, UnitFile(self.folder / f"{model}.jsonl"))
