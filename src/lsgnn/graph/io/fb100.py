"""The `.mat` files of Facebook100 (Traud et al. 2012): friendships at one university → `Graph`.

`A` [n, n] holds friendships, `local_info` [n, 7] what people entered; 0 is missing. The class is gender, as in the
benchmark of Lim et al. (2021); the six other columns are categories. Only version 5 of MATLAB's format is read, which
scipy reads without running anything.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.mat_process import read_variables
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.io.read_limit import ReadLimit, read_limit
from lsgnn.graph.io.scipy_matrix import from_scipy
from lsgnn.graph.io.transformers.fit_plan import fit_plan
from lsgnn.graph.paths import existing_file

COLUMNS = ("status", "gender", "major", "second major", "dorm", "year", "high school")
HEADER, TAG, COMPRESSED = 128, 8, 15
CHUNK = 1 << 20


def load_fb100(path: str | Path) -> Graph:
    """Reads the layout above, named after the file."""
    path = existing_file(path)
    arrays = _variables(path)
    if sorted(arrays) != ["A", "local_info"]:
        raise InputError(f"{path} holds {sorted(arrays)}, but a file of Facebook100 holds A and local_info: pass one")
    A, info = arrays["A"], np.asarray(arrays["local_info"])
    n = A.shape[0]
    if not sp.issparse(A) or A.shape != (n, n) or info.shape != (n, len(COLUMNS)) or info.dtype.kind not in "iuf":
        raise InputError(
            f"{path} has A of shape {A.shape} and local_info of shape {info.shape}, but they are [n, n] (sparse) and "
            f"[n, {len(COLUMNS)}]: download it again"
        )
    whole = info.astype(np.int64)
    table = pa.table({name: pa.array(whole[:, j], mask=whole[:, j] == 0) for j, name in enumerate(COLUMNS)})
    source = Source(table, path.name, list(COLUMNS))
    names = [name for name in COLUMNS if name != "gender"]
    plan, notes = fit_plan(table, names, source, roles=dict.fromkeys(names, "category"))
    gender = whole[:, COLUMNS.index("gender")]
    y = np.where(np.isin(gender, (1, 2)), gender - 1, -1)
    return replace(
        from_scipy(A, plan.apply(table, source), y, name=path.stem),
        feature_names=plan.feature_names,
        columns=plan,
        class_names=("gender 1", "gender 2"),
        notes=("the class is gender, as in the benchmark of Lim et al. (2021)", *notes),
    )


def _variables(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            _require_version_5(file, path)
            _require_small(file, read_limit(str(path), path.stat().st_size))
        return read_variables(path, ["A", "local_info"])
    except InputError:
        raise
    except (ValueError, zlib.error, OSError) as error:
        reason = str(error).splitlines()[0][:200]
        raise InputError(f"{path} is not a readable .mat file ({reason}): download it again") from error


def _require_version_5(file: IO[bytes], path: Path) -> None:
    header = file.read(HEADER)
    if len(header) < HEADER or header[124:128] not in (b"\x00\x01IM", b"\x01\x00MI"):
        raise InputError(f"{path} is not a .mat file of MATLAB's version 5: save it with -v7 or -v6")


def _require_small(file: IO[bytes], limit: ReadLimit) -> None:
    """Unpacks the compressed parts once without keeping them, so that none is larger than it may be."""
    file.seek(124)
    order = "little" if file.read(4).endswith(b"IM") else "big"
    total = 0
    while len(tag := file.read(TAG)) == TAG:
        kind, size = (int.from_bytes(tag[at : at + 4], order) for at in (0, 4))  # type: ignore[arg-type]
        if kind != COMPRESSED:
            file.seek(size, 1)
            continue
        unpack, left = zlib.decompressobj(), size
        while left > 0 and (packed := file.read(min(CHUNK, left))):
            left -= len(packed)
            while packed:
                total += len(unpack.decompress(packed, CHUNK))
                packed = unpack.unconsumed_tail
                if total > limit.bytes:
                    raise limit.stopped()
