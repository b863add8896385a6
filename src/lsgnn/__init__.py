"""lsgnn: classify the nodes of a graph when you do not know whether neighbours are alike.

The data flow is the architecture, and the folders follow it::

    tables · PyG · networkx · scipy · dataset name
       └─► Graph ──► Precomputed ──► LSGNN ──► logits ──► Predictions
           graph/     propagate/      nn/       train/      runs/
                      (once)          (or any model of zoo/)

Names are imported on first use, so that `import lsgnn` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from lsgnn.auto.fit import fit
    from lsgnn.benchmark.compare import compare
    from lsgnn.benchmark.evaluate import Evaluation, evaluate
    from lsgnn.config import LSGNNConfig
    from lsgnn.datasets import load
    from lsgnn.datasets.as_graph import as_graph
    from lsgnn.errors import DatasetUnavailable, InputError, LSGNNWarning
    from lsgnn.estimators.classifier import LSGNNClassifier
    from lsgnn.estimators.row_classifier import LSGNNRowClassifier
    from lsgnn.graph.graph import Graph
    from lsgnn.graph.homophily import Homophily, homophily
    from lsgnn.graph.io.scipy_matrix import from_scipy
    from lsgnn.graph.io.tables import read_tables
    from lsgnn.graph.node_folds import NodeKFold
    from lsgnn.graph.splits import Split, Splits, authors_splits, stratified_splits
    from lsgnn.nn.localsim import LocalSimWeights
    from lsgnn.nn.model import LSGNN
    from lsgnn.nn.transform import LSGNNPrecompute
    from lsgnn.runs.explanation import Explanation
    from lsgnn.runs.predictions import Predictions
    from lsgnn.runs.run import Run
    from lsgnn.tuning import tune

_HOME = {
    "LSGNN": "nn.model",
    "DatasetUnavailable": "errors",
    "Evaluation": "benchmark.evaluate",
    "Explanation": "runs.explanation",
    "Graph": "graph.graph",
    "Homophily": "graph.homophily",
    "InputError": "errors",
    "LSGNNClassifier": "estimators.classifier",
    "LSGNNConfig": "config",
    "LSGNNPrecompute": "nn.transform",
    "LSGNNRowClassifier": "estimators.row_classifier",
    "LSGNNWarning": "errors",
    "LocalSimWeights": "nn.localsim",
    "NodeKFold": "graph.node_folds",
    "Predictions": "runs.predictions",
    "Run": "runs.run",
    "Split": "graph.splits",
    "Splits": "graph.splits",
    "as_graph": "datasets.as_graph",
    "authors_splits": "graph.splits",
    "compare": "benchmark.compare",
    "evaluate": "benchmark.evaluate",
    "fit": "auto.fit",
    "from_scipy": "graph.io.scipy_matrix",
    "homophily": "graph.homophily",
    "load": "datasets",
    "read_tables": "graph.io.tables",
    "stratified_splits": "graph.splits",
    "tune": "tuning",
}

__all__ = [
    "LSGNN",
    "DatasetUnavailable",
    "Evaluation",
    "Explanation",
    "Graph",
    "Homophily",
    "InputError",
    "LSGNNClassifier",
    "LSGNNConfig",
    "LSGNNPrecompute",
    "LSGNNRowClassifier",
    "LSGNNWarning",
    "LocalSimWeights",
    "NodeKFold",
    "Predictions",
    "Run",
    "Split",
    "Splits",
    "__version__",
    "as_graph",
    "authors_splits",
    "compare",
    "datasets",
    "evaluate",
    "fit",
    "from_scipy",
    "homophily",
    "load",
    "out_of_core",
    "read_tables",
    "reference",
    "report",
    "stratified_splits",
    "tune",
    "zoo",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"lsgnn.{_HOME[name]}"), name)
    if name in ("datasets", "out_of_core", "reference", "report", "zoo"):
        return import_module(f"lsgnn.{name}")
    raise AttributeError(f"module 'lsgnn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
