"""`Store`: a folder of `.npy` files, each of which appears whole or not at all. A file that exists is a finished step.

Tasks in several processes, or on several machines that share the folder, need nothing else to agree on. What is damaged
is noticed when it is opened (see `lsgnn.out_of_core.records` and `lsgnn.out_of_core.checks`), and an error names it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import DTypeLike, NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.digests import sha256_of
from lsgnn.errors import InputError
from lsgnn.files import make_folder
from lsgnn.out_of_core.checks import checked_column_scale, require_layout
from lsgnn.out_of_core.layout import all_files, layout_of
from lsgnn.out_of_core.manifest import MANIFEST, Manifest, is_store, read_manifest, write_manifest
from lsgnn.out_of_core.records import (
    read_sealed,
    record_of,
    signature,
    verified,
    verify_record,
    write_record,
    write_sealed,
)
from lsgnn.propagate.column_scale import ColumnScale

COLUMN_SCALE = "column_scale.json"  # where columns are standardised
ROUNDING = "rounding.json"  # where features are kept in half precision
FIX = "remove it and run `precompute` again"
OTHER = "is a store of other data or settings: choose another folder or remove it"


class Store:
    """The arrays of one graph and its propagated features, by name."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()
        self.manifest = read_manifest(self.folder)
        self.config = LSGNNConfig.from_dict(self.manifest.settings)
        self.identity = self.manifest.identity

    @classmethod
    def create(cls, folder: str | Path, manifest: Manifest) -> Store:
        """A new store, or the one that is there if it is of the same data and settings; that one keeps its blocks."""
        folder = make_folder(folder).resolve()  # workers may start from elsewhere
        require_place(folder, manifest.source)
        if is_store(folder):
            there = cls(folder).manifest
            if there.depends_on != manifest.depends_on:
                raise InputError(f"{folder} {OTHER}")
            needed = 8 * there.num_nodes * max(last - first for first, last in there.blocks)
            if manifest.memory < needed:
                raise InputError(
                    f"the blocks of {folder} take {needed / 1e6:.1f} MB for each job, more than the limit leaves it "
                    f"({manifest.memory / 1e6:.1f} MB): raise the limit, take fewer jobs, or remove the store"
                )
            manifest = replace(manifest, blocks=there.blocks)
        write_manifest(folder, manifest)
        return cls(folder)

    @property
    def num_nodes(self) -> int:
        return self.manifest.num_nodes

    @property
    def class_names(self) -> tuple[str, ...]:
        return tuple(self.manifest.class_names)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.npy"

    def has(self, *names: str) -> bool:
        """True if all these arrays are there, each with its record."""
        return all(file.is_file() for name in names for file in (self.path(name), record_of(self.path(name))))

    def array(self, name: str) -> NDArray[Any]:
        """A read-only memory map, verified if this process opens the file for the first time."""
        seen = self._signature(name)
        return _mapped(self.path(name)) if seen in verified() else self._verified(name)

    def verify(self, on_bytes: Callable[[int], None] | None = None) -> int:
        """Reads every file again; raises at the first that is damaged, or missing. How many files there are.

        Args:
            on_bytes: called with the number of bytes that were read since the last time.
        """
        names = all_files(self.manifest, self.config)
        for name in names:
            if self.has(name):
                self._verified(name, on_bytes)
        for name in names:
            self._signature(name)
        rounding = [ROUNDING] if self.rounding_error is not None else []
        return len(names) + len([MANIFEST, *([COLUMN_SCALE] if self.column_scale else []), *rounding])

    @property
    def num_bytes(self) -> int:
        """Size of all arrays that are there."""
        names = all_files(self.manifest, self.config)
        return sum(self.path(name).stat().st_size for name in names if self.has(name))

    def _signature(self, name: str) -> tuple[Any, ...]:
        """That of a file that is there and can be opened, or an error."""
        for file in (self.path(name), record_of(self.path(name))):
            _require_no_folder(file)
            if not file.exists():
                place = file.relative_to(self.folder)
                raise InputError(f"the store {self.folder} is unfinished ({place} is missing): run `precompute` again")
        return signature(self.path(name), self.identity)

    def _verified(self, name: str, on_bytes: Callable[[int], None] | None = None) -> NDArray[Any]:
        """The array once its bytes are those that were written and its values those that kernels may read."""
        file, seen = self.path(name), self._signature(name)
        verify_record(file, f"{name}.npy", self.identity, FIX, on_bytes)
        values = _mapped(file)
        layout = layout_of(name, self.manifest, self.config, self.array)
        try:
            require_layout(values, layout)
        except ValueError as error:
            raise InputError(f"{file} is damaged ({error}): {FIX}") from error
        verified().add(seen)
        return values

    @property
    def column_scale(self) -> dict[str, list[float]]:
        """How columns are standardised (see `lsgnn.propagate.column_scale`); empty if they are not."""
        if self.config.feature_norm != "standard":
            return {}
        document = self._own_document(COLUMN_SCALE)
        try:
            return checked_column_scale(document.get("columns"), self.manifest.num_features)
        except ValueError as error:
            raise InputError(f"{self.folder / COLUMN_SCALE} is damaged ({error}): {FIX}") from error

    def save_column_scale(self, scale: ColumnScale) -> None:
        write_sealed(self.folder / COLUMN_SCALE, {"store": self.identity, "columns": scale.to_dict()})

    @property
    def rounding_error(self) -> float | None:
        """What half precision changes: ‖X − rounded X‖ / ‖X‖ of the scaled features; None if they are not rounded."""
        if self.manifest.dtype == "float32":
            return None
        error = self._own_document(ROUNDING).get("relative_error")
        if not isinstance(error, float) or not 0 <= error <= 1:
            raise InputError(f"{self.folder / ROUNDING} is damaged (it has no relative_error from 0 to 1): {FIX}")
        return error

    def save_rounding_error(self, error: float) -> None:
        write_sealed(self.folder / ROUNDING, {"store": self.identity, "relative_error": error})

    def _own_document(self, name: str) -> dict[str, Any]:
        file = self.folder / name
        document = read_sealed(file, FIX)
        if document.get("store") != self.identity:
            raise InputError(f"{file} is in the wrong place (it is that of another store): {FIX}")
        return document

    def save(self, name: str, values: NDArray[Any]) -> None:
        """Writes an array, unless it is there."""
        if self.has(name):
            return
        with self.writing(name, values.shape, values.dtype) as out:
            out[...] = values

    @contextmanager
    def writing(self, name: str, shape: Sequence[int], dtype: DTypeLike) -> Iterator[NDArray[Any]]:
        """A memory map to fill; it becomes `name` when the block ends well and vanishes when it does not."""
        path = self.path(name)
        make_folder(path.parent)
        _require_no_folder(path, record_of(path))
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
        try:
            mapped = open_memmap(temporary, mode="w+", dtype=np.dtype(dtype), shape=tuple(shape))
            if hasattr(os, "posix_fallocate"):  # a full disk is an error here, not a crash when pages are written
                with temporary.open("r+b") as file:
                    os.posix_fallocate(file.fileno(), 0, temporary.stat().st_size)
            yield np.asarray(mapped)
            self._require_sound(name, np.asarray(mapped))
            mapped.flush()
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            write_record(path, f"{name}.npy", self.identity, sha256_of(temporary))
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        verified().add(self._signature(name))

    def _require_sound(self, name: str, values: NDArray[Any]) -> None:
        """What is written must be what can be read; features near the end of float32, for example, overflow."""
        layout = layout_of(name, self.manifest, self.config, self.array)
        try:
            require_layout(values, layout)
        except ValueError as error:
            raise InputError(f"cannot write {self.path(name)} ({error}): scale features and weights down") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Inside, no other process fills the store; the lock ends with the process, however it ends."""
        place = self.folder / ".lock"
        _require_no_folder(place)
        with place.open("w") as file:
            if sys.platform != "win32":
                import fcntl

                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError as error:
                    raise InputError(f"another process is filling {self.folder}: wait for it, or stop it") from error
            yield

    def remove(self, folder: str) -> None:
        """Removes a folder of arrays that is no longer needed."""
        shutil.rmtree(self.folder / folder, ignore_errors=True)

    def sweep(self) -> None:
        """Removes what a killed process left half-written; call it before tasks run, not beside them."""
        for file in self.folder.rglob(".*.tmp"):
            file.unlink(missing_ok=True)
        for folder in self.folder.glob(".edges-*"):
            self.remove(folder.name)


def require_place(folder: Path, source: str) -> None:
    """Raises unless a store of this data may be filled there: nobody's files, and no store of other data."""
    if is_store(folder):
        if read_manifest(folder).source != source:
            raise InputError(f"{folder} {OTHER}")
    elif folder.exists() and any(not path.name.startswith(".") for path in folder.iterdir()):
        raise InputError(f"{folder} holds files but is no store: choose an empty or a new folder")


def _require_no_folder(*files: Path) -> None:
    for file in files:
        if file.exists() and not file.is_file():
            raise InputError(f"{file} is not a file: {FIX}")


def _mapped(file: Path) -> NDArray[Any]:
    """Of the readers of numpy the one that neither unpickles nor unzips."""
    try:
        return np.asarray(open_memmap(file, mode="r"))
    except Exception as error:  # what a damaged header makes the reader raise has no common type
        raise InputError(f"{file} is damaged ({error}): {FIX}") from error
