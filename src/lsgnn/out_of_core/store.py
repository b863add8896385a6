"""`Store`: a folder of `.npy` files, each of which appears whole or not at all. A file that exists is a finished step.

Tasks in several processes, or on several machines that share the folder, need nothing else to agree on.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import DTypeLike, NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.files import make_folder, write_json

MANIFEST = "manifest.json"
COLUMN_SCALE = "column_scale.json"  # where columns are standardised
PARTIAL = "partial"  # folder of what blocks add to the similarities, until they are added up
# of the settings, those that decide what is in a store; β, γ, the rule of propagation and fewer hops stay free
PRECOMPUTED = (*(name for name in LSGNNConfig.STRUCTURE if name not in ("filter", "adjacency_embedding")), "K")


@dataclass(frozen=True)
class Manifest:
    """What a store holds.

    Args:
        source: identity of the data.
        settings: of `LSGNNConfig`; the store depends on those named in `PRECOMPUTED`, `fit` starts from all of them.
        blocks: [first, last) column of each block of features.
        memory: bytes that each task may allocate; another call may give more or less.
    """

    source: str
    num_nodes: int
    num_features: int
    class_names: Sequence[str]
    settings: dict[str, Any]
    blocks: Sequence[Sequence[int]]
    memory: int
    feature_names: Sequence[str] = ()


class Store:
    """The arrays of one graph and its propagated features, by name."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()
        try:
            self.manifest = Manifest(**json.loads((self.folder / MANIFEST).read_text("utf-8")))
            self.config = LSGNNConfig.from_dict(self.manifest.settings)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(f"{self.folder} is not a store: make one with `lsgnn precompute --out`") from error

    @classmethod
    def create(cls, folder: str | Path, manifest: Manifest) -> Store:
        """A new store, or the one that is there if it is of the same data and settings; that one keeps its blocks."""
        folder = make_folder(folder).resolve()  # workers may start from elsewhere
        if is_store(folder):
            there = cls(folder).manifest
            if there.source != manifest.source or _depends_on(there) != _depends_on(manifest):
                raise InputError(f"{folder} is a store of other data or settings: choose another folder or remove it")
            needed = 8 * there.num_nodes * max(last - first for first, last in there.blocks)
            if manifest.memory < needed:
                raise InputError(
                    f"the blocks of {folder} take {needed / 1e6:.1f} MB for each job, more than the limit leaves it "
                    f"({manifest.memory / 1e6:.1f} MB): raise the limit, take fewer jobs, or remove the store"
                )
            manifest = replace(manifest, blocks=there.blocks)
        elif any(not path.name.startswith(".") for path in folder.iterdir()):
            raise InputError(f"{folder} holds files but is no store: choose an empty or a new folder")
        write_json(folder / MANIFEST, asdict(manifest))
        return cls(folder)

    @property
    def num_nodes(self) -> int:
        return self.manifest.num_nodes

    @property
    def class_names(self) -> tuple[str, ...]:
        return tuple(self.manifest.class_names)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.npy"

    def has(self, name: str) -> bool:
        return self.path(name).is_file()

    def array(self, name: str) -> NDArray[Any]:
        """A read-only memory map."""
        if not self.has(name):
            raise InputError(f"the store {self.folder} is unfinished ({name} is missing): run `lsgnn precompute` again")
        try:
            return np.asarray(np.load(self.path(name), mmap_mode="r", allow_pickle=False))
        except (ValueError, EOFError) as error:
            raise InputError(
                f"{self.path(name)} is damaged ({error}): remove it and run `lsgnn precompute` again"
            ) from error

    @property
    def column_scale(self) -> dict[str, list[float]]:
        """How columns are standardised (see `lsgnn.propagate.column_scale`); empty if they are not."""
        file = self.folder / COLUMN_SCALE
        found: dict[str, list[float]] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
        return found

    def save(self, name: str, values: NDArray[Any]) -> None:
        with self.writing(name, values.shape, values.dtype) as out:
            out[...] = values

    @contextmanager
    def writing(self, name: str, shape: Sequence[int], dtype: DTypeLike) -> Iterator[NDArray[Any]]:
        """A memory map to fill; it becomes `name` when the block ends well and vanishes when it does not."""
        path = self.path(name)
        make_folder(path.parent)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
        try:
            mapped = open_memmap(temporary, mode="w+", dtype=np.dtype(dtype), shape=tuple(shape))
            if hasattr(os, "posix_fallocate"):  # a full disk is an error here, not a crash when pages are written
                with temporary.open("r+b") as file:
                    os.posix_fallocate(file.fileno(), 0, temporary.stat().st_size)
            yield np.asarray(mapped)
            mapped.flush()
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Inside, no other process fills the store; the lock ends with the process, however it ends."""
        with (self.folder / ".lock").open("w") as file:
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


def _depends_on(manifest: Manifest) -> dict[str, Any]:
    return {name: manifest.settings.get(name) for name in PRECOMPUTED}


def is_store(folder: str | Path) -> bool:
    return (Path(folder).expanduser() / MANIFEST).is_file()


def hop(s: int, block: int) -> str:
    """Name of Â^s X at the columns of a block [n, width]."""
    return f"hop{s}/block{block}"


def partial_similarity(block: int) -> str:
    """Name of what the columns of a block add to each edge's similarity [E]."""
    return f"{PARTIAL}/block{block}"


def neighbour_lists(direction: str, self_loops: bool) -> str:
    """Name of a folder with the neighbours that each node reads: indptr [n+1], indices [E], weights [E]."""
    return f"neighbours-{direction}{'-and-self' if self_loops else ''}"
