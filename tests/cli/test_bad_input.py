"""What must not happen at the command line: tracebacks, silent nonsense, lost files."""

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

QUICK = ("--set", "epochs=5", "--set", "K=2", "--set", "hidden_channels=8", "--set", "direction=out")
QUICK += ("--set", "adjacency_embedding=false")


@pytest.fixture
def given(tables: Path) -> tuple[Any, ...]:
    return ("--edges", tables / "edges.csv", "--nodes", tables / "nodes.csv", "--label", "topic")


@pytest.fixture
def run(lsgnn: Any, tables: Path, given: tuple[Any, ...]) -> Path:
    assert lsgnn("fit", *given, *QUICK, "--out", tables / "run").code == 0
    return tables / "run"


def test_a_usage_error_is_one_line_too(lsgnn: Any) -> None:
    for arguments in (("fit", "--bogus"), ("fit", "fsbm", "--members", "0"), ("nonsense",)):
        result = lsgnn(*arguments)
        assert result.code == 2
        assert result.err.startswith("error: ")
        assert result.err.count("\n") == 1


def test_what_would_be_ignored_is_an_error(lsgnn: Any, given: tuple[Any, ...]) -> None:
    for arguments, told in (
        (("fit", *given, "--model", "auto", "--minutes", "nan"), "--minutes nan is out of range"),
        (("fit", *given, "--model", "auto", "--minutes", "inf"), "--minutes inf is out of range"),
        (("tune", *given, "--model", "trees", "--space", "extended", "--trials", "2"), "space='extended' is LSGNN's"),
        (("compare", *given, "--models", "mlp,mlp"), "'mlp' is there twice: name each model once"),
        (("compare", *given, "--models", ""), "there is no model to compare"),
    ):
        result = lsgnn(*arguments)
        assert result.code == 2
        assert told in result.err


def test_a_pipe_or_device_is_not_replaced(lsgnn: Any, run: Path) -> None:
    pipe = run.parent / "pipe.csv"
    os.mkfifo(pipe)
    result = lsgnn("predict", run, "--out", pipe)
    assert result.code == 2
    assert "is a device or a pipe" in result.err
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_outputs_are_checked_before_anything_is_trained(lsgnn: Any, given: tuple[Any, ...], tables: Path) -> None:
    result = lsgnn("predict", "no-such-run", "--out", tables / "nodir" / "p.csv")
    assert "nodir does not exist" in result.err  # nothing was read yet
    for wrong in (("--predictions", tables / "p.txt"), ("--report", tables / "nodir" / "r.html")):
        result = lsgnn("fit", *given, *QUICK, "--out", tables / "r1", *wrong)
        assert result.code == 2
        assert not (tables / "r1").exists()


def test_feature_columns_are_matched_by_name(lsgnn: Any, run: Path, given: tuple[Any, ...], tables: Path) -> None:
    lsgnn("predict", run, "--out", tables / "right.csv")
    header, *rows = (line.split(",") for line in (tables / "nodes.csv").read_text().splitlines())
    turned = [0, 1, *range(len(header) - 1, 1, -1)]
    text = "".join(",".join(row[c] for c in turned) + "\n" for row in (header, *rows))
    (tables / "nodes.csv").write_text(text)
    result = lsgnn("predict", run, *given, "--out", tables / "turned.csv")
    assert result.code == 0, result.err
    assert (tables / "turned.csv").read_text() == (tables / "right.csv").read_text()
    (tables / "nodes.csv").write_text(text.replace(",f3", ",other"))
    result = lsgnn("predict", run, *given)
    assert result.code == 2
    assert "no feature column 'f3'" in result.err


