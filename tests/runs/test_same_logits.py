"""The same weights give the same logits whichever way they are computed.

Beside this: permuted nodes give permuted logits (tests/nn/test_model.py, tests/zoo/test_every_model.py), and any number
of threads gives the same bits (tests/train/fused/test_training.py).
"""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from numpy.typing import NDArray

from lsgnn import Run
from lsgnn.estimators.classifier import LSGNNClassifier
from lsgnn.nn.rows import make_rows
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.stored_run import StoredRun
from lsgnn.train.fused import logits_cpu
from tests.graphs import two_blocks
from tests.trained import small_run

Logits = NDArray[np.float32]
HALF = """
import sys
import numpy as np
import torch
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.stored_run import StoredRun
from lsgnn.out_of_core.world import joined_world

store, run = Store(sys.argv[1]), StoredRun.load(sys.argv[2])
with joined_world() as world, torch.no_grad():
    ends = np.linspace(0, store.num_nodes, world.size + 1).astype(int)
    own = run.model(StoredRows(store, run.config).range(ends[world.rank], ends[world.rank + 1]))
    np.save(f"{sys.argv[3]}/{world.rank}-of-{world.size}.npy", own.numpy())
"""


@pytest.fixture(scope="module")
def run() -> Run:
    trained = small_run(two_blocks(n=50), K=3, epochs=6, direction="out")
    return replace(trained, known_temperature=1.0)  # so that probabilities tell the logits


def memory(run: Run, folder: Path) -> Logits:
    run.save(folder / "run")
    return Run.load(folder / "run").logits


@torch.no_grad()
def torch_module(run: Run, folder: Path) -> Logits:
    """By the other of its two ways: weights first, propagation afterwards."""
    return np.asarray(run.modules[0](make_rows(run.inputs, run.config, dense=False)).numpy())


def cpu_engine(run: Run, folder: Path) -> Logits:
    return logits_cpu(run.inputs, run.config, run.trained.state_dict)


def stored(run: Run, folder: Path) -> tuple[Store, StoredRun]:
    """The weights as a run on a store."""
    store = precompute(run.graph, folder / "store", run.config)
    about = dict(num_nodes=store.num_nodes, class_names=store.class_names, temperature=1.0, metrics={}, environment={})
    return store, StoredRun(config=run.config, members=run.members, **about)


def store(run: Run, folder: Path) -> Logits:
    own, on_store = stored(run, folder)
    on_store.predict(own, folder / "p.parquet")
    table = pq.read_table(folder / "p.parquet")
    return np.log(np.stack([table[name].to_numpy() for name in table.column_names[3:]], axis=1))


def torchrun(run: Run, folder: Path) -> Logits:
    own, on_store = stored(run, folder)
    on_store.save(folder / "run")
    (folder / "half.py").write_text(HALF)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    root = Path(__file__).parents[2]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{root / 'src'}:{root}"}
    words = [str(folder / "half.py"), str(own.folder), str(folder / "run"), str(folder)]
    subprocess.run([*command, *words], check=True, env=environment)
    return np.concatenate([np.load(folder / f"{rank}-of-2.npy") for rank in range(2)])


def onnx(run: Run, folder: Path) -> Logits:
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    from lsgnn.runs.onnx_head import export_onnx, onnx_inputs

    export_onnx(run, folder / "head.onnx")
    session = onnxruntime.InferenceSession(folder / "head.onnx")
    return np.asarray(session.run(None, onnx_inputs(run, np.arange(run.graph.num_nodes)))[0])


def estimator(run: Run, folder: Path) -> Logits:
    classifier = LSGNNClassifier(graph=run.graph)
    classifier.run_, classifier.classes_ = run, np.arange(run.graph.num_classes)
    return np.log(classifier.predict_proba(run.graph))


WAYS = (memory, torch_module, cpu_engine, store, torchrun, onnx, estimator)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_same_weights_give_the_same_logits(way: Callable[[Run, Path], Logits], run: Run, tmp_path: Path) -> None:
    found, expected = (torch.log_softmax(torch.from_numpy(part), 1) for part in (way(run, tmp_path), run.logits))
    np.testing.assert_allclose(found, expected, atol=2e-5)
    assert (found[:, 0] - found[:, 1]).abs().max() > 0.01  # they say something
