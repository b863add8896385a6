"""One trained run and one diagnosis for all tests of pages."""

from __future__ import annotations

import pytest

from lsgnn import LSGNNConfig, Run, fit
from lsgnn.report import Diagnosis, diagnose
from tests.fraud import fraud_graph
from tests.report.graphs import evil_graph


@pytest.fixture(scope="session")
def run() -> Run:
    """A short training on names that try to break out; the plain loop, so that nothing needs compiling."""
    return fit(evil_graph(), LSGNNConfig(K=2, epochs=12, direction="undirected"), engine="torch")


@pytest.fixture(scope="session")
def other_run() -> Run:
    """Another configuration on the same nodes, which disagrees about some of them."""
    return fit(evil_graph(), LSGNNConfig(K=1, epochs=4, direction="out", lr=0.05), engine="torch")


@pytest.fixture(scope="session")
def fraud_run() -> Run:
    """Trees on a small fraud table, where one class is nearly all."""
    graph, _ = fraud_graph(n=2000, edges=8000, labelled=0.6)
    return fit(graph, model="trees", epochs=15, class_weight="balanced")


@pytest.fixture(scope="session")
def diagnosis() -> Diagnosis:
    return diagnose(evil_graph(), probes=False)