def test_a_model_of_structural_features_stays_with_its_graph(lsgnn: Any, tables: Path) -> None:
    rows = [line.split(",")[:2] for line in (tables / "nodes.csv").read_text().splitlines()]
    (tables / "bare.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    bare = ("--edges", tables / "edges.csv", "--nodes", tables / "bare.csv", "--label", "topic")
    assert lsgnn("fit", *bare, *QUICK, "--out", tables / "run").code == 0
    result = lsgnn("predict", tables / "run", *bare)
    assert result.code == 2
    assert "spectral coordinates of its own graph" in result.err


def test_columns_mean_something_wherever_they_are_passed(lsgnn: Any, run: Path, tables: Path) -> None:
    result = lsgnn("predict", run, "--column", "features=f0")
    assert result.code == 2
    assert "--column goes with --edges TABLE" in result.err
    (tables / "new.csv").write_text("id,f5,f4,f3,f2,f1,f0\nnew,1,0,0,0,0,0\n")
    (tables / "links.csv").write_text("weightless,to,from\n1,page3,new\n")
    roles = ("--column", "source=from", "--column", "target=to")
    attach = ("predict", run, "--attach", "--nodes", tables / "new.csv", "--edges", tables / "links.csv", *roles)
    assert lsgnn(*attach, "--out", tables / "p.csv").code == 0
    assert (tables / "p.csv").read_text().splitlines()[1].strip('"').startswith("new")


def test_an_edge_in_place_of_the_header_is_noticed(lsgnn: Any, given: tuple[Any, ...], tables: Path) -> None:
    lines = (tables / "edges.csv").read_text().splitlines()
    (tables / "edges.csv").write_text("\n".join(lines[1:]) + "\n")
    result = lsgnn("fit", *given, *QUICK)
    assert result.code == 2
    assert "looks like data" in result.err


def test_json_is_json_even_where_there_is_nothing_to_score(lsgnn: Any, given: tuple[Any, ...], tables: Path) -> None:
    header, *rows = (tables / "nodes.csv").read_text().splitlines()
    part = ("train", "train", "val", "val")
    split = [f"{row},{part[i % 4] if row.split(',')[1] else ''}" for i, row in enumerate(rows)]
    (tables / "nodes.csv").write_text("\n".join([f"{header},part", *split]) + "\n")
    result = lsgnn("evaluate", *given, "--column", "split=part", *QUICK, "--json")
    assert result.code == 2
    assert "no labelled test node to score" in result.err
    fitted = lsgnn("fit", *given, "--column", "split=part", *QUICK, "--json")
    assert "test_accuracy" not in json.loads(fitted.out)["metrics"]


def test_folders_and_files_in_the_wrong_place_are_errors_not_tracebacks(lsgnn: Any, tables: Path) -> None:
    (tables / "folder").mkdir()
    wrong = [
        ("compare", "fsbm", "--models", "majority", "--store", tables / "nodes.csv"),
        ("tune", "fsbm", "--trials", "1", "--set", "epochs=1", "--storage", tables / "folder"),
        ("demo", "--out", tables / "nodes.csv"),
        ("evaluate", "fsbm", "--splits", "0,0"),
        ("tune", "fsbm", "--model", "sgc", "--preset", "released", "--trials", "1"),
    ]
    for arguments in wrong:
        result = lsgnn(*arguments)
        assert result.code == 2, arguments
        assert result.err.startswith("error: ")
        assert "Traceback" not in result.err


def test_a_binary_table_is_one_line(lsgnn: Any, tables: Path) -> None:
    (tables / "noise.csv").write_bytes(bytes(range(256)) * 12)
    result = lsgnn("fit", "--edges", tables / "noise.csv", "--nodes", tables / "nodes.csv")
    assert result.code == 2
    assert result.err.count("\n") == 1


def test_settings_of_a_peer_are_not_taken_for_those_of_lsgnn(lsgnn: Any, tables: Path) -> None:
    quick = ("--trials", "1", "--splits", "0", "--set", "epochs=1")
    assert lsgnn("tune", "fsbm", "--model", "sgc", *quick, "--export", tables / "sgc.toml").code == 0
    result = lsgnn("fit", "fsbm", "--preset", tables / "sgc.toml", "--model", "lsgnn")
    assert result.code == 2
    assert "settings of 'sgc', not of 'lsgnn': pass --model sgc" in result.err
    fitted = lsgnn("fit", "fsbm", "--preset", tables / "sgc.toml", "--json")
    assert fitted.json["model"] == "sgc"  # the file says whose settings it holds


def test_a_saved_run_can_be_read_by_colleagues(run: Path) -> None:
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in run.iterdir()}
    assert len(set(modes.values())) == 1, modes


