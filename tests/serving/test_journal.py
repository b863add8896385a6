"""The journal: what is acknowledged is there, once, for every process, whatever happens to the writer."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from lsgnn import InputError
from lsgnn.serving.journal import Journal, JournalError
from lsgnn.serving.new_node import NewEdge, NewNode
from tests.serving.clients import new_node


def write(journal: Journal, *nodes: NewNode) -> None:
    with journal.writing():
        for entry in journal.news():
            journal.seen(entry.seq)
        journal.add(nodes)
    journal.added()


def ids(journal: Journal) -> list[object]:
    return [entry.node.id for entry in journal.news()]


def test_nodes_come_back_as_they_went_in_batch_by_batch(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    assert journal.news() == []
    assert not journal.path.exists()  # nothing is written before a node is kept
    first = NewNode(7, {"a": 1.5, "b": "é"}, (NewEdge(7, "x", 0.1),), "cat")
    write(journal, first, new_node("u"))
    write(journal, NewNode("v", (1.0, 2.0)))
    entries = Journal(journal.path).news()
    assert [entry.node for entry in entries] == [first, new_node("u"), NewNode("v", (1.0, 2.0))]
    assert [entry.batch for entry in entries] == [1, 1, 3]


def test_each_process_hears_of_what_others_keep_and_not_of_its_own(tmp_path: Path) -> None:
    mine, yours = Journal(tmp_path / "j"), Journal(tmp_path / "j")
    write(mine, new_node("a"))
    assert mine.news() == []
    (entry,) = yours.news()
    assert yours.news() == []  # nobody has written since
    yours.look_again()
    assert [again.seq for again in yours.news()] == [entry.seq]  # it was not told to be seen
    yours.seen(entry.seq)
    write(yours, new_node("b"))
    assert ids(mine) == ["b"]


def test_one_content_has_one_spelling() -> None:
    left = NewNode("u", {"a": 1, "b": 2}, (NewEdge("u", "x"), NewEdge("y", "u")))
    right = NewNode("u", {"b": 2, "a": 1}, (NewEdge("y", "u"), NewEdge("u", "x")))
    assert left.to_json() == right.to_json()
    assert NewNode.from_json(left.to_json()) == left


def test_an_error_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    with pytest.raises(AttributeError):
        write(journal, new_node("a"), None)  # type: ignore[arg-type]
    assert Journal(tmp_path / "j").news() == []
    write(journal, new_node("a"))
    with pytest.raises(JournalError, match="UNIQUE"):
        write(journal, new_node("b"), new_node("a"))
    assert ids(Journal(tmp_path / "j")) == ["a"]


def test_a_full_disk_keeps_nothing_and_harms_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    write(journal, new_node("a"))
    journal._open().execute("PRAGMA max_page_count = 5")
    with pytest.raises(JournalError, match="the disk is full"):
        write(journal, *(new_node(f"n{i}") for i in range(200)))
    assert ids(Journal(tmp_path / "j")) == ["a"]
    write(journal, new_node("b"))  # once there is room again
    assert ids(Journal(tmp_path / "j")) == ["a", "b"]


def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from lsgnn.serving.journal import Journal\n"
        "from tests.serving.test_journal import write; from tests.serving.clients import new_node\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "for i in range(10**6): write(journal, new_node(f'n{i}')); print(i, flush=True)\n"
    )
    path = tmp_path / "j"
    child = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    last = [child.stdout.readline() for _ in range(20)][-1]
    os.kill(child.pid, signal.SIGKILL)
    last = (child.communicate()[0].splitlines() or [last])[-1]
    found = ids(Journal(path))
    assert found[: int(last) + 1] == [f"n{i}" for i in range(int(last) + 1)]
    assert len(found) <= int(last) + 2  # one more may be written than could be told


@pytest.mark.parametrize("damage", ["UPDATE nodes SET content = '{}'", "UPDATE nodes SET content = 'x', digest = 'y'"])
def test_a_damaged_entry_is_named(tmp_path: Path, damage: str) -> None:
    write(Journal(tmp_path / "j"), new_node("a"))
    with sqlite3.connect(tmp_path / "j") as connection:
        connection.execute(damage)
    connection.close()
    with pytest.raises(InputError, match="node 'a' of the journal j is damaged"):
        Journal(tmp_path / "j").news()


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "j").write_text("not a database at all" * 100)
    with pytest.raises(InputError, match="the journal j cannot be read"):
        Journal(tmp_path / "j").news()


def test_a_folder_that_is_not_there_keeps_nothing(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="nothing of this request was kept"):
        write(Journal(tmp_path / "no" / "j"), new_node("a"))


def test_what_cannot_be_read_is_told_in_one_line_though_it_has_several(tmp_path: Path) -> None:
    write(Journal(tmp_path / "j"), new_node("a"))
    with sqlite3.connect(tmp_path / "j") as connection:
        connection.execute("UPDATE nodes SET digest = CAST(X'610AFF' AS TEXT)")  # a line break, and no UTF-8
    connection.close()
    with pytest.raises(InputError, match="the journal j cannot be read") as told:
        Journal(tmp_path / "j").news()
    assert len(str(told.value).splitlines()) == 1
