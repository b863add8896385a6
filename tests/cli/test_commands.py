"""Real commands through the real entry point."""

import csv
import json
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

QUICK = ("--set", "epochs=15", "--set", "K=2", "--set", "hidden_channels=8", "--set", "lr=0.05")


def test_from_two_tables_to_predictions_keyed_by_the_users_ids(lsgnn: Any, tables: Path) -> None:
    given = ("--edges", tables / "edges.csv", "--nodes", tables / "nodes.csv", "--label", "topic")
    result = lsgnn("fit", *given, *QUICK, "--out", tables / "run", "--predictions", tables / "p.csv")
    assert result.code == 0, result.err
    assert "test accuracy" in result.out
    rows = list(csv.DictReader((tables / "p.csv").read_text().splitlines()))
    assert len(rows) == 60
    assert rows[7]["id"] == "page7"
    assert {row["prediction"] for row in rows} == {"cat", "dog"}
    assert float(rows[0]["p(cat)"]) + float(rows[0]["p(dog)"]) == pytest.approx(1, abs=1e-4)
    again = lsgnn("predict", tables / "run", "--out", tables / "p.parquet", "--json")
    assert again.json["nodes"] == 60
    assert pq.read_table(tables / "p.parquet")["prediction"].to_pylist() == [row["prediction"] for row in rows]


def test_columns_of_any_name_can_take_any_part(lsgnn: Any, tables: Path) -> None:
    _, *rows = (tables / "edges.csv").read_text().splitlines()
    (tables / "edges.csv").write_text("strength,a,b\n" + "".join(f"2,{row}\n" for row in rows))
    given = ("--edges", tables / "edges.csv", "--nodes", tables / "nodes.csv", "--label", "topic", *QUICK)
    named = [
        word for role in ("source=a", "target=b", "weight=strength", "features=f0,f1") for word in ("--column", role)
    ]
    result = lsgnn("fit", *given, *named, "--out", tables / "run")
    assert result.code == 0, result.err
    from lsgnn import Run

    graph = Run.load(tables / "run").graph
    assert graph.num_features == 2
    assert graph.edge_weight is not None
    assert set(graph.edge_weight.tolist()) == {2.0}
    wrong = lsgnn("fit", *given, "--column", "sauce=a")
    assert wrong.code == 2
    assert "'sauce=a' names no column: write ROLE=NAME with ROLE one of source, target" in wrong.err


def test_several_members_report_their_gain_on_validation(lsgnn: Any) -> None:
    result = lsgnn("fit", "fsbm", *QUICK, "--members", "2")
    assert "ensemble of 2 seeds: " in result.out
    assert " points on validation over one (" in result.out


def test_fit_reports_one_json_document(lsgnn: Any, tables: Path) -> None:
    given = ("--edges", tables / "edges.csv", "--nodes", tables / "nodes.csv", "--label", "topic")
    result = lsgnn("fit", *given, *QUICK, "--json").json
    assert result["metrics"]["val_accuracy"] > 0.5
    assert result["epochs"] == 15
    assert set(result["environment"]) >= {"torch", "lsgnn", "python"}


def test_evaluate_prints_the_documented_json(lsgnn: Any, tmp_path: Path) -> None:
    result = lsgnn("evaluate", "fsbm", "--splits", "0,1", "--set", "epochs=10", "--json", "--out", tmp_path / "r.json")
    assert result.code == 0, result.err
    document = result.json
    assert document["dataset"] == "fsbm"
    assert document["preset"] == "default"
    assert document["splits"] == [0, 1]
    assert set(document["test_accuracy"]) == {"mean", "std", "per_split"}
    assert len(document["test_accuracy"]["per_split"]) == 2
    assert document["seconds"] > 0
    assert json.loads((tmp_path / "r.json").read_text()) == document


def test_datasets_are_listed_with_their_cautions(lsgnn: Any) -> None:
    assert "squirrel-filtered" in lsgnn("datasets").out
    assert "Texas" in lsgnn("datasets", "cornell").out
    assert {entry["name"] for entry in lsgnn("datasets", "--json").json} >= {"cora", "ogbn-arxiv", "debian"}


