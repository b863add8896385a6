"""Variables of a `.mat` file, read by a process of its own: `python -m lsgnn.graph.io.mat_process FILE NAME …`.

scipy's compiled reader trusts what a file says about itself: a damaged one can end the process with a segmentation
fault. So another process reads, and answers with an `.npz` archive on its standard output; if it dies, we do not.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

PARTS = ("data", "indices", "indptr", "shape")  # of a sparse matrix


def read_variables(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """Those of the named variables that the file has: arrays and csc matrices, whose entries nobody has checked.

    Raises:
        ValueError: the file cannot be read; says why.
    """
    places = [str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH", "")]
    answer = subprocess.run(
        [sys.executable, "-P", "-m", __name__, str(path), *names],  # -P: files here are no modules
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(place for place in places if place)},
    )
    if answer.returncode < 0:
        raise ValueError("its parts contradict each other")
    if answer.returncode:
        raise ValueError(answer.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    with np.load(io.BytesIO(answer.stdout), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return {name: _joined(name, arrays) for name in names if name in arrays or f"{name}/data" in arrays}


def _joined(name: str, arrays: dict[str, Any]) -> Any:
    import scipy.sparse as sp

    if name in arrays:
        return arrays[name]
    data, indices, indptr, shape = (arrays[f"{name}/{part}"] for part in PARTS)
    return sp.csc_matrix((data, indices, indptr), shape=tuple(shape))


def _parts(name: str, value: Any) -> dict[str, Any]:
    import scipy.sparse as sp

    if not sp.issparse(value):
        return {name: value}
    parts = (value.data, value.indices, value.indptr, value.shape)
    return {f"{name}/{part}": found for part, found in zip(PARTS, parts, strict=True)}


def main() -> None:
    from scipy.io import loadmat

    path, *names = sys.argv[1:]
    try:
        found = loadmat(path, variable_names=names, struct_as_record=True)
        parts = [_parts(name, found[name]) for name in names if name in found]
        np.savez(sys.stdout.buffer, **{key: value for part in parts for key, value in part.items()})
    except Exception as error:  # what a damaged file makes the reader raise has no common type
        sys.exit((str(error) or type(error).__name__).splitlines()[0][:200])


if __name__ == "__main__":
    main()
