"""Where the real graphs are. Tests that need them are marked `dataset` and are skipped where they do not exist."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from hypothesis import settings

REPO = Path(__file__).parents[1]

# the machines that run this are small and shared: a slow example is no bug
# CI looks at the same examples every time; developers look at new ones
settings.register_profile("lsgnn", deadline=None, max_examples=50, derandomize=bool(os.environ.get("CI")))
settings.load_profile("lsgnn")
torch.set_num_threads(1)  # tiny graphs gain nothing from threads, and lose a lot where the cores are busy


def find_data_dir() -> Path | None:
    """The folder of real `.npz` graphs: LSGNN_DATA if set, else ../shared/data; None if there is none."""
    folder = Path(os.environ.get("LSGNN_DATA") or REPO.parent / "shared" / "data")
    return folder if any(folder.glob("*.npz")) else None


@pytest.fixture(scope="session")
def data_dir() -> Path:
    folder = find_data_dir()
    if folder is None:
        pytest.skip("real graphs not found: set LSGNN_DATA to a folder of .npz graphs")
    return folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder ../shared: raw files, outputs of the authors' code, real graphs."""
    folder = REPO.parent / "shared"
    if not folder.is_dir():
        pytest.skip("../shared not found: it lies beside the repository on the developers' machines")
    return folder
