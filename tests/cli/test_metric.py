"""`--metric`, `--threshold` and `--cost` on the command line, on a graph with a rare class."""

from pathlib import Path
from typing import Any

import pytest

from tests.graphs import random_graph, rare

QUICK = ("--set", "epochs=10", "--set", "K=2", "--set", "hidden_channels=8", "--set", "direction=out")
FIXED = (*QUICK, "--set", "weights=graph")


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    rare().save(tmp_path / "rare.npz")
    return tmp_path / "rare.npz"


def test_fit_tells_the_metric_first_and_the_threshold_in_one_line(lsgnn: Any, graph: Path) -> None:
    result = lsgnn("fit", graph, *FIXED, "--out", graph.parent / "run")
    lines = result.out.splitlines()
    assert lines[0].startswith("  val average precision ")
    assert lines[1].startswith(" test average precision ")
    assert any(line.startswith("'fraud' from a probability of 0.") and "(f1): val precision" in line for line in lines)
    assert "note: 94.4 % of the training and validation nodes are of class 'ok'" in result.err
    summary = lsgnn("fit", graph, *FIXED, "--cost", "10:1", "--metric", "recall_at_k", "--json").json
    assert (summary["metric"], summary["decision"]["rule"]) == ("recall_at_k", "cost=10:1")
    assert "val_recall_at_k" in summary["metrics"]


def test_predict_uses_the_threshold_of_the_run_or_another(lsgnn: Any, graph: Path) -> None:
    run, out = graph.parent / "run", graph.parent / "p.csv"
    summary = lsgnn("fit", graph, *FIXED, "--threshold", "0.02", "--out", run, "--json").json
    assert summary["decision"] == {"positive": 1, "threshold": 0.02, "rule": "given"}
    own = lsgnn("predict", run, "--out", out, "--json").json
    none = lsgnn("predict", run, "--out", out, "--threshold", "1", "--json").json
    assert own["threshold"] == 0.02
    assert own["predicted"]["fraud"] > 0 == none["predicted"]["fraud"]


def test_evaluate_compare_and_diagnose_score_by_it(lsgnn: Any, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsgnn.report.probes.MORE_SPLITS", 2)  # the score is what matters here, not how sure it is
    result = lsgnn("evaluate", graph, *FIXED, "--splits", "0")
    assert "best epoch by val_average_precision" in result.out
    assert "test average precision " in result.out
    kept = lsgnn("evaluate", graph, *FIXED, "--splits", "0", "--metric", "log_loss", "--set", "select_by=val_accuracy")
    assert "best epoch by val_accuracy" in kept.out
    assert "test log loss 0." in kept.out
    few = ("--models", "majority,sgc", "--splits", "0", "--set", "epochs=10")
    board = lsgnn("compare", graph, *few, "--metric", "balanced_accuracy")
    assert "| model | validation balanced accuracy, % |" in board.out
    assert "validation macro F1" in lsgnn("diagnose", graph, "--metric", "macro_f1").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--metric", "auc"), "--metric 'auc' is not a choice: use one of accuracy, balanced_accuracy"),
        (("--threshold", "high"), "threshold='high' names no rule"),
        (("--cost", "10"), "cost='10' is no ratio FN:FP"),
    ],
)
def test_bad_choices_are_one_line(lsgnn: Any, graph: Path, arguments: tuple[str, ...], words: str) -> None:
    result = lsgnn("fit", graph, *FIXED, *arguments)
    assert (result.code, words in result.err) == (2, True), result.err


def test_three_classes_have_no_threshold(lsgnn: Any, tmp_path: Path) -> None:
    random_graph().save(tmp_path / "three.npz")
    result = lsgnn("fit", tmp_path / "three.npz", *FIXED, "--threshold", "f1")
    assert result.code == 2
    assert "threshold is for two classes, but there are 3: drop it" in result.err
