"""CSV files: blank ones, other encodings, and text that unfolds without end."""

import gzip
import tracemalloc

import pyarrow as pa
import pytest

from lsgnn import InputError, read_tables
from lsgnn.graph.io import csv_file
from lsgnn.graph.io.csv_file import csv_header, read_csv
from lsgnn.graph.io.new_node_tables import read_new_nodes
from tests.bombs import gzip_bomb


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


BLANK = {
    "zero bytes": (b"", "is empty: pass a table with a header and at least one row"),
    "only newlines": (b"\n\r\n\n", "is empty: pass a table with a header"),
    "only a BOM": (b"\xef\xbb\xbf", "is empty: pass a table with a header"),
    "a BOM and newlines": (b"\xef\xbb\xbf\n\n", "is empty: pass a table with a header"),
    "one empty name": (b'""\n1\n', "names no columns in its first line: pass a table with a header"),
    "empty names": (b",,\n1,2,3\n", "names no columns in its first line"),
    "only spaces": (b"  \n1\n", "names no columns in its first line"),
    "only a header": (b"id,target\n", "has a header but no rows: pass a table with at least one"),
    "only a header without its end": (b"id,target", "has a header but no rows"),
    "a BOM and a header": (b"\xef\xbb\xbfid,target\n\n\n", "has a header but no rows"),
}


@pytest.mark.parametrize(("content", "message"), BLANK.values(), ids=BLANK.keys())
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_blank_table_is_named_wherever_it_stands(write, name, content, message):
    table = write(name, gzip.compress(content) if name.endswith(".gz") else content)
    good = write("good.csv", "id,target,f\na,b,1\n")
    reads = [
        lambda: read_tables(table),
        lambda: read_tables(good, table),
        lambda: read_new_nodes(good, table, features=[]) if "rows" not in message else read_new_nodes(table, good),
        lambda: read_new_nodes(table, good),
    ]
    for read in reads:
        with pytest.raises(InputError, match=f"^{name} {message}"):
            read()


TEXT = "id,größe\nä,1\n"
ENCODINGS = {
    "utf-16": ("utf-16", "it is UTF-16 text"),
    "utf-16 the other way": ("utf-16-be-bom", "it is UTF-16 text"),
    "utf-16 without a mark": ("utf-16-le", "zero bytes in its first line, as in UTF-16"),
    "utf-32": ("utf-32", "it is UTF-32 text"),
    "latin-1": ("latin-1", "it is not UTF8 text"),
}


@pytest.mark.parametrize(("encoding", "message"), ENCODINGS.values(), ids=ENCODINGS.keys())
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_an_encoding_other_than_utf8_is_named(write, name, encoding, message):
    mark = b"\xfe\xff" if encoding == "utf-16-be-bom" else b""
    text = "id,size\na,1\n" if encoding == "utf-16-le" else TEXT
    content = mark + text.encode(encoding.removesuffix("-bom"))
    table = write(name, gzip.compress(content) if name.endswith(".gz") else content)
    with pytest.raises(InputError, match=rf"{name} cannot be read \({message}\): save it as UTF-8"):
        csv_header(table, ",")


@pytest.mark.parametrize("start", ["", "\ufeff", "\n\n", "\ufeff\r\n"])
def test_a_mark_and_blank_lines_before_the_header_do_no_harm(write, start):
    table = read_csv(write("t.csv", start + TEXT), ",", text=["id"])
    assert table.to_pydict() == {"id": ["ä"], "größe": [1]}


def refused_in_little_memory(path, message):
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    try:
        with pytest.raises(InputError, match=message):
            read_csv(path, ",", text=["a", "b"])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 << 20
    assert pa.total_allocated_bytes() - before < 128 << 20  # what was read before the file swelled


MIB = 1 << 20


STARTS = {"letters": (b"", b"a"), "columns": (b"", b"a,"), "blank lines": (b"", b"\n"), "an open quote": (b'"', b"a\n")}


@pytest.mark.parametrize(("start", "unit"), STARTS.values(), ids=STARTS.keys())
def test_a_first_line_without_end_is_not_read_to_its_end(tmp_path, start, unit):
    message = r"no line of column names at its start \(in 4\.19 MB or 10000 lines\)|field larger than field limit"
    refused_in_little_memory(gzip_bomb(tmp_path / "t.csv.gz", start, unit, 256 * MIB), message)


def test_a_row_without_end_is_not_read_to_its_end(tmp_path):
    bomb = gzip_bomb(tmp_path / "t.csv.gz", b"a,b\n", b"a", 256 * MIB)
    refused_in_little_memory(bomb, r"t.csv.gz cannot be read \(a row is longer than 1.05 MB\): close a quote")


def test_rows_without_end_are_counted_before_they_are_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("LSGNN_MAX_READ", "100MB")
    bomb = gzip_bomb(tmp_path / "t.csv.gz", b"a,b\n", b"0,1\n", 256 * MIB)
    refused_in_little_memory(bomb, "t.csv.gz unfolds to more than 100 MB, but the limit is LSGNN_MAX_READ=100MB")


def test_a_file_that_swells_but_ends_in_time_is_read_whole(tmp_path, monkeypatch):
    counted = []
    whole = csv_file.Unfolding._count_to_the_end
    monkeypatch.setattr(csv_file.Unfolding, "_count_to_the_end", lambda self: counted.append(whole(self)))
    table = read_csv(gzip_bomb(tmp_path / "t.csv.gz", b"a,b\n", b"10,11\n", 32 * MIB), ",", text=[])
    assert table.num_rows == 2 * (csv_file.WINDOW // 6)
    assert len(counted) == 1


def test_text_that_swells_no_more_than_usual_is_stopped_at_the_limit(write, monkeypatch):
    monkeypatch.setenv("LSGNN_MAX_READ", "1MB")
    rows = "".join(f"{i},{i * 7919 % 10**6}\n" for i in range(100_000))
    packed = write("t.csv.gz", gzip.compress(f"a,b\n{rows}".encode()))
    with pytest.raises(InputError, match=r"t\.csv\.gz unfolds to more than 1 MB"):
        read_csv(packed, ",", text=[])
    plain = write("t.csv", f"a,b\n{rows}")
    with pytest.raises(InputError, match=r"t.csv is of 1.\d\d MB, but the limit is LSGNN_MAX_READ=1MB"):
        read_csv(plain, ",", text=[])
    monkeypatch.delenv("LSGNN_MAX_READ")
    assert read_csv(packed, ",", text=[]).equals(read_csv(plain, ",", text=[]))


def test_a_gzip_file_of_several_members_is_one_text(write):
    joined = gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n")
    assert read_csv(write("t.csv.gz", joined), ",", text=[]).to_pydict() == {"a": [1, 3], "b": [2, 4]}


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_a_truncated_gzip_file_is_refused(write, keep):
    content = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(9999)))
    with pytest.raises(InputError, match="cannot be read"):
        read_csv(write("t.csv.gz", content[: int(keep * len(content))]), ",", text=[])
