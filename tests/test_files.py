"""Files appear whole or not at all."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lsgnn.digests import DIGESTS
from lsgnn.errors import InputError
from lsgnn.files import (
    EXCHANGED,
    SEAL,
    safe_name,
    undo_exchange,
    write_atomically,
    write_folder_atomically,
    write_json,
    write_text,
)


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_was_written_is_there_and_nothing_else(tmp_path):
    with write_atomically(tmp_path / "a.bin") as file:
        file.write(b"new")
    assert (tmp_path / "a.bin").read_bytes() == b"new"
    assert names_in(tmp_path) == ["a.bin"]


def fail_halfway(path, failure):
    with write_atomically(path) as file:
        file.write(b"half of the n")
        raise failure


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file_and_no_temporary_one(tmp_path, failure):
    write_text(tmp_path / "a.txt", "old")
    with pytest.raises(failure):
        fail_halfway(tmp_path / "a.txt", failure)
    assert (tmp_path / "a.txt").read_text() == "old"
    assert names_in(tmp_path) == ["a.txt"]


def test_a_reader_never_sees_the_new_file_before_it_is_whole(tmp_path):
    write_text(tmp_path / "a.txt", "old")
    with write_atomically(tmp_path / "a.txt") as file:
        file.write(b"new")
        file.flush()
        assert (tmp_path / "a.txt").read_text() == "old"
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_link_stays_a_link(tmp_path):
    write_text(tmp_path / "real.txt", "old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_permissions_are_those_of_the_old_file_or_of_the_umask(tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    write_text(tmp_path / "new", "")
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode
    plain.chmod(0o640)
    write_text(plain, "again")
    assert plain.stat().st_mode & 0o777 == 0o640


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match="runs does not exist; create it first"):
        write_text(tmp_path / "runs" / "a.txt", "")


def test_a_folder_in_place_of_a_file_is_named(tmp_path):
    with pytest.raises(InputError, match="it is a folder"):
        write_text(tmp_path, "")


def test_a_folder_that_may_not_be_written_is_named(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # root, who runs tests in containers, may write anywhere
    with pytest.raises(InputError, match=r"is not writable \(Permission denied\); choose another folder"):
        write_text(tmp_path / "a.txt", "")


def test_json_is_valid_json_whatever_the_numbers(tmp_path):
    write_json(
        tmp_path / "m.json", {"accuracy": np.float32(0.5), "per_class": np.array([1.0, np.nan]), "n": np.int64(3)}
    )
    assert json.loads((tmp_path / "m.json").read_text()) == {"accuracy": 0.5, "per_class": [1.0, None], "n": 3}


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def write_pair(folder, text, other="weights"):
    with write_folder_atomically(folder) as new:
        for name in ("digests.json", other):
            (new / name).write_text(text)


@pytest.fixture
def folder(tmp_path):
    """A folder that a run wrote and a user added something to."""
    write_pair(tmp_path / "run", "old")
    (tmp_path / "run" / "notes.txt").write_text("mine")
    (tmp_path / "run" / "plots").mkdir()
    (tmp_path / "run" / "plots" / "loss.svg").write_text("mine too")
    return tmp_path / "run"


MINE = {"notes.txt": "mine", "plots/loss.svg": "mine too"}
OLD = MINE | {"digests.json": "old", "weights": "old"}


def test_a_folder_replaces_its_own_files_and_no_others(folder):
    write_pair(folder, "new")
    assert contents(folder) == MINE | {"digests.json": "new", "weights": "new"}
    assert names_in(folder) == ["digests.json", "notes.txt", "plots", "weights"]
    assert names_in(folder.parent) == ["run"]


def test_a_failed_folder_leaves_the_old_one(folder):
    with pytest.raises(FileNotFoundError), write_folder_atomically(folder) as new:
        (new / "no such folder" / "new.txt").write_text("new")
    assert contents(folder.parent) == {f"run/{name}": text for name, text in OLD.items()}


@pytest.mark.parametrize("step", range(4))
def test_the_old_files_come_back_whichever_step_fails(folder, monkeypatch, step):
    (folder / "weights").rename(folder.parent / "weights")
    (folder / "weights").symlink_to(folder.parent / "weights")
    replace, calls = os.replace, []

    def fail_once(source, target):
        calls.append(target)
        if len(calls) == step + 1:
            raise OSError("disk gone")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail_once)
    with pytest.raises(OSError, match="disk gone"):
        write_pair(folder, "new")
    assert contents(folder) == OLD
    assert (folder / "weights").is_symlink()
    assert names_in(folder) == ["digests.json", "notes.txt", "plots", "weights"]


def test_what_was_not_there_before_a_failure_is_not_there_after_it(folder, monkeypatch):
    replace = os.replace

    def fail_on_the_last(source, target):
        if target == folder / "digests.json" and "new" in source.read_text():
            raise OSError("disk gone")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail_on_the_last)
    with pytest.raises(OSError, match="disk gone"):
        write_pair(folder, "new", other="another")
    assert contents(folder) == OLD


KILLED = """
import os, sys
from lsgnn.files import write_folder_atomically
folder, step = sys.argv[1], int(sys.argv[2])
replace, calls = os.replace, []
def die_at(source, target):
    calls.append(target)
    if len(calls) == step + 1:
        os._exit(9)
    replace(source, target)
