"""Files appear whole or not at all."""

import json
import os

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lsgnn.errors import InputError
from lsgnn.files import safe_name, write_atomically, write_folder_atomically, write_json, write_text


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


def test_a_folder_replaces_the_old_one_as_a_whole(tmp_path):
    for content in ("old", "new"):
        with write_folder_atomically(tmp_path / "run") as new:
            (new / f"{content}.txt").write_text(content)
    assert names_in(tmp_path) == ["run"]
    assert names_in(tmp_path / "run") == ["new.txt"]


def test_a_failed_folder_leaves_the_old_one(tmp_path):
    with write_folder_atomically(tmp_path / "run") as new:
        (new / "old.txt").write_text("old")
    with pytest.raises(FileNotFoundError), write_folder_atomically(tmp_path / "run") as new:
        (new / "no such folder" / "new.txt").write_text("new")
    assert names_in(tmp_path) == ["run"]
    assert names_in(tmp_path / "run") == ["old.txt"]


def test_the_old_folder_comes_back_if_the_last_step_fails(tmp_path, monkeypatch):
    with write_folder_atomically(tmp_path / "run") as new:
        (new / "old.txt").write_text("old")
    replace, calls = os.replace, []

    def fail_on_the_second(source, target):
        calls.append(target)
        if len(calls) == 2:
            raise OSError("disk gone")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail_on_the_second)
    with pytest.raises(OSError, match="disk gone"), write_folder_atomically(tmp_path / "run") as new:
        (new / "new.txt").write_text("new")
    assert names_in(tmp_path) == ["run"]
    assert names_in(tmp_path / "run") == ["old.txt"]


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
