"""The arrays of a `.npz` file, looked at before anything is unpacked: sizes, types, names. First step of `load_npz`.

A zip archive declares the size of each member and a member declares the shape of its array; neither is believed alone.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.io.read_limit import read_limit
from lsgnn.graph.paths import existing_file
from lsgnn.sizes import in_words

MAX_HEADER = 10_000  # bytes, as numpy has it: a header is Python source, and hostile source can crash the parser
# the other methods that Python knows unpack a whole chunk at once, whatever its size
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_arrays(path: str | Path, keys: Collection[str]) -> dict[str, NDArray[Any]]:
    """Those arrays of the file that are called by one of `keys`; never a pickle, never more than the limit allows."""
    path = existing_file(path)
    try:
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                raise unreadable(path, "it is not a complete zip archive")
            archive = zipfile.ZipFile(file)
            members = _members(archive, keys, path)
            limit = read_limit(str(path), path.stat().st_size)
            limit.require(sum(member.file_size for member in members.values()))
            limit.require(sum(_declared_size(archive, member, key, path) for key, member in members.items()))
            return {key: _array(archive, member, key, path) for key, member in members.items()}
    except InputError:
        raise
    except PermissionError as error:
        raise InputError(f"{path} cannot be opened ({error.strerror}): ask for the right to read it") from error
    except Exception as error:  # what a damaged file makes the zip and npy readers raise has no common type
        raise unreadable(path, first_line(error)) from error


def array_names(path: Path) -> list[str]:
    """What the arrays of the file are called; none where it is no archive (`read_arrays` says so)."""
    try:
        with zipfile.ZipFile(path) as archive:
            return [member.filename.removesuffix(".npy") for member in archive.infolist()]
    except Exception:  # what a damaged file makes the zip reader raise has no common type
        return []


def unreadable(path: Path, reason: str) -> InputError:
    return InputError(f"{path} is not a readable .npz graph ({reason}): download it again, or save the graph again")


def first_line(error: Exception) -> str:
    """What it says, cut off after 200 characters: the zip reader quotes names that a damaged file makes any length."""
    line = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
    return line if len(line) <= 200 else f"{line[:199]}…"


def _members(archive: zipfile.ZipFile, keys: Collection[str], path: Path) -> dict[str, zipfile.ZipInfo]:
    found: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        key = member.filename.removesuffix(".npy")
        if key not in keys:
            continue
        if key in found:
            raise unreadable(path, f"it holds two arrays called {key!r}")
        if member.flag_bits & 0x1:
            raise unreadable(path, f"{key!r} is encrypted")
        if member.compress_type not in METHODS:
            raise unreadable(path, f"{key!r} is compressed by method {member.compress_type}, which numpy does not use")
        found[key] = member
    return found


def _declared_size(archive: zipfile.ZipFile, member: zipfile.ZipInfo, key: str, path: Path) -> int:
    """Bytes of the array by its own header, which must be in the archive as well."""
    with archive.open(member) as stream:
        shape, dtype = _header(stream, key, path)
    count: int = math.prod(list(shape))
    size = count * dtype.itemsize
    if min(shape, default=0) < 0 or size > member.file_size or (dtype.itemsize == 0 and count):
        held = f"the archive holds {member.file_size} bytes of it"
        raise unreadable(path, f"{key!r} declares the shape {shape} of {dtype} values, but {held}")
    return size


def _header(stream: IO[bytes], key: str, path: Path) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type; numpy itself would read a header of any length before it looks at the length."""
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise unreadable(path, f"{key!r} is a .npy array of version {version[0]}.{version[1]}")
    width = 2 if version == (1, 0) else 4
    length = stream.read(width)
    if int.from_bytes(length, "little") > MAX_HEADER:
        size = int.from_bytes(length, "little")
        raise unreadable(path, f"{key!r} has a header of {size} bytes, but {MAX_HEADER} are the most")
    header = io.BytesIO(length + stream.read(int.from_bytes(length, "little")))
    parse = np.lib.format.read_array_header_1_0 if width == 2 else np.lib.format.read_array_header_2_0
    shape, _, dtype = parse(header, max_header_size=MAX_HEADER)
    if dtype.hasobject:  # numpy's own advice at this point is to allow pickles, which run code
        raise unreadable(path, f"{key!r} holds pickled objects")
    return shape, dtype


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, key: str, path: Path) -> NDArray[Any]:
    try:
        with archive.open(member) as stream:
            return np.asarray(np.lib.format.read_array(stream, allow_pickle=False, max_header_size=MAX_HEADER))
    except MemoryError as error:
        size = in_words(member.file_size)
        raise InputError(f"{path} cannot be read (no memory is left for {key!r}, {size}): free some") from error
