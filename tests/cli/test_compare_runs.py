"""`lsgnn compare-runs`: two folders of `lsgnn fit` in, a verdict, a page and the nodes that differ out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.graphs import random_graph
from tests.trained import small_run


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    small_run(K=2).save(folder / "two")
    small_run(K=3, epochs=12, lr=0.1).save(folder / "three")
    return folder / "two", folder / "three"


def test_runs_are_ranked_and_their_page_is_written(lsgnn: Any, folders: tuple[Path, Path], tmp_path: Path) -> None:
    result = lsgnn("compare-runs", *folders, "--report", tmp_path / "runs.html")
    assert result.code == 0, result.err
    assert "has the best validation accuracy" in result.out
    assert "LSGNN  accuracy: val " in result.out
    page = (tmp_path / "runs.html").read_text("utf-8")
    assert "Disagreements, node by node" in page
    assert ">two</td>" in page


def test_json_holds_every_disagreement(lsgnn: Any, folders: tuple[Path, Path]) -> None:
    document = lsgnn("compare-runs", *folders, "--json").json
    assert {run["run"] for run in document["runs"]} == {"two", "three"}
    assert document["disagreements"]
    for node in document["disagreements"]:
        assert node["said"]["two"]["class"] != node["said"]["three"]["class"]
        assert node["label"] is None or node["part"] != "test"


def test_folders_of_one_name_are_told_apart(lsgnn: Any, folders: tuple[Path, Path], tmp_path: Path) -> None:
    small_run(K=2, epochs=2).save(tmp_path / "two")
    document = lsgnn("compare-runs", folders[0], tmp_path / "two", "--json").json
    assert {run["run"] for run in document["runs"]} == {str(folders[0]), str(tmp_path / "two")}


def test_bad_input_is_one_line(lsgnn: Any, folders: tuple[Path, Path], tmp_path: Path) -> None:
    small_run(random_graph(seed=1, n=30)).save(tmp_path / "other")
    for arguments, message in (
        ([folders[0]], "one run is nothing to compare"),
        ([folders[0], folders[0]], "a run is named twice"),
        ([folders[0], tmp_path / "none"], "none"),
        ([folders[0], tmp_path / "other"], "other was trained on other nodes"),
        ([*folders, "--metric", "roc_auc"], "is for two classes"),
        ([*folders, "--metric", "luck"], "is not a choice"),
        ([*folders, "--report", tmp_path / "page.txt"], "must end in .html"),
    ):
        result = lsgnn("compare-runs", *arguments)
        assert result.code == 2
        assert message in result.err
        assert result.err.count("\n") == 1
