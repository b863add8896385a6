"""What has no parameters is computed once, and handed on: counted, not believed."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import lsgnn
from lsgnn import Graph, LSGNNConfig
from lsgnn.benchmark.final_scores import final_scores
from lsgnn.propagate import precompute as module
from lsgnn.report import run_page
from lsgnn.runs import run as run_module
from lsgnn.tuning import tune
from tests.graphs import two_blocks

QUICK = LSGNNConfig(epochs=3, K=2, hidden_channels=8)


@pytest.fixture
def precomputed(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """How often each set of structural settings was precomputed, for the same features (scaled, degrees added)."""
    counts: Counter[Any] = Counter()
    original = module.neighbour_similarity

    def counted(graph: Graph, x: Any, config: LSGNNConfig) -> Any:
        counts[config.input_settings, sp.csr_array(x).toarray().tobytes()] += 1
        return original(graph, x, config)

    monkeypatch.setattr(module, "neighbour_similarity", counted)
    return counts


def directed() -> Graph:
    graph = two_blocks(n=60)
    return Graph(x=graph.x, edge_index=graph.edge_index[:, :100], y=graph.y, name="directed")


def test_fit_goes_on_with_what_its_probe_has_computed(precomputed: Counter[Any]) -> None:
    run = lsgnn.fit(directed(), QUICK, direction="auto", members=2)
    run.predict(), run.explain(0)
    assert sorted(dict(settings)["direction"] for settings, _ in precomputed) == ["in", "out", "undirected"]
    assert set(precomputed.values()) == {1}
    assert run.seconds["precompute"] > 0


def test_a_fit_without_a_probe_computes_one_thing_once(precomputed: Counter[Any]) -> None:
    lsgnn.fit(directed(), QUICK, members=3)
    assert list(precomputed.values()) == [1]


def test_a_search_and_the_readings_after_it_compute_each_thing_once(precomputed: Counter[Any]) -> None:
    graph = two_blocks(n=60)
    tuning = tune(graph, trials=6, base=QUICK, which=[0, 1], rescore=2, prune=False)
    assert set(precomputed.values()) == {1}  # the grid, the trials and the re-scoring share it
    precomputed.clear()
    final_scores(graph, tuning, members=2, which=[0, 1])
    assert set(precomputed.values()) == {1}


def test_a_report_predicts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    original = run_module.logits_of

    def counted(module: Any, rows: Any) -> Any:
        calls.append(1)
        return original(module, rows)

    monkeypatch.setattr(run_module, "logits_of", counted)
    run = lsgnn.fit(two_blocks(n=60), QUICK)
    assert "two-blocks" in run_page(run)
    assert np.isfinite(run.metrics["val_loss"])
    assert len(calls) == 1


OPENED = """
import sys
opened = []
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
import lsgnn
folder = sys.argv[1]
lsgnn.read_tables(f"{folder}/edges.csv", f"{folder}/nodes.csv", label="topic")
lsgnn.Graph.load(f"{folder}/graph.npz")
print(*(name for name in opened if name.startswith(folder)), sep="\\n")
"""


def test_python_opens_each_file_once(tmp_path: Path) -> None:
    """Of a table, to read its first line; Arrow then reads the rows."""
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n1,2\n")
    (tmp_path / "nodes.csv").write_text("id,topic,age\n0,a,1\n1,b,2\n2,a,3\n")
    two_blocks(n=20).save(tmp_path / "graph.npz")
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", OPENED, str(tmp_path)], env=env, capture_output=True, text=True)
    names = [Path(line).name for line in done.stdout.split()]
    assert sorted(names) == ["edges.csv", "graph.npz", "nodes.csv"], done.stderr
