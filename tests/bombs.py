"""Files that are small on disk and huge when unpacked, made in no time."""

import gzip
import io
import struct
import zlib
from pathlib import Path

import numpy as np

CHUNK = 16 << 20


def gzip_bomb(path: Path, start: bytes, unit: bytes, size: int) -> Path:
    """A gzipped file of `start` and `size` bytes of `unit`, again and again: gzip files may be joined."""
    chunk = gzip.compress(unit * (CHUNK // len(unit)), 9)
    path.write_bytes(gzip.compress(start) + chunk * (size // CHUNK))
    return path


def npy_header(shape: tuple[int, ...], kind: str = "<f8") -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": kind, "fortran_order": False, "shape": shape})
    return file.getvalue()


def npz_bomb(path: Path, *, x_start: bytes, zeros: int, declared: int | None = None) -> Path:
    """An .npz graph of three nodes whose x is `x_start` and then zeros; the archive may declare another size."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = squeeze.compress(x_start) + squeeze.flush(zlib.Z_FULL_FLUSH)
    chunk = squeeze.compress(bytes(CHUNK)) + squeeze.flush(zlib.Z_FULL_FLUSH)
    packed += chunk * (zeros // CHUNK) + squeeze.flush(zlib.Z_FINISH)
    size = len(x_start) + zeros // CHUNK * CHUNK if declared is None else declared
    crc = zlib.crc32(x_start)  # of as much as is declared
    for begin in range(len(x_start), size, CHUNK):
        crc = zlib.crc32(bytes(min(CHUNK, size - begin)), crc)
    members = {"x.npy": (packed, 8, size, crc)}
    small = {"y.npy": npy_header((3,), "<i8") + bytes(24), "edge_index.npy": npy_header((2, 0), "<i8")}
    members |= {name: (content, 0, len(content), zlib.crc32(content)) for name, content in small.items()}
    return zip_by_hand(path, members)


def zip_by_hand(path: Path, members: dict[str, tuple[bytes, int, int, int]]) -> Path:
    """A zip archive of (content, method, declared size, checksum) by name, with whatever they say."""
    body, directory = b"", b""
    for name, (content, method, size, crc) in members.items():
        common = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 33, crc, len(content), size, len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 20) + common
        directory += struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\3\4" + common + name.encode() + content
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\5\6" + end)
    return path
