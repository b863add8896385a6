"""When machine code on disk is stale."""

from pathlib import Path

import pytest

from lsgnn.compiled import source_hash


def test_kernels_are_known_by_their_sources_and_by_the_version_of_numba(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kernels.py").write_text("first")
    first = source_hash.__wrapped__(tmp_path)
    assert source_hash.__wrapped__(tmp_path) == first
    monkeypatch.setattr("numba.__version__", "0.0")
    other = source_hash.__wrapped__(tmp_path)
    (tmp_path / "kernels.py").write_text("second")
    assert len({first, other, source_hash.__wrapped__(tmp_path)}) == 3
