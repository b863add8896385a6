"""`lsgnn diagnose` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import typer
from typer.testing import CliRunner

from lsgnn import InputError
from lsgnn.cli.diagnose import diagnose
from tests.report.graphs import evil_graph

app = typer.Typer()
app.command()(diagnose)


def test_a_verdict_in_words_and_a_page(tmp_path: Path) -> None:
    evil_graph().save(tmp_path / "graph.npz")
    result = CliRunner().invoke(app, [str(tmp_path / "graph.npz"), "--no-probes", "--out", str(tmp_path / "page.html")])
    assert result.exit_code == 0, result.output
    assert "60 nodes (59 labelled)" in result.stdout
    assert "- Neighbours are strongly alike" in result.stdout
    assert f"start with: lsgnn fit {tmp_path}/graph.npz\n" in result.stdout  # direction and weights were not tried
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_json_is_one_document(tmp_path: Path) -> None:
    evil_graph().save(tmp_path / "graph.npz")
    result = CliRunner().invoke(app, [str(tmp_path / "graph.npz"), "--no-probes", "--json"])
    document = json.loads(result.stdout)
    assert document["structure"]["nodes"] == 60
    assert document["probes"]["not_run"] == "probes were switched off"


def test_tables_without_labels_are_described_too(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    result = CliRunner().invoke(app, ["--edges", str(tmp_path / "edges.csv")])
    assert result.exit_code == 0, result.output
    assert "No node has a label" in result.stdout
    assert "start with" not in result.stdout


def test_a_metric_can_be_named_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    evil_graph().save(tmp_path / "graph.npz")
    graph = str(tmp_path / "graph.npz")
    result = CliRunner().invoke(app, [graph, "--no-probes", "--metric", "roc_auc"])
    assert "- Scored by ROC AUC (chance 50.0 %)." in result.stdout
    wrong = CliRunner().invoke(app, [graph, "--no-probes", "--metric", "auc"])
    assert isinstance(wrong.exception, InputError)
    assert "--metric 'auc' is not a choice" in str(wrong.exception)