def test_tune_writes_a_preset_that_evaluate_reads(lsgnn: Any, tmp_path: Path) -> None:
    quick = ("--set", "epochs=3", "--splits", "0,1")
    tuned = lsgnn("tune", "fsbm", "--trials", 2, *quick, "--export", tmp_path / "p.toml", "--json")
    assert tuned.code == 0, tuned.err
    assert len(tuned.json["trials"]) == 2
    assert set(tuned.json["test"]) == {"one configuration for all splits", "each split its own"}
    result = lsgnn("evaluate", "fsbm", "--preset", tmp_path / "p.toml", "--splits", "0", "--json")
    assert result.json["config"]["lr"] == tuned.json["chosen"]["lr"]


def test_tune_can_judge_by_several_deals_of_the_nodes_that_train_and_validate(lsgnn: Any) -> None:
    tuned = lsgnn("tune", "fsbm", "--trials", 1, "--set", "epochs=2", "--splits", "1,2", "--resample", 2, "--json")
    assert tuned.code == 0, tuned.err
    assert len(tuned.json["trials"][0]["val"]) == 4
    assert set(tuned.json["test"]) == {"one configuration for all splits"}
    assert len(tuned.json["test"]["one configuration for all splits"]["test_accuracy"]["per_split"]) == 2


def test_compare_ranks_models_on_one_graph(lsgnn: Any) -> None:
    board = lsgnn("compare", "fsbm", "--models", "majority,sgc", "--splits", "0,1", "--json").json
    assert {row["model"] for row in board["models"]} == {"majority", "sgc"}
    assert board["chosen"]["model"] == "sgc"


def test_the_command_that_compare_suggests_fits_the_winner(lsgnn: Any, tables: Path) -> None:
    graph = ("--edges", tables / "edges.csv", "--nodes", tables / "nodes.csv", "--label", "topic")
    changes = ("--set", "epochs=3", "--set", "sgc.K=1")
    board = lsgnn("compare", *graph, "--models", "mlp,sgc", "--splits", "0,1", *changes, "--out", tables / "board.json")
    assert board.code == 0, board.err
    assert "| test recall, % | cat | dog |" in board.out
    document = json.loads((tables / "board.json").read_text())
    assert board.out.splitlines()[-1] == f"next: {document['fit_command']}"
    (chosen,) = (row for row in document["models"] if row["model"] == document["chosen"]["model"])
    found = lsgnn(*shlex.split(document["fit_command"])[1:], "--out", tables / "run")
    assert found.code == 0, found.err
    from lsgnn import Run

    run = Run.load(tables / "run")
    assert (run.model, run.config.to_dict()) == (chosen["model"], chosen["config"])


