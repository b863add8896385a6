"""Arrays of a `.npz`: what archive and headers declare is looked at before anything is unpacked."""

import io
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.graph.io.npz_arrays import read_arrays
from tests.bombs import npy_header, npz_bomb, zip_by_hand

KEYS = ("x", "y")


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def written(path, members, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_asked_arrays_are_read_and_others_are_not(tmp_path, method):
    members = [("x.npy", npy(np.eye(3, order="F"))), ("y", npy(np.array(7))), ("rest.npy", b"no array at all")]
    found = read_arrays(written(tmp_path / "g.npz", members, method), KEYS)
    assert sorted(found) == ["x", "y"]
    np.testing.assert_array_equal(found["x"], np.eye(3))
    assert found["y"] == 7


def refused(path, message):
    """Refused in a sentence that names the file, without taking memory."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=message) as caught:
            read_arrays(path, KEYS)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert path.name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert peak < 10 << 20


MIB = 1 << 20


def test_an_archive_that_declares_more_than_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("LSGNN_MAX_READ", "20MB")
    path = npz_bomb(tmp_path / "g.npz", x_start=npy_header((4 * MIB,)), zeros=32 * MIB)
    refused(path, "unfolds to 33.6 MB, but the limit is LSGNN_MAX_READ=20MB")


def test_a_header_that_declares_more_than_the_archive_is_refused(tmp_path):
    path = npz_bomb(tmp_path / "g.npz", x_start=npy_header((10**12, 1)), zeros=16 * MIB)
    refused(
        path, r"'x' declares the shape \(1000000000000, 1\) of float64 values, but the archive holds 16777344 bytes"
    )


def test_what_an_archive_holds_beyond_what_it_declares_is_not_unpacked(tmp_path):
    path = npz_bomb(tmp_path / "g.npz", x_start=npy_header((8 * MIB,)), zeros=64 * MIB, declared=1000)
    refused(path, r"'x' declares the shape \(8388608,\) of float64 values, but the archive holds 1000 bytes of it")
    start = npy_header((100,))
    path = npz_bomb(tmp_path / "h.npz", x_start=start, zeros=64 * MIB, declared=len(start) + 800)
    assert read_arrays(path, KEYS)["x"].tolist() == [0] * 100


def test_a_header_of_megabytes_is_not_even_read(tmp_path):
    start = b"\x93NUMPY\x02\x00" + struct.pack("<I", 64 * MIB)
    refused(
        npz_bomb(tmp_path / "g.npz", x_start=start, zeros=64 * MIB), "'x' has a header of 67108864 bytes, but 10000"
    )


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 1)}", r"declares the shape \(-3, 1\)"),
        ("{'descr': '<U0', 'fortran_order': False, 'shape': (9999999,)}", r"declares the shape \(9999999,\) of <U0"),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", "'x' holds pickled objects"),
        ("{'descr': '<f8', 'fortran_order': False}", "Header does not contain the correct keys"),
        ("((((((((((", "EOF in multi-line"),
        ("-" * 9000 + "1", r"\((Memory|Recursion)Error|too many nested|nested too deep"),
    ],
    ids=["negative shape", "no width", "pickle", "no shape", "open brackets", "deep nesting"],
)
def test_a_hostile_header_is_refused(tmp_path, header, message):
    content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(80)
    refused(written(tmp_path / "g.npz", [("x.npy", content)]), message)


def test_an_array_of_named_fields_is_refused(tmp_path):
    with pytest.warns(UserWarning, match="format 3.0"):
        content = npy(np.zeros(3, [("größe, 大", "f4")]))
    refused(written(tmp_path / "g.npz", [("x.npy", content)]), r"'x' is a .npy array of version 3.0")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("second", ["x.npy", "x"])
def test_two_arrays_of_one_name_are_refused(tmp_path, second):
    members = [("x.npy", npy(np.eye(2))), (second, npy(np.ones((2, 2))))]
    refused(written(tmp_path / "g.npz", members), "it holds two arrays called 'x'")


def test_an_encrypted_archive_is_refused(tmp_path):
    content = npy(np.eye(2))
    path = zip_by_hand(tmp_path / "g.npz", {"x.npy": (content, 0, len(content), 0)})
    flagged = path.read_bytes().replace(b"PK\1\2\x14\0\x14\0\0\0", b"PK\1\2\x14\0\x14\0\1\0")
    path.write_bytes(flagged)
    refused(path, "'x' is encrypted")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_that_unpacks_without_bound_is_refused(tmp_path, method):
    refused(written(tmp_path / "g.npz", [("x.npy", npy(np.eye(2)))], method), f"compressed by method {method}")


def test_a_member_that_is_no_array_is_refused(tmp_path):
    refused(written(tmp_path / "g.npz", [("x.npy", b"PNG or so")]), "the magic string is not correct")
    refused(written(tmp_path / "h.npz", [("x.npy", b"")]), "EOF")
