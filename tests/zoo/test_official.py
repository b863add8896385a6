"""Every model against the official equations: the same weights, evaluation mode, a graph with all that graphs have."""

from __future__ import annotations

import inspect
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lsgnn import zoo
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.train.seeded import seeded
from tests.zoo.exact import doubled
from tests.zoo.official.dense import Dense

NODES, FEATURES = 14, 9
# a triangle with a tail, two nodes with the same out-neighbours (4 and 5), three self loops, one of them on a node with
# no other edge (12), an edge given twice, sources (4, 5, 10), sinks (3, 9, 11) and a node without any edge (13)
SOURCES = [0, 1, 2, 2, 1, 4, 4, 5, 5, 6, 6, 7, 8, 8, 10, 10, 1, 12, 0, 0, 6]
TARGETS = [1, 2, 0, 3, 0, 6, 7, 6, 7, 6, 8, 8, 9, 7, 11, 0, 1, 12, 1, 3, 2]


def make_graph() -> tuple[Graph, Dense, Split]:
    random = np.random.default_rng(0)
    x = random.random((NODES, FEATURES)).astype(np.float32)
    x[random.random(x.shape) < 0.3] = 0
    x[8] = 0
    y = np.array([0, 1, 2, 0, 1, 1, 2, 0, 1, 2, 0, 1, 2, 0])
    train, val = np.isin(np.arange(NODES), [0, 1, 2, 4, 6, 7, 8, 11, 12]), np.isin(np.arange(NODES), [3, 5, 9])
    A = torch.zeros(NODES, NODES, dtype=torch.float64)
    A[SOURCES, TARGETS] = 1.0
    graph = Graph(x=x, edge_index=np.array([SOURCES, TARGETS]), y=y)
    dense = Dense(A, torch.from_numpy(x).double(), torch.from_numpy(y), torch.from_numpy(train))
    return graph, dense, Split(train, val, ~train & ~val)


GRAPH, DENSE, SPLIT = make_graph()


def transcription(name: str) -> ModuleType:
    if find_spec(f"tests.zoo.official.{name}") is None:
        pytest.fail(f"{name} has no transcription: write tests/zoo/official/{name}.py")
    return import_module(f"tests.zoo.official.{name}")


def shaken(module: nn.Module) -> nn.Module:
    """Away from the start, where zeros and equal shares would hide what is read."""
    random = torch.Generator().manual_seed(1)
    for tensor in module.state_dict().values():
        if tensor.is_floating_point():
            tensor.add_(0.3 * torch.rand(tensor.shape, generator=random))
    return module


def ours(name: str, config: Any, trained: bool) -> tuple[Tensor, dict[str, Tensor]]:
    """Our logits, and the weights they come from."""
    model = zoo.get(name)
    inputs = model.prepare(GRAPH, config)
    if trained:
        module = model.module(GRAPH, inputs, config, model.train(GRAPH, inputs, SPLIT, config).state_dict)
    else:
        with seeded(0):
            module = shaken(model.build(config, GRAPH, inputs)).double().eval()
    readable = model.readable(inputs, config)
    with torch.no_grad():
        logits = module(readable if trained else doubled(readable)).double()
    wide = {k: v.double() if v.is_floating_point() else v for k, v in module.state_dict().items()}
    return logits, wide


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("LSGNN_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.mark.parametrize("name", zoo.names())
def test_the_same_weights_give_the_official_log_probabilities(name: str) -> None:
    official = transcription(name)
    assert official.SETTINGS
    for settings in official.SETTINGS:
        config = zoo.get(name).config(**settings)
        found, weights = ours(name, config, getattr(official, "TRAINED", False))
        with torch.enable_grad():
            expected = official.logits(weights, DENSE, config)
        tolerance = 2e-3 if name == "asgc" else 1e-5  # scikit-learn stops when its steps become small
        torch.testing.assert_close(
            torch.log_softmax(found, dim=1), torch.log_softmax(expected, dim=1), atol=tolerance, rtol=0
        )


def test_the_graph_has_what_tells_the_conventions_apart() -> None:
    A = DENSE.A
    links = A - torch.diag(A.diagonal())
    out, into = links.sum(dim=1), links.sum(dim=0)
    assert GRAPH.num_edges == int(A.sum()) < len(SOURCES)  # an edge is given twice
    assert A.diagonal().sum() == 3
    assert ((out > 0) & (into == 0)).any()  # sources
    assert ((out == 0) & (into > 0)).any()  # sinks
    assert ((out == 0) & (into == 0) & (A.diagonal() == 0)).any()  # isolated
    assert ((out == 0) & (into == 0) & (A.diagonal() == 1)).any()  # alone with its self loop
    assert (DENSE.x == 0).all(dim=1).any()


@pytest.mark.parametrize("name", zoo.names())
def test_its_file_says_how_it_differs_from_the_official_code(name: str) -> None:
    doc = inspect.getdoc(import_module(f"lsgnn.zoo.{name}")) or ""
    said = [paragraph for paragraph in doc.split("\n\n") if paragraph.startswith("Against the official code: ")]
    assert len(said) == 1, f"src/lsgnn/zoo/{name}.py needs one paragraph 'Against the official code: …'"
    assert len(said[0].split()) >= 8
