"""Planetoid's pickles give numbers, and nothing a file says is ever run."""

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lsgnn.datasets import pickles
from lsgnn.datasets.pickles import load_pickle
from lsgnn.errors import InputError
from tests.datasets import hostile
from tests.datasets.hostile import hostile_pickles
from tests.datasets.planetoid_files import END, START, Python2, integer, pickled, string
from tests.fuzz.cases import cases

TABLE = np.array([[0, 1], [1, 0], [0, 1]], dtype="<i4")
MATRIX = sp.csr_array(np.array([[0, 2.5, 0], [0, 0, 0], [1, 0, 3]], dtype="<f4"))
NEIGHBOURS = {0: [1, 2, 2], 1: [], 70_000: [0, 70_000]}


def load(content: bytes, folder: Path) -> Any:
    (folder / "ind.toy.x").write_bytes(content)
    return load_pickle(folder / "ind.toy.x")


# --------------------------------------------------------------------------- what the files hold


@pytest.mark.parametrize("dtype", ["<i4", "<i8", "<f4", "<f8"])
def test_a_table_of_numbers(dtype: str, tmp_path: Path) -> None:
    found = load(pickled(TABLE.astype(dtype)), tmp_path)
    assert found.dtype == np.dtype(dtype)
    assert found.tolist() == TABLE.tolist()
    found[0, 0] = 5  # not a view of the file's bytes


def test_a_table_stored_column_by_column(tmp_path: Path) -> None:
    content = pickled(TABLE).replace(b"\x89" + string(TABLE.tobytes()), b"\x88" + string(TABLE.tobytes(order="F")))
    assert load(content, tmp_path).tolist() == TABLE.tolist()


def test_a_sparse_matrix(tmp_path: Path) -> None:
    found = load(pickled(MATRIX), tmp_path)
    assert found.dtype == np.float32
    assert found.toarray().tolist() == MATRIX.toarray().tolist()


def test_lists_of_neighbours(tmp_path: Path) -> None:
    found = load(pickled(NEIGHBOURS), tmp_path)
    assert found == NEIGHBOURS
    assert type(found) is dict  # a defaultdict would answer for nodes that do not exist