def test_a_flipped_bit_in_the_weights_of_a_run_is_one_line(lsgnn: Any, run: Path) -> None:
    weights = bytearray((run / "model.safetensors").read_bytes())
    weights[-7] ^= 1
    (run / "model.safetensors").write_bytes(weights)
    out = run.parent / "p.csv"
    commands = (
        ("predict", run, "--out", out),
        ("explain", run, "--node", "page3"),
        ("export", run, "--onnx", run.parent / "m.onnx"),
    )
    for arguments in commands:
        result = lsgnn(*arguments)
        assert result.code == 2, arguments
        assert "model.safetensors is damaged" in result.err
        assert result.err.count("\n") == 1
    assert not out.exists()


def test_a_file_of_the_users_own_stays_in_the_folder_of_a_run(lsgnn: Any, run: Path, given: tuple[Any, ...]) -> None:
    (run / "thesis.tex").write_text("ten years of work")
    before = (run / "model.safetensors").read_bytes()
    result = lsgnn("fit", *given, *QUICK, "--set", "seed=1", "--out", run)
    assert result.code == 0, result.err
    assert (run / "thesis.tex").read_text() == "ten years of work"
    assert (run / "model.safetensors").read_bytes() != before
    assert lsgnn("explain", run, "--node", "page3").code == 0


def test_a_folder_that_cannot_take_the_run_is_refused_before_any_work(lsgnn: Any, tables: Path) -> None:
    (tables / "mine").mkdir()
    (tables / "mine" / "thesis.tex").touch()
    for out, words in (("mine", "exists and is not a run"), ("n" * 300, "is too long for this disk")):
        result = lsgnn("fit", "--edges", "nowhere.csv", "--out", tables / out)
        assert result.code == 2
        assert words in result.err


LONG = "n" * 300


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "fsbm", "--predictions", f"{LONG}.csv"),
        ("fit", "fsbm", "--report", f"{LONG}.html"),
        ("fit", f"{LONG}.npz"),
        ("fit", LONG),
        ("fit", "--edges", f"{LONG}.csv"),
        ("fit", "fsbm", "--preset", f"{LONG}.toml"),
        ("predict", LONG),
        ("explain", LONG, "--node", "1"),
        ("export", LONG, "--onnx", "m.onnx"),
        ("tune", "fsbm", "--storage", LONG),
        ("tune", "fsbm", "--export", f"{LONG}.toml"),
        ("compare", "fsbm", "--models", "majority", "--store", LONG),
        ("evaluate", "fsbm", "--out", f"{LONG}.json"),
        ("diagnose", "fsbm", "--out", f"{LONG}.html"),
        ("demo", "--out", LONG),
        ("predict", "/".join(["deep"] * 1000)),
    ],
)
def test_a_name_that_is_too_long_is_one_short_line(lsgnn: Any, arguments: tuple[str, ...]) -> None:
    result = lsgnn(*arguments)
    assert result.code == 2
    assert "too long" in result.err
    assert result.err.count("\n") == 1
    assert len(result.err) < 300, result.err


