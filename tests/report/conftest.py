"""One trained run and one diagnosis for all tests of pages; a browser, and the pages as files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsgnn import LSGNNConfig, Run, fit
from lsgnn.benchmark.compare import compare
from lsgnn.benchmark.comparison import Comparison
from lsgnn.report import (
    Diagnosis,
    diagnose,
    write_comparison_page,
    write_diagnosis_page,
    write_run_page,
    write_runs_page,
    write_tuning_page,
)
from tests.fraud import fraud_graph
from tests.graphs import two_blocks
from tests.report.graphs import evil_graph
from tests.report.tunings import made_by_hand

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900"),
    *("--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--hide-scrollbars", "--force-prefers-reduced-motion"),  # nothing moves on while a test clicks
)


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


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    pytest.importorskip("selenium", reason="selenium is not installed: pip install selenium")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    binary, driver = next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("there is no Chromium with its driver: `make test-browser` says how to get it")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    window = webdriver.Chrome(options=options, service=Service(driver))
    yield window
    window.quit()


@pytest.fixture(scope="session")
def board() -> Comparison:
    """Two models on two splits."""
    return compare(two_blocks(), ["majority", "twin_lookup"], which=[0, 1], presets=False)


@pytest.fixture(scope="session")
def pages(
    run: Run,
    other_run: Run,
    fraud_run: Run,
    diagnosis: Diagnosis,
    board: Comparison,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Path]:
    """Every kind of page, written to one folder."""
    folder = tmp_path_factory.mktemp("pages")
    kinds = ("run", "fraud", "diagnosis", "comparison", "runs", "tuning")
    paths = {kind: folder / f"{kind}.html" for kind in kinds}
    write_run_page(run, paths["run"])
    write_run_page(fraud_run, paths["fraud"])
    write_diagnosis_page(diagnosis, paths["diagnosis"])
    write_comparison_page(board, paths["comparison"])
    write_runs_page({"<i>one</i>": run, "other": other_run}, paths["runs"])
    write_tuning_page(made_by_hand(), paths["tuning"], dataset="texas")
    return paths
