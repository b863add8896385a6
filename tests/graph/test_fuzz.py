"""Random damage: whatever a file holds, it is a valid graph or an InputError of one line, never anything else."""

import gzip
import io
import zipfile
from contextlib import suppress

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import Graph, InputError, read_tables, stratified_splits
from lsgnn.graph.io.new_node_tables import read_new_nodes
from lsgnn.graph.io.npz import READ_KEYS, load_npz
from tests.fuzz.cases import cases

Y = np.array([0, 1, 0, 1, 0, -1])
ARRAYS = {
    "y": Y,
    "edge_index": np.array([[0, 0, 1, 5], [1, 2, 2, 5]]),
    "edge_weight": np.array([0.1, 0.2, 3.0, 4.0]),
    "node_ids": np.array(["a", "b", "c", "d", "e", "fünf"]),
    "class_names": np.array(["one", "two"]),
    "feature_names": np.array(["p", "q", "r"]),
    "notes": np.array(["from a test"]),
    **{f"{part}_masks": getattr(stratified_splits(Y, 2), part) for part in ("train", "val", "test")},
}
DENSE = {"x": np.arange(18.0).reshape(6, 3)}
SPARSE = {"x_data": [1.0, 2.0], "x_indices": [0, 2], "x_indptr": [0, 1, 1, 2, 2, 2, 2], "x_shape": [6, 3]}


def noise(kind, shape, seed):
    """An array of random bytes; every third one of small numbers, which pass for indices and classes."""
    random = np.random.default_rng(seed)
    if seed % 3 == 0 and np.dtype(kind).kind in "biufcUS":
        return random.integers(0, 7, shape).astype(kind)
    size = np.prod(shape, dtype=int) * np.dtype(kind).itemsize
    return np.frombuffer(random.bytes(size) or b"", dtype=kind).reshape(shape)


extremes = st.sampled_from([0, 1, -1, 2, 6, 7, 127, 2**31, 2**62, -(2**63), 1e300, -1e-300, np.nan, np.inf])
dtypes = st.sampled_from(
    ["b1", "u1", "i1", ">i2", "u8", "i8", "f2", "f4", ">f8", "c16", "U3", "S3", "M8[D]", "m8[s]", "V4"]
)
SHAPES = [(), (0,), (1,), (2,), (3,), (6,), (7,), (6, 3), (2, 4), (2, 6), (6, 0), (0, 6), (1, 1, 6)]
shapes = st.sampled_from(SHAPES)
arrays = st.builds(noise, dtypes, shapes, st.integers(0, 99))
damages = st.lists(st.tuples(st.sampled_from(READ_KEYS), st.none() | extremes | arrays), max_size=3)
flips = st.lists(
    st.tuples(st.sampled_from(READ_KEYS), st.floats(0, 1, exclude_max=True), st.integers(1, 255)), max_size=2
)


def assert_valid(graph):
    x = graph.x.data if sp.issparse(graph.x) else graph.x
    assert x.dtype == np.float32
    assert np.isfinite(x).all()
    assert graph.edge_index.size == 0 or 0 <= graph.edge_index.min() <= graph.edge_index.max() < graph.num_nodes
    assert graph.edge_weight is None or (graph.edge_weight > 0).all()
    assert len(set(graph.node_ids.tolist())) == graph.num_nodes
    assert -1 <= graph.y.min() <= graph.y.max() < graph.num_classes
    for text in (*graph.class_names, *graph.feature_names, *graph.notes, *map(str, graph.node_ids)):
        text.encode()


def is_graph(read, *arguments):
    """Whether they are read; any exception but a short InputError fails the test."""
    try:
        graph = read(*arguments)
    except InputError as error:
        message = str(error)
    else:
        assert_valid(graph)
        return True
    assert len(message.splitlines()) == 1
    assert len(message) < 1000
    return False


def damaged(array, value):
    """The array, another array, nothing at all, or the array with one number that does not belong there."""
    if value is None or isinstance(value, np.ndarray):
        return value
    array = np.array(array)
    if array.size and array.dtype.kind in "fiu":
        with np.errstate(all="ignore"):
            array[(0,) * array.ndim] = np.array(value).astype(array.dtype)
    return array


@cases(200)
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@given(x=st.sampled_from([DENSE, SPARSE]), damages=damages, flips=flips)
def test_a_damaged_npz_is_a_valid_graph_or_an_input_error(tmp_path_factory, x, damages, flips):
    held = {key: np.array(value) for key, value in (ARRAYS | x).items()}
    for key, value in damages:
        held[key] = damaged(held.get(key, np.zeros(3)), value)
    path = tmp_path_factory.getbasetemp() / "fuzz.npz"
    with zipfile.ZipFile(path, "w") as archive:  # not numpy.savez: damage after it would only be a wrong checksum
        for key, value in held.items():
            if value is not None:
                file = io.BytesIO()
                np.save(file, value)
                content = bytearray(file.getvalue())
                for _, place, bits in (flip for flip in flips if flip[0] == key):
                    content[int(place * len(content))] ^= bits
                archive.writestr(f"{key}.npy", bytes(content))
    if not damages and not flips:
        assert is_graph(load_npz, path)
    elif is_graph(load_npz, path):
        graph = Graph.load(path)
        graph.save(path)
        np.testing.assert_array_equal(Graph.load(path).edge_index, graph.edge_index)


WORDS = ("", "a", "b", "é", "NaN", "NA", "true", "train", "source", "target", "id", "label", "weight", "x" * 99)
NUMBERS = ("0", "1", "7", "007", "-1", "1.5", "1e999", "99999999999999999999", "2020-01-01 00:00:00.123456789")
cells = st.sampled_from((*WORDS, *NUMBERS, "\0", " ", '"', '""'))
rows = st.lists(cells, max_size=4).map(",".join)
csv_like = st.lists(rows, max_size=5).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n", "\r", "\n\n"]).map(lambda end: end.join([*lines, ""]))
)
headed = st.tuples(
    st.sampled_from(["source,target\n", "id,label,f\n", "id,f,split\n", "a,b,weight\n", "\ufeff", ""]), csv_like
)
contents = st.binary(max_size=60) | headed.map(lambda parts: "".join(parts).encode()) | csv_like.map(str.encode)


@cases(100)
@given(edges=contents, nodes=st.none() | contents, packed=st.booleans())
def test_random_tables_are_valid_graphs_or_input_errors(tmp_path_factory, edges, nodes, packed):
    folder = tmp_path_factory.getbasetemp()
    paths = [folder / f"fuzz-{role}.csv{'.gz' if packed else ''}" for role in ("edges", "nodes")]
    for path, content in zip(paths, (edges, nodes), strict=True):
        path.write_bytes(gzip.compress(content or b"") if packed else content or b"")
    is_graph(read_tables, paths[0], None if nodes is None else paths[1])
    for arguments in ({"label": "label"}, {"split": "split", "features": []}, {"categories": ["f"]}):
        is_graph(lambda arguments=arguments: read_tables(*paths, **arguments))
    with suppress(InputError):  # any other exception fails the test
        read_new_nodes(*paths)