os.replace = die_at
with write_folder_atomically(folder) as new:
    (new / "digests.json").write_text("new")
    (new / "weights").write_text("new")
"""


@pytest.mark.parametrize("step", range(4))
def test_a_kill_at_any_step_loses_nothing_and_shows(folder, step):
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(step)], check=False)
    assert done.returncode == 9
    left = contents(folder)
    assert MINE.items() <= left.items()
    assert sorted(text for name, text in left.items() if name not in MINE) == ["new", "new", "old", "old"]
    assert "digests.json" not in left or left["digests.json"] == left["weights"] == "old"


def test_a_folder_in_place_of_a_file_of_a_folder_is_kept(folder):
    (folder / "weights").unlink()
    (folder / "weights").mkdir()
    with pytest.raises(InputError, match="a folder of that name is in the way"):
        write_pair(folder, "new")
    assert (folder / "weights").is_dir()


def test_a_name_may_be_as_long_as_the_disk_allows(tmp_path):
    for name in ("n" * 255, "ä" * 127):
        write_text(tmp_path / name, name)
        assert (tmp_path / name).read_text() == name
    with pytest.raises(InputError, match=r"the name '.*'… is too long for this disk \(\d+ bytes\): shorten it"):
        write_text(tmp_path / ("ä" * 128), "")


def test_the_seal_of_a_folder_is_its_record_of_digests():
    assert SEAL == DIGESTS


def test_a_file_in_place_of_a_folder_is_kept(tmp_path):
    write_text(tmp_path / "run", "precious")
    with pytest.raises(InputError, match="in the way"), write_folder_atomically(tmp_path / "run"):
        pass
    assert (tmp_path / "run").read_text() == "precious"


@pytest.mark.parametrize("name", ["cora-linqs", "edges.csv", "run_2", "größe", "节点"])
def test_an_ordinary_name_stays_as_it_is(name):
    assert safe_name(name) == name


@given(st.text())
@example("..")
@example(".")
@example("")
@example("/etc/passwd")
@example("../../up")
@example("a\n")
@example("\udcff")  # a byte that is no UTF-8, as Python shows it
@example("节" * 200)
def test_any_text_makes_one_visible_step_of_a_path_that_every_system_has_room_for(text):
    name = safe_name(text)
    assert 0 < len(name.encode()) <= 100
    assert name[0] != "."
    assert not set(name) & set("/\\\0\n\r\t ")
    assert safe_name(name) == name


@pytest.mark.parametrize(
    ("there", "moved", "left"),
    [
        ({}, {"a": "old", SEAL: "old"}, "old"),  # killed before the new files came
        ({"a": "new"}, {"a": "old", SEAL: "old"}, "old"),  # and when some had come
        ({"a": "new", SEAL: "new"}, {"a": "old"}, "new"),  # and when all had come, and the old ones were going
        ({"a": "old", SEAL: "old"}, {}, "old"),  # and before any of these had left
    ],
)
def test_an_exchange_that_was_killed_is_undone_or_finished(tmp_path, there, moved, left):
    aside = tmp_path / f".0123{EXCHANGED}"
    aside.mkdir()
    for folder, files in ((tmp_path, there), (aside, moved)):
        for name, content in files.items():
            (folder / name).write_text(content)
    undo_exchange(tmp_path)
    assert names_in(tmp_path) == ["a", SEAL]
    assert {(tmp_path / name).read_text() for name in ("a", SEAL)} == {left}


def test_what_was_moved_aside_without_a_seal_is_left_alone(tmp_path):
    aside = tmp_path / f".0123{EXCHANGED}"
    aside.mkdir()
    (aside / "a").write_text("old")
    undo_exchange(tmp_path)
    assert (aside / "a").read_text() == "old"