@pytest.mark.parametrize(
    ("command", "setting"),
    [
        ("fit", "hidden_channels=100000000000"),
        ("fit", "hidden_channels=1000000000000000000000000000000"),
        ("fit", "K=100000000"),
        ("fit", "epochs=1000000000000"),
        ("fit", "reduce_layers=1000000000000"),
        ("evaluate", "hidden_channels=100000000000"),
        ("evaluate", "epochs=1000000000000"),
        ("tune", "hidden_channels=100000000000"),
        ("tune", "epochs=1000000000000"),
    ],
)
def test_settings_that_no_memory_holds_are_refused_at_once(
    lsgnn: Any, given: tuple[Any, ...], command: str, setting: str
) -> None:
    result = lsgnn(command, *given, "--set", setting)
    name, _, value = setting.partition("=")
    assert result.code == 2
    assert f"{name}={value}" in result.err
    assert " of memory, but there are " in result.err
    assert re.search(rf": lower [\w ]*\b{name}\b", result.err)
    assert result.err.count("\n") == 1


def test_a_run_that_does_not_fit_into_memory_says_how_much_it_needs(
    lsgnn: Any, run: Path, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tables / "new.csv").write_text("id,f0,f1,f2,f3,f4,f5\nnew,1,0,0,0,0,0\n")
    (tables / "links.csv").write_text("source,target\nnew,page3\n")
    attach = ("--attach", "--nodes", tables / "new.csv", "--edges", tables / "links.csv")
    monkeypatch.setattr("lsgnn.memory.available_memory", lambda: 1000)
    monkeypatch.setattr("lsgnn.memory.ASKED_FROM", 0)
    for arguments in (("predict", run), ("predict", run, *attach), ("explain", run, "--node", "page3")):
        result = lsgnn(*arguments, *(("--out", tables / "p.csv") if arguments[0] == "predict" else ()))
        assert result.code == 2
        assert "of memory, but there are 1 KB" in result.err
        assert result.err.count("\n") == 1
    assert not (tables / "p.csv").exists()


@pytest.mark.parametrize("setting", ["hidden_channels=1000000000000000", "epochs=1000000000000000"])
def test_memory_that_is_refused_all_the_same_is_one_line(
    lsgnn: Any, given: tuple[Any, ...], setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lsgnn.memory.available_memory", lambda: None)  # torch and numpy have to find out
    result = lsgnn("fit", *given, *QUICK, "--set", setting)
    assert result.code == 2
    assert result.err.startswith("error: there is not enough memory (")
    assert result.err.count("\n") == 1


def test_files_and_paths_of_every_wrong_kind_are_one_line(lsgnn: Any, tables: Path) -> None:
    edges = tables / "edges.csv"
    arrays: dict[str, Any] = {"x": np.eye(2), "y": np.array([0, 1]), "edge_index": np.array([[0], [1]])}
    np.savez(tables / "name.npz", **arrays, class_names=np.array("cat"))
    csr = {"x_data": np.ones(1), "x_indices": np.zeros(1, int), "x_indptr": np.array([0, 1, 1])}
    np.savez(tables / "csr.npz", y=arrays["y"], edge_index=arrays["edge_index"], **csr, x_shape=np.array([2, 10**12]))
    contents = {"empty.csv": b"", "newlines.csv": b"\n\n", "mark.csv": b"\xef\xbb\xbf", "header.csv": b"id,f"}
    contents |= {"names.csv": b'""\n', "utf16.csv": "id,f\na,1\n".encode("utf-16"), "cut.parquet": b"PAR1"}
    for name, content in contents.items():
        (tables / name).write_bytes(content)
    long = tables / ("a" * 5000)
    wrong: list[tuple[Any, ...]] = [("diagnose", tables / "name.npz"), ("diagnose", tables / "csr.npz")]
    wrong += [("diagnose", f"{long}.npz"), ("fit", "--edges", f"{long}.csv"), ("diagnose", "~nobody-here/g.npz")]
    wrong += [("diagnose", "--edges", tables / name) for name in contents]
    wrong += [("diagnose", "--edges", edges, "--nodes", tables / name) for name in contents]
    for arguments in wrong:
        result = lsgnn(*arguments)
        assert result.code == 2, arguments
        assert result.err.startswith("error: "), arguments
        assert result.err.count("\n") == 1, arguments