@pytest.mark.parametrize("value", [TABLE, MATRIX, NEIGHBOURS], ids=["table", "matrix", "neighbours"])
def test_a_general_unpickler_finds_the_same_in_them(value: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about scipy's old module names
        found = pickle.loads(pickled(value), encoding="latin1")
    assert found == value if isinstance(value, dict) else not (found != value).sum()


@pytest.mark.dataset
@pytest.mark.parametrize("part", ["x", "tx", "allx", "y", "ty", "ally", "graph"])
def test_the_publishers_files_of_cora(part: str, raw_dir: Path) -> None:
    path = raw_dir / "cora" / "geom-gcn" / "raw" / f"ind.cora.{part}"
    found: Any = load_pickle(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = pickle.loads(path.read_bytes(), encoding="latin1")
    assert type(found) is (dict if part == "graph" else sp.csr_array if "x" in part else np.ndarray)
    assert found == expected if part == "graph" else (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert part == "graph" or not (found != expected).sum()


# --------------------------------------------------------------------------- hostile ones


@pytest.mark.parametrize("kind", hostile_pickles(Path("here")))
def test_a_hostile_pickle_is_refused_and_does_nothing(kind: str, tmp_path: Path) -> None:
    content = hostile_pickles(tmp_path / "touched")[kind]
    with pytest.raises(InputError, match=r"ind\.toy\.x is not a pickle of numbers .*: delete it and try again"):
        load(content, tmp_path)
    assert not (tmp_path / "touched").exists()
    assert (tmp_path / "ind.toy.x").read_bytes() == content  # kept for whoever wants to know


def test_these_pickles_are_hostile_indeed(tmp_path: Path) -> None:
    for number, kind in enumerate(hostile_pickles(Path("here"))):
        pickle.loads(hostile_pickles(tmp_path / str(number))[kind])
        assert (tmp_path / str(number)).exists(), kind


def test_the_error_says_what_the_file_wanted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\(it names 'posix\.system', which may run code\)"):
        load(b"\x80\x02cposix\nsystem\nU\x04true\x85R.", tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "__builtin__ eval",
        "__builtin__ getattr",
        "builtins list",
        "collections OrderedDict",
        "copy_reg _reconstructor",
        "numpy load",
        "numpy.core.multiarray scalar",
        "numpy.core.multiarray _reconstruct.__globals__",
        "scipy.sparse.csr csr_matrix.__init__",
        "tests.datasets.hostile fire",
    ],
)
def test_every_other_name_is_refused(name: str, tmp_path: Path) -> None:
    module, what = name.split()
    with pytest.raises(InputError, match=f"it names '{module}.{what}'"):
        load(START + f"c{module}\n{what}\n".encode() + END, tmp_path)


def test_an_array_of_objects_is_refused(tmp_path: Path) -> None:
    """numpy would take the list that stands where the bytes should be."""
    objects = pickled(np.zeros(1, dtype="<i8")).replace(b"U\x02i8", b"U\x02O8").replace(string(bytes(8)), b"]K\x01a")
    objects = objects.replace(b"U\x01<", b"U\x01|").replace(b"K\x00tb", b"K\x3ftb")
    assert np.asarray(pickle.loads(objects, encoding="latin1")).dtype == object
    with pytest.raises(InputError, match="an array of it holds something else than numbers"):
        load(objects, tmp_path)


@pytest.mark.parametrize("name", pickles.NAMES)
def test_a_pickle_cannot_change_the_classes_it_may_name(name: tuple[str, str], tmp_path: Path) -> None:
    before = {cls: dict(vars(cls)) for cls in pickles.NAMES.values()}
    state = b"}U\x0c__setstate__U\x01xs"
    for build in (state + b"b", b"N" + state + b"\x86b"):
        with pytest.raises(InputError):
            load(START + f"c{name[0]}\n{name[1]}\n".encode() + build + END, tmp_path)
    assert {cls: dict(vars(cls)) for cls in pickles.NAMES.values()} == before


def test_a_small_file_cannot_ask_for_much_memory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it numbers an object 4294967295"):
        load(START + b"}r\xff\xff\xff\xff" + END, tmp_path)
    with pytest.raises(InputError, match="does not fit its shape"):
        load(pickled(TABLE).replace(integer(3) + integer(2) + b"\x86", integer(2**31 - 1) * 2 + b"\x86"), tmp_path)


def test_tuples_in_tuples_do_not_overflow_the_stack(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="more than 100 tuples"):
        load(START + b"})" + b"\x85" * 1_000_000 + b"Ns" + END, tmp_path)


# --------------------------------------------------------------------------- damaged ones


def matrix_of(shape: tuple[int, int], indptr: list[int], indices: list[int], dtype: str = "<i4") -> bytes:
    """A matrix of ones that need not fit together."""

    class Parts:
        pass

    parts: Any = Parts()
    parts.shape, parts.indptr = shape, np.array(indptr)
    parts.indices, parts.data = np.array(indices), np.ones(len(indices), dtype="<f4")
    content = START + Python2().matrix(parts) + END
    return content.replace(b"U\x02i4", b"U\x02" + dtype[1:].encode())


def test_a_matrix_that_fits_is_read(tmp_path: Path) -> None:
    assert load(matrix_of((2, 3), [0, 1, 3], [2, 0, 1]), tmp_path).toarray().tolist() == [[0, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    "content",
    [
        matrix_of((2, 3), [0, 1, 3], [2, 0, 3]),  # a column that does not exist
        matrix_of((2, 3), [0, 1, 3], [2, 0, -1]),
        matrix_of((2, 3), [0, 3, 1], [2, 0, 1]),  # rows that end before they start
        matrix_of((2, 3), [0, 1, 4], [2, 0, 1]),  # a row that goes on after the end
        matrix_of((3, 3), [0, 1, 3], [2, 0, 1]),
        matrix_of((2, 3), [0, 1, 3], [2, 0, 1], "<f4"),
        matrix_of((-2, 3), [0, 1, 3], [2, 0, 1]),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a pickle of numbers"):
        load(content, tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>not found</html>",
        b"version https://git-lfs.github.com/spec/v1\n",
        pickled(TABLE)[:-1],
        pickled(TABLE) + b"K\x01.",
        pickled(TABLE)[:60] + pickled(TABLE)[64:],
        pickled(NEIGHBOURS).replace(b"K\x01K\x02K\x02", b"K\x01K\x02N"),
        START + b"]q\x01h\x01a" + END,  # a list that holds itself
        START + b"K\x01" + END,
        START + b"ccollections\ndefaultdict\n" + END,
        START + b"cscipy.sparse.csr\ncsr_matrix\n)\x81" + END,
        START + b"cnumpy.core.multiarray\n_reconstruct\n)R" + END,
    ],
)
def test_a_damaged_file_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ind\.toy\.x is not a pickle of numbers") as caught:
        load(content, tmp_path)
    assert "\n" not in str(caught.value)


ATTACKS = [
    b"ctests.datasets.hostile\nfire\n)R",
    b"ctests.datasets.hostile\nfire\n)\x81",
    b"(itests.datasets.hostile\nfire\n",
    b"(ctests.datasets.hostile\nfire\no",
    b"\x8c\x16tests.datasets.hostile\x8c\x04fire\x93)R",
    b"cnumpy\ndtype\nU\x01O\x85R",
    b"}U\x0c__setstate__ctests.datasets.hostile\nfire\nsb",
]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A good pickle with bytes changed, cut out or put in, among them instructions that would call `fire`."""
    content = bytearray(pickled(draw(st.sampled_from([TABLE, MATRIX, NEIGHBOURS]))))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(content)))
        gone = draw(st.sampled_from([0, 0, 1, 1, 2, 8]))
        content[at : at + gone] = draw(st.sampled_from([*ATTACKS, b""]) | st.binary(max_size=4))
    return bytes(content)


@cases(50)
@given(content=mutated())
def test_no_mutation_runs_anything_or_ends_in_another_error(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    hostile.FIRED.clear()
    try:
        found = load(content, tmp_path_factory.getbasetemp())
    except InputError:
        found = {}
    assert hostile.FIRED == []
    assert isinstance(found, dict) or found.dtype.kind in "if"
