"""Whatever a table holds: saved and applied to the same rows, in any order, a plan makes the same features."""

from datetime import date

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lsgnn import Graph, read_tables
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.io.transformers.fit_plan import fit_plan

N = 24
IDS = [f"node {i}" for i in range(N)]
EDGES = pa.table({"source": IDS[:-1], "target": IDS[1:]})
days = st.dates(date(1900, 1, 1), date(2100, 1, 1))
text = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=12)
cells = [
    st.floats(-1e6, 1e6),
    st.integers(-5, 10**9),
    st.booleans(),
    st.sampled_from(["Rom", "Bonn", "Oslo"]),
    st.integers(0, 99).map(lambda i: f"{i},5"),
    days.map(lambda day: f"{day:%Y-%m-%d}"),
    st.integers(0, 9).map(lambda i: f"a note on word{i} and more"),
    text,
]
column = st.sampled_from(cells).flatmap(lambda cell: st.lists(st.none() | cell, min_size=N, max_size=N))


def dense(graph: Graph) -> np.ndarray:
    return graph.x.toarray() if sp.issparse(graph.x) else np.asarray(graph.x)


@settings(max_examples=40)
@given(st.lists(column, min_size=1, max_size=4), st.permutations(range(N)))
def test_a_saved_plan_makes_the_same_features(tmp_path_factory, columns, order):
    nodes = pa.table({"id": IDS, **{f"c{j}": values for j, values in enumerate(columns)}})
    graph = read_tables(EDGES, nodes)
    assert np.isfinite(dense(graph)).all()
    if not graph.columns:
        return
    path = tmp_path_factory.getbasetemp() / "plan.npz"
    graph.save(path)
    again = read_tables(EDGES, nodes.take(order), like=Graph.load(path))
    np.testing.assert_array_equal(dense(again), dense(graph)[order])
    assert again.feature_names == graph.feature_names


def test_many_rows_are_put_side_by_side_as_few_are():
    table = pa.table({"a": [float(i) for i in range(3000)], "b": [float(i * i % 7) for i in range(3000)]})
    source = Source(table, "the node table", table.column_names)
    plan, _ = fit_plan(table, table.column_names, source, roles={})
    x = plan.apply(table, source)
    assert x.dtype == np.float32
    assert x[[0, 1023, 1024, 2999]].tolist() == [[0, 0], [1023, 1023**2 % 7], [1024, 1024**2 % 7], [2999, 2999**2 % 7]]
