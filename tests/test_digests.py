"""What is read from disk is what was written, or an error names the file."""

import hashlib
import json
from pathlib import Path

import pytest

from lsgnn import InputError
from lsgnn.digests import DIGESTS, sha256_of, verify_digests, write_digests


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("abc")
    (tmp_path / "b.txt").write_text("")
    write_digests(tmp_path, ("a.txt", "b.txt"))
    return tmp_path


def test_the_digest_is_that_of_all_bytes_and_progress_adds_up(tmp_path: Path) -> None:
    content = b"lsgnn" * 2**18
    (tmp_path / "file").write_bytes(content)
    read = list[int]()
    assert sha256_of(tmp_path / "file", read.append) == hashlib.sha256(content).hexdigest()
    assert read == [2**20, 2**18]  # a megabyte at a time, however large the file


def test_the_digest_is_the_known_one_and_its_bytes_are_counted(folder: Path) -> None:
    seen = list[int]()
    digest = sha256_of(folder / "a.txt", seen.append)
    assert digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, appendix B.1
    assert seen == [3]


def test_files_that_are_as_they_were_pass_and_others_are_not_looked_at(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    verify_digests(folder, ("a.txt", "b.txt"))
    assert json.loads((folder / DIGESTS).read_text())["files"].keys() == {"a.txt", "b.txt"}


def test_a_changed_file_is_named_with_both_digests(folder: Path) -> None:
    (folder / "b.txt").write_text("abc")
    with pytest.raises(InputError, match=r"b\.txt is damaged: its SHA-256 is ba7816bf8f01…, but e3b0c44298fc…"):
        verify_digests(folder)


@pytest.mark.parametrize("in_place", ["nothing", "folder"])
def test_a_file_that_is_gone_is_named(folder: Path, in_place: str) -> None:
    (folder / "a.txt").unlink()
    if in_place == "folder":
        (folder / "a.txt").mkdir()
    with pytest.raises(InputError, match=r"a\.txt is missing: restore it or train again"):
        verify_digests(folder)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "null", '{"files": []}', '{"files": {"a.txt": 3}}', '{"files": {"../a.txt": "0"}}', "[" * 100_000],
)
def test_a_record_that_is_none_is_refused(folder: Path, text: str) -> None:
    (folder / DIGESTS).write_text(text)
    with pytest.raises(InputError, match=r"digests\.json is damaged"):
        verify_digests(folder)


def test_without_a_record_or_with_a_file_that_is_not_in_it_nothing_is_trusted(folder: Path) -> None:
    with pytest.raises(InputError, match=r"does not list c\.txt"):
        verify_digests(folder, ("a.txt", "c.txt"))
    (folder / DIGESTS).unlink()
    with pytest.raises(InputError, match=r"has no digests\.json"):
        verify_digests(folder)
