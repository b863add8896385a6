"""`fetch`: a file is downloaded once, whole, and only if it is the right one."""

import hashlib
import http.client
import os
from pathlib import Path
from typing import BinaryIO

import pytest

from lsgnn.datasets import download
from lsgnn.datasets.download import fetch
from lsgnn.errors import DatasetUnavailable, InputError

URL = "https://example.org/file.txt"
CONTENT = b"ten nodes\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Answers every request with CONTENT and records the addresses."""
    asked: list[str] = []

    def answer(url: str, file: BinaryIO) -> None:
        asked.append(url)
        file.write(CONTENT)

    monkeypatch.setattr(download, "download", answer)
    return asked


def test_downloads_once(server: list[str], tmp_path: Path) -> None:
    for _ in range(2):
        path = fetch(URL, tmp_path / "deep" / "file.txt", dataset="toy", sha256=SHA256)
        assert path.read_bytes() == CONTENT
    assert server == [URL]


def test_refuses_another_file_and_keeps_nothing(server: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{URL} has SHA-256 {SHA256[:12]}…, but for 'toy' it must be 00.*kept"):
        fetch(URL, tmp_path / "file.txt", dataset="toy", sha256="00")
    assert list(tmp_path.iterdir()) == []


def test_refuses_a_damaged_file_in_the_cache(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_bytes(b"half")
    with pytest.raises(InputError, match=rf"file\.txt has SHA-256 .*must be {SHA256[:12]}….*delete that file and try"):
        fetch(URL, tmp_path / "file.txt", dataset="toy", sha256=SHA256)
    assert (tmp_path / "file.txt").read_bytes() == b"half"  # whoever put it there can still look at it


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "file.txt")  # to read it would be to wait for ever
    with pytest.raises(InputError, match=r"file\.txt is in the way of a file of 'toy'"):
        fetch(URL, tmp_path / "file.txt", dataset="toy", sha256=SHA256)


def test_interrupted_download_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def break_off(url: str, file: BinaryIO) -> None:
        file.write(CONTENT[:3])
        raise http.client.IncompleteRead(CONTENT[:3])

    monkeypatch.setattr(download, "download", break_off)
    with pytest.raises(DatasetUnavailable, match="download failed"):
        fetch(URL, tmp_path / "file.txt", dataset="toy")
    assert list(tmp_path.iterdir()) == []


def test_unusable_cache_folder_names_the_setting(server: list[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="set LSGNN_CACHE to another"):
        fetch(URL, tmp_path / "file" / "x.txt", dataset="toy")


def test_streams_from_a_real_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the real `download`, on an address that needs no network
    (tmp_path / "source").write_bytes(CONTENT)
    path = fetch((tmp_path / "source").as_uri(), tmp_path / "copy", dataset="toy", sha256=SHA256)
    assert path.read_bytes() == CONTENT
