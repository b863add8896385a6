"""Every reader of other people's files: a damaged one is a valid graph or a sentence of one line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import as_graph, read_tables
from tests.datasets.test_open_path import EDGES, INFO, X, Y, benchmark, ogb, yandex
from tests.fuzz.cases import cases, mutated, mutations
from tests.graph.test_fuzz import is_graph

Whole = dict[str, Path]  # a file or folder of each kind


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    A = sp.csc_matrix((np.ones(3), tuple(EDGES.T)), shape=(4, 4))
    scipy.io.savemat(folder / "a.mat", {"A": A + A.T, "local_info": INFO})
    karate = nx.karate_club_graph()
    nx.set_node_attributes(karate, {node: float(node) for node in karate}, "age")
    nx.write_graphml(karate, folder / "a.graphml")
    (folder / "a.edges").write_text("# a comment\n0 1 0.5\n1 2 1\n2 0 2\n")
    (folder / "a.csv").write_text('source,target,weight\na,b,1\nb,c,"2"\nc,ä,0.5\n')
    (folder / "tables").mkdir()
    (folder / "tables" / "edges.csv").write_text("source;target\na;b\nb;c\n")
    rows = "a;1,5;red;2020-01-01;x\nb;2;blue;2021-02-03;y\nc;;red;;x\n"
    (folder / "tables" / "nodes.csv").write_text(f"id;size;colour;born;label\n{rows}")
    (folder / "parquet").mkdir()
    pq.write_table(pa.table({"source": [0, 1, 2], "target": [1, 2, 3]}), folder / "parquet" / "edges.parquet")
    pq.write_table(pa.table({"id": [0, 1, 2, 3], "f": X[:, 0], "label": Y}), folder / "parquet" / "nodes.parquet")
    made = [folder / name for name in ("a.mat", "a.graphml", "a.edges", "a.csv", "tables", "parquet")]
    made += [yandex(folder / "yandex.npz"), benchmark(folder / "benchmark.npz"), ogb(folder / "ogb")]
    for path in made[:3] + made[4:]:
        assert is_graph(as_graph, path), path
    return {path.name: path for path in made}


KINDS = ("a.mat", "a.graphml", "a.edges", "a.csv", "tables", "parquet", "yandex.npz", "benchmark.npz", "ogb")


@pytest.mark.filterwarnings("ignore")  # what a damaged archive makes zipfile and numpy say
@cases(100)
@given(kind=st.sampled_from(KINDS), which=st.integers(0, 99), changes=mutations)
def test_a_damaged_file_is_a_valid_graph_or_a_sentence(
    whole: Whole, tmp_path_factory: pytest.TempPathFactory, kind: str, which: int, changes: Any
) -> None:
    damaged = copied(whole[kind], tmp_path_factory.getbasetemp() / "damaged", which, changes)
    read: Callable[..., Any] = read_tables if kind == "a.csv" else as_graph
    is_graph(read, damaged)


def copied(source: Path, to: Path, which: int, changes: Any) -> Path:
    """A copy of a file, or of a folder, with one file damaged."""
    files = sorted(f for f in source.rglob("*") if f.is_file()) if source.is_dir() else [source]
    struck = files[which % len(files)]
    for file in files:
        place = to / file.relative_to(source.parent)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(mutated(file.read_bytes(), changes) if file == struck else file.read_bytes())
    return to / source.name
