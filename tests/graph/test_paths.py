"""Paths: whatever is wrong with one is one sentence."""

import os

import pytest

from lsgnn import Graph, InputError, as_graph, read_tables
from lsgnn.graph.paths import existing_file

LONG = "a" * 5000


def test_a_file_is_found_with_its_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "g.npz").write_text("")
    assert existing_file("~/g.npz") == tmp_path / "g.npz"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (f"{LONG}.npz", "^a+…a+.npz cannot be opened .File name too long.: check the path"),
        ("g\0.npz", "holds a zero byte, which no path does"),
        ("~nobody-of-that-name/g.npz", "names the home of a user who does not exist"),
        ("", "is not a file"),
        (5, r"5 \(int\) is no path: pass the path of a file as text"),
        (None, r"None \(NoneType\) is no path"),
        (b"g.npz", r"\(bytes\) is no path"),
    ],
    ids=["long", "zero byte", "nobody", "empty", "number", "None", "bytes"],
)
def test_what_is_no_path_is_refused_in_a_sentence(path, message):
    with pytest.raises(InputError, match=message):
        Graph.load(path)


@pytest.mark.parametrize("path", [LONG, f"{LONG}.npz", f"{LONG}.csv", "g\0.npz", "g\0", "~nobody-of-that-name/g"])
def test_wherever_a_graph_or_table_is_asked_for(path, tmp_path):
    (tmp_path / "e.csv").write_text("source,target\na,b\n")
    for read in (as_graph, read_tables, lambda table: read_tables(tmp_path / "e.csv", table)):
        with pytest.raises(InputError) as caught:
            read(path)
        assert len(str(caught.value)) < 500


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may enter every folder")
def test_a_folder_that_may_not_be_entered_is_named(tmp_path):
    (tmp_path / "closed").mkdir(mode=0)
    with pytest.raises(InputError, match=r"closed/g\.npz cannot be opened \(Permission denied\)"):
        Graph.load(tmp_path / "closed" / "g.npz")
