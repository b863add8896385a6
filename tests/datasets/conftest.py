"""What dataset tests share: no network, a cache folder of their own, and the raw files where they exist."""

from __future__ import annotations

import urllib.error
from pathlib import Path
from typing import BinaryIO

import pytest

from lsgnn.datasets import download


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every download fails as on a machine without a network; nothing of the user's own folders is read."""

    def refuse(url: str, file: BinaryIO) -> None:
        raise urllib.error.URLError("Name or service not known")

    monkeypatch.setattr(download, "download", refuse)
    monkeypatch.setenv("LSGNN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LSGNN_DATA", raising=False)


@pytest.fixture
def raw_dir(shared: Path) -> Path:
    """Publishers' files in the folder layout PyG expects."""
    return shared / "raw"