def test_compare_tunes_every_model_and_goes_on_from_its_store(lsgnn: Any, tmp_path: Path) -> None:
    arguments = ("fsbm", "--models", "majority,sgc", "--splits", "0", "--set", "epochs=2", "--tune", 2)
    first = lsgnn("compare", *arguments, "--store", tmp_path, "--json")
    assert first.code == 0, first.err
    assert first.json["tuning_trials"] == 2
    assert len(list(tmp_path.rglob("studies/sgc-*.db"))) == 1
    again = lsgnn("compare", *arguments, "--store", tmp_path, "--json")
    assert again.json["models"] == first.json["models"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fit",), "which graph?"),
        (("fit", "no-such-graph"), "there is no dataset 'no-such-graph'"),
        (("fit", "none.npz"), "none.npz"),
        (("fit", "--edges", "none.csv"), "none.csv"),
        (("fit", "fsbm", "--nodes", "x.csv"), "--nodes goes with --edges"),
        (("fit", "fsbm", "--set", "gama=1"), "did you mean 'gamma'"),
        (("fit", "fsbm", "--set", "gamma"), "has no '='"),
        (("fit", "fsbm", "--set", "gamma=2"), "gamma=2.0 is out of range"),
        (("fit", "fsbm", "--split", "99"), "split 99 does not exist"),
        (("fit", "fsbm", "--engine", "gpu"), "--engine 'gpu' is not a choice"),
        (("evaluate", "fsbm", "--splits", "x"), "--splits 'x'"),
        (("evaluate", "fsbm", "--preset", "mine"), "has no preset 'mine'"),
        (("predict", "no-run"), "no-run is not a run"),
        (("compare", "fsbm", "--models", "gcm"), "or 'gcn'?"),
        (("compare", "fsbm", "--models", "sgc", "--set", "sgc.k=3"), "sgc does not have a hyperparameter 'k'"),
        (("compare", "fsbm", "--models", "sgc", "--set", "gcn.lr=3"), "'gcn', which is not compared"),
        (("compare", "fsbm", "--models", "sgc", "--set", "epoch=3"), "did you mean 'epochs'?"),
        (("compare", "fsbm", "--models", "sgc", "--set", "sgc.lr=-1"), "lr=-1.0 is out of range"),
        (("tune", "fsbm", "--space", "all"), "--space 'all' is not a choice"),
        (("tune", "fsbm", "--minutes", "-1"), "--minutes -1 is out of range"),
        (("fit", "fsbm", "--no-stop-early"), "--no-stop-early is for a search over models: pass --model auto too"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(lsgnn: Any, arguments: tuple[str, ...], words: str) -> None:
    result = lsgnn(*arguments)
    assert result.code == 2
    assert words in result.err
    assert result.err.strip().count("\n") == 0
    assert "Traceback" not in result.err
    assert result.out == ""


def test_a_failed_fit_leaves_an_earlier_run_as_it_was(lsgnn: Any, tables: Path) -> None:
    assert lsgnn("fit", "fsbm", *QUICK, "--out", tables / "run").code == 0
    before = {file.name: file.read_bytes() for file in (tables / "run").iterdir()}
    assert lsgnn("fit", "fsbm", "--set", "K=0", "--out", tables / "run").code == 2
    assert {file.name: file.read_bytes() for file in (tables / "run").iterdir()} == before
    (tables / "mine").mkdir()
    (tables / "mine" / "thesis.tex").write_text("…")
    refused = lsgnn("fit", "fsbm", *QUICK, "--out", tables / "mine")
    assert refused.code == 2
    assert (tables / "mine" / "thesis.tex").exists()


def test_help_answers_at_once() -> None:
    def cpu_seconds() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    costs = []
    for _ in range(3):
        before = cpu_seconds()
        done = subprocess.run([sys.executable, "-m", "lsgnn", "--help"], capture_output=True, text=True, check=True)
        costs.append(cpu_seconds() - before)
    assert "evaluate" in done.stdout
    assert min(costs) < 0.5
    code = "import sys, lsgnn.cli.main; sys.exit('torch' in sys.modules or 'numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_table_named_like_a_dataset_is_still_the_users_own(lsgnn: Any, tables: Path) -> None:
    (tables / "edges.csv").rename(tables / "texas.csv")
    result = lsgnn("fit", "--edges", tables / "texas.csv", "--nodes", tables / "nodes.csv", "--label", "topic", *QUICK)
    assert result.code == 0, result.err
    assert "chosen by validation accuracy" in result.err  # nobody said which direction


def test_formulas_are_noted_and_made_harmless_if_asked(lsgnn: Any, tables: Path) -> None:
    for file in ("edges.csv", "nodes.csv"):
        text = (tables / file).read_text()
        (tables / file).write_text(text.replace("page", "=page").replace("dog", "@dog"))
    given = ("--edges", tables / "edges.csv", "--nodes", tables / "nodes.csv", "--label", "topic")
    quick = ("--set", "epochs=3", "--set", "K=2", "--set", "direction=out", "--out", tables / "run")
    noted = lsgnn("fit", *given, *quick, "--predictions", tables / "p.csv")
    assert noted.code == 0
    assert "note: a spreadsheet program takes '=page0' (id) for a formula, and 59 more" in noted.err
    assert '"=page3","' in (tables / "p.csv").read_text()
    for arguments in (
        ("fit", *given, *quick, "--predictions", tables / "safe.csv"),
        ("predict", tables / "run", "--out", tables / "safe.csv"),
    ):
        (tables / "safe.csv").unlink(missing_ok=True)
        safe = lsgnn(*arguments, "--spreadsheet-safe")
        assert safe.code == 0, safe.err
        assert "formula" not in safe.err
        assert '"\'=page3","' in (tables / "safe.csv").read_text()
        assert '"@dog"' not in (tables / "safe.csv").read_text()
    alone = lsgnn("fit", *given, *quick, "--spreadsheet-safe")
    assert alone.code == 2
    assert "pass --predictions FILE too" in alone.err
