"""Named arrays out of a publisher's `.npz` file, never a pickled object."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError


def read_arrays(path: Path, keys: tuple[str, ...], publisher: str) -> list[NDArray[Any]]:
    """The arrays called `keys`; `publisher` says whose file it must be, should one be missing."""
    if not zipfile.is_zipfile(path):  # np.load leaves such a file open when it gives up
        raise InputError(f"{path} cannot be read as a .npz file: delete it and try again")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            missing = [key for key in keys if key not in archive.files]
            arrays = [archive[key] for key in keys if key in archive.files]
    except Exception as error:  # what a damaged file makes the zip and npy readers raise has no common type
        # numpy's own advice at this point is to allow pickles, which run code
        first = (str(error) or type(error).__name__).splitlines()[0]
        reason = "it holds pickled objects" if "pickle" in first else first
        raise InputError(f"{path} cannot be read as a .npz file ({reason}): delete it and try again") from None
    if missing:
        raise InputError(f"{path} has no array {missing[0]!r}: it must be a file of {publisher}")
    return arrays
