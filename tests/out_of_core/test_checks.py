"""Nothing from disk reaches compiled code unless it is what the code takes it for."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import Graph, InputError, LSGNNConfig
from lsgnn.out_of_core.checks import AT_ONCE, checked_column_scale, require_layout
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.layout import Layout, all_files
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.tasks import propagate_block
from tests.fuzz.cases import cases
from tests.graphs import random_graph
from tests.out_of_core.damage import copy_of, forge, is_refusal, npy, outcome

LISTS = "neighbours-undirected"
CONFIG = LSGNNConfig(K=2, localsim_self_loops=True)
BASE = random_graph()
GRAPH = Graph(x=BASE.x, edge_index=BASE.edge_index, edge_weight=np.full(BASE.num_edges, 2.0), y=BASE.y)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return precompute(GRAPH, tmp_path_factory.mktemp("checks") / "store", CONFIG)


def read_everything(store: Store) -> None:
    """Runs both kernels on the store, and reads all rows for training and prediction."""
    for name in ("hop1/block0", "hop2/block0", "similarity"):
        store.path(name).unlink()
    propagate_block(str(store.folder), 0)
    for name in all_files(store.manifest, store.config):
        if name != "similarity":
            store.array(name)


def changed(values: Any, edit: Any) -> Any:
    out = np.array(values)
    edit(out)
    return out


def set_at(place: Any, value: Any) -> Any:
    return lambda values: values.__setitem__(place, value)


@pytest.mark.parametrize(
    ("name", "edit", "message"),
    [
        (f"{LISTS}/indices", set_at(7, 40), r"holds 40 at \[7\], but values must be between 0 and 39"),
        (f"{LISTS}/indices", set_at(7, -1), r"holds -1 at \[7\]"),
        (f"{LISTS}/indices", set_at(-1, 2**31 - 1), "holds 2147483647"),
        (f"{LISTS}-and-self/indices", set_at(3, 4000), r"holds 4000 at \[3\]"),
        (f"{LISTS}/indptr", set_at(0, 1), "begins with 1, but must begin with 0"),
        (f"{LISTS}/indptr", set_at(5, -1), r"holds -1 at \[5\]"),
        (f"{LISTS}/indptr", set_at(5, 10**6), r"follows 1000000 at \[6\], but values must rise"),
        (f"{LISTS}/indptr", set_at(-1, 10**6), r"is of shape \(\d+,\), but must be \(1000000,\)"),
        ("filter_values", set_at(0, np.nan), r"holds nan at \[0\], but values must be finite"),
        ("hop0/block0", set_at((3, 1), -np.inf), r"holds -inf at \[3, 1\], but values must be finite"),
        (f"{LISTS}/weights", set_at(2, 0), r"holds 0.0 at \[2\], but values must be positive"),
        ("squared_length", set_at(2, -1), r"holds -1.0 at \[2\], but values must be at least 0"),
        ("y", set_at(4, 3), r"holds 3 at \[4\], but values must be between -1 and 2"),
        ("labelled", set_at(4, 3), r"3 follows 3 at \[4\], but values must rise"),
        ("labelled", set_at(-1, 40), "between 0 and 39"),
        ("rows", set_at((1, 2, 3), np.nan), r"holds nan at \[1, 2, 3\]"),
    ],
)
def test_a_value_that_kernels_must_not_read_is_named(
    whole: Store, tmp_path: Path, name: str, edit: Any, message: str
) -> None:
    store = Store(copy_of(whole.folder, tmp_path / "store"))
    forge(store, name, changed(store.array(name), edit))
    with pytest.raises(InputError, match=message) as error:
        read_everything(store)
    assert "remove it and run `precompute` again" in str(error.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((40, 12), ">f4"), "holds >f4 values, but they must be float32"),
        (np.zeros((40, 12)), "holds float64 values"),
        (np.zeros((12, 40), np.float32), r"is of shape \(12, 40\), but must be \(40, 12\)"),
        (np.zeros((480), np.float32), r"is of shape \(480,\)"),
        (np.zeros((40, 12), np.float32, order="F"), "is stored column by column"),
        (b"PK\x03\x04 is no zip archive either", "magic string is not correct"),
        (npy(np.zeros((40, 12), np.float32))[:-1], "is damaged"),
        (npy(np.zeros(3)).replace(b"(3,)", b"(3e"), "is damaged"),
    ],
)
def test_an_array_of_another_form_is_refused(whole: Store, tmp_path: Path, values: Any, message: str) -> None:
    store = Store(copy_of(whole.folder, tmp_path / "store"))
    forge(store, "hop0/block0", values)
    with pytest.raises(InputError, match=message):
        read_everything(store)


dtypes = st.sampled_from(["int32", "int64", "uint64", "float32", "float64", "bool", ">i8", "U3", "complex64"])
numbers = st.one_of(st.integers(-(2**31), 2**31 - 1), st.sampled_from([-1, 0, 1, 39, 40, 41, 10**6]))


@cases(30)
@given(data=st.data())
def test_whatever_is_in_a_store_kernels_read_nothing_else(
    whole: Store, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    store = Store(copy_of(whole.folder, tmp_path_factory.getbasetemp() / "forged"))
    name = data.draw(st.sampled_from([n for n in all_files(whole.manifest, CONFIG) if n != "similarity"]))
    right = whole.array(name)
    shape = data.draw(st.one_of(st.just(right.shape), st.lists(st.integers(0, 50), max_size=3).map(tuple)))
    dtype = data.draw(st.one_of(st.just(right.dtype), dtypes.map(np.dtype)))
    values = np.resize(right, shape).astype(dtype) if right.dtype.kind in "iufb" else np.zeros(shape, dtype)
    if values.size and values.dtype.kind in "iuf":
        at = data.draw(st.integers(0, values.size - 1))
        values.flat[at] = np.array(data.draw(numbers)).astype(values.dtype)
    content = bytearray(npy(values))
    if data.draw(st.booleans()):
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    forge(store, name, bytes(content))
    found = outcome(read_everything, store)
    assert found is None or is_refusal(found, store.folder)


def test_every_value_is_looked_at_however_many_there_are() -> None:
    values = np.arange(3 * AT_ONCE, dtype=np.int64)
    rising = Layout("int64", values.shape, (0, values[-1]), "in bounds", np.greater)
    require_layout(values, rising)
    for place in (AT_ONCE - 1, AT_ONCE, 2 * AT_ONCE, len(values) - 1):
        wrong = changed(values, set_at(place, values[place - 1]))
        with pytest.raises(ValueError, match=rf"at \[{place}\], but values must rise"):
            require_layout(wrong, rising)
        with pytest.raises(ValueError, match=rf"holds -1 at \[{place}\]"):
            require_layout(changed(values, set_at(place, -1)), Layout("int64", values.shape, (0, 2**40), "in bounds"))


def test_a_mask_of_neither_true_nor_false_is_refused() -> None:
    mask = np.array([0, 1, 2], np.uint8).view(bool)
    with pytest.raises(ValueError, match=r"holds 2 at \[2\], but values must be 0 or 1"):
        require_layout(mask, Layout("bool", (3,), (0, 1), "0 or 1"))


@pytest.mark.parametrize(
    "wrong",
    [
        *(None, [], {}, {"rows": []}, {"rows": [0.0, 1.0]}, {"mean": 1}, {"mean": [1.0]}, {"mean": [1.0, "a"]}),
        *({"mean": [1.0, float("nan")]}, {"variance": [-1.0, 1.0]}, {"binary": [True, False]}, {"more": [1.0, 1.0]}),
    ],
)
def test_a_scale_of_columns_must_be_one(wrong: Any) -> None:
    right = {name: [1.0, 2.0] for name in ("nonzero", "mean", "variance", "binary")} | {"rows": [2.0]}
    assert checked_column_scale(right, 2) == right
    with pytest.raises(ValueError, match=r"must (have|be)"):
        checked_column_scale(right | wrong if wrong else wrong, 2)
