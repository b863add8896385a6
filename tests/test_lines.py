"""Lines of finished work: files that only grow, survive kills and damage, and may be shared by processes."""

import fcntl
import json
import resource
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn.errors import InputError
from lsgnn.lines import LineFile, key_of
from tests.fuzz.cases import cases


def test_what_is_added_is_read_back_by_its_key(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "new" / "gcn.jsonl")
    assert file.lines() == {}
    file.add("a", {"test": 81.5, "name": "Ω", "lost": float("nan")})
    file.add("b", {"test": 1})
    assert file.lines() == {"a": {"test": 81.5, "name": "Ω", "lost": None}, "b": {"test": 1}}
    assert [json.loads(line)["key"] for line in file.path.read_text("utf-8").splitlines()] == ["a", "b"]


def test_of_lines_with_one_key_the_last_counts(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "units.jsonl")
    for key, test in (("a", 1), ("b", 2), ("a", 3)):
        file.add(key, {"test": test})
    assert list(file.lines().items()) == [("b", {"test": 2}), ("a", {"test": 3})]


def test_wherever_a_writer_was_killed_no_other_line_is_lost(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "units.jsonl")
    file.add("a", {"test": 1})
    first = file.path.stat().st_size
    file.add("b", {"test": 2})
    content = file.path.read_bytes()
    for end in range(first, len(content) - 1):  # without its last brace at the least
        file.path.write_bytes(content[:end])
        assert list(file.lines()) == ["a"]
        file.add("c", {"test": 3})
        assert file.lines() == {"a": {"test": 1}, "c": {"test": 3}}


@cases(50)
@given(st.lists(st.binary(max_size=30).filter(lambda damage: b"\n" not in damage), max_size=4))
def test_damaged_lines_are_passed_over(tmp_path_factory: pytest.TempPathFactory, damage: list[bytes]) -> None:
    file = LineFile(tmp_path_factory.mktemp("store") / "units.jsonl")
    known = [b"[1]", b"null", b'{"test": 1}', b'{"key": 7}', b"\xff\xfe", b"\x00" * 9, b"[" * 100_000]
    good = [json.dumps({"key": f"k{i}", "test": i}).encode() for i in range(3)]
    file.path.write_bytes(b"\n".join([*known, good[0], *damage, good[1], b"", good[2]]))
    assert file.lines() == {f"k{i}": {"test": i} for i in range(3)}


def test_processes_may_add_at_once(tmp_path: Path) -> None:
    path = tmp_path / "units.jsonl"
    code = (
        "import sys, pathlib; from lsgnn.lines import LineFile\n"
        "for i in range(40): LineFile(pathlib.Path(sys.argv[1])).add(f'{sys.argv[2]}-{i}', {'text': 'x' * 5_000})"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, path, str(writer)]) for writer in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert set(LineFile(path).lines()) == {f"{writer}-{i}" for writer in range(2) for i in range(40)}
    assert path.read_bytes().count(b"\n") == 80


def test_a_writer_waits_while_another_writes(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "units.jsonl")
    with file.path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        writer = threading.Thread(target=file.add, args=("a", {}))
        writer.start()
        writer.join(0.3)
        assert writer.is_alive()
        assert file.path.read_bytes() == b""
    writer.join(10)
    assert list(file.lines()) == ["a"]


def test_one_sees_what_another_adds(tmp_path: Path) -> None:
    one, other = LineFile(tmp_path / "units.jsonl"), LineFile(tmp_path / "units.jsonl")
    one.add("a", {})
    assert list(other.lines()) == ["a"]
    one.add("b", {})
    assert list(other.lines()) == ["a", "b"]


@contextmanager
def room_for(size: int) -> Any:
    """No file may grow beyond that size: the system itself then writes a part of a line, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_without_room_for_the_whole_line_nothing_is_added(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "units.jsonl")
    file.add("a", {"test": 1})
    before = file.path.read_bytes()
    with room_for(len(before) + 10), pytest.raises(InputError, match=r"cannot add to .*units\.jsonl .*: make room"):
        file.add("b", {"text": "x" * 100})
    assert file.path.read_bytes() == before


def test_places_that_cannot_hold_lines_are_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    for act in (lambda file: file.lines(), lambda file: file.add("a", {})):
        with pytest.raises(InputError, match=r"cannot (read|add to) .*folder\.jsonl \(Is a directory\)"):
            act(LineFile(tmp_path / "folder.jsonl"))


def test_a_key_does_not_depend_on_the_order_of_names() -> None:
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1})


def test_a_line_that_was_changed_is_passed_over_and_one_of_an_earlier_version_read(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "units.jsonl")
    file.add("a", {"val": 81.25, "name": "é"})
    file.add("b", {"val": 7})
    content = file.path.read_text("utf-8")
    file.path.write_text('{"key": "old", "val": 3}\n' + content.replace("81.25", "91.25"), "utf-8")
    assert LineFile(file.path).lines() == {"old": {"val": 3}, "b": {"val": 7}}
