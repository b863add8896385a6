"""Ways to damage a file, as disks, copies and people do; tests share them."""

import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lsgnn import InputError
from lsgnn.digests import sha256_of
from lsgnn.out_of_core.records import record_of, write_record
from lsgnn.out_of_core.store import Store

Damage = Callable[[Path, float], None]  # of a file, somewhere


def put(file: Path, content: bytes) -> None:
    """Another file under the same name: of another inode, so that no two changes are within one tick of the clock."""
    new = file.with_name("new")
    new.write_bytes(content)
    os.replace(new, file)


def flip(file: Path, where: float = 0.5) -> None:
    content = bytearray(file.read_bytes())
    place = min(int(where * len(content) * 8), len(content) * 8 - 1)
    content[place // 8] ^= 1 << place % 8
    put(file, bytes(content))


def truncate(file: Path, where: float = 0.5) -> None:
    content = file.read_bytes()
    put(file, content[: int(where * len(content))])


def randomise(file: Path, where: float = 0.5) -> None:
    put(file, np.random.default_rng(int(where * 1000)).bytes(file.stat().st_size))


def delete(file: Path, where: float = 0.5) -> None:
    file.unlink()


def make_folder(file: Path, where: float = 0.5) -> None:
    file.unlink()
    file.mkdir()


def other_json(file: Path, where: float = 0.5) -> None:
    documents: list[Any] = [None, [], {}, {"sha256": "0"}, 3, "text", {"files": 1}, [[[]]], {"store": {}, "file": 1}]
    put(file, json.dumps(documents[int(where * 0.99 * len(documents))]).encode())


DAMAGES: tuple[Damage, ...] = (flip, truncate, randomise, delete, make_folder, other_json)


def npy(values: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def forge(store: Store, name: str, values: Any) -> None:
    """Replaces an array and records its digest: now only the checks of values stand before the kernels."""
    put(store.path(name), values if isinstance(values, bytes) else npy(values))
    record_of(store.path(name)).unlink()
    write_record(store.path(name), f"{name}.npy", store.identity, sha256_of(store.path(name)))


def outcome(action: Callable[..., object], *arguments: object) -> object:
    """The result of a call, or the InputError that it raised; nothing else may be raised."""
    try:
        return action(*arguments)
    except InputError as error:
        return error


def is_refusal(found: object, folder: Path) -> bool:
    """True for an error that says where in a folder the damage is."""
    return isinstance(found, InputError) and str(folder) in str(found)


def copy_of(folder: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to)
    return to
