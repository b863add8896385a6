from pathlib import Path

import pytest

from tests.cli.conftest import lsgnn
from tests.serving.clients import named_blocks
from tests.trained import small_run

__all__ = ["lsgnn"]  # the command line, as in tests/cli


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose nodes are page0, page1, … and whose features are f0 … f5; tests do not write into its folder."""
    pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
    folder = tmp_path_factory.mktemp("served") / "run"
    small_run(named_blocks(), direction="out", epochs=20, lr=0.05).save(folder)
    return folder


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    """A copy of it that may get a journal."""
    copy = tmp_path / "run"
    copy.mkdir()
    for file in saved.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    return copy
