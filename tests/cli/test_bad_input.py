"""What must not happen at the command line: tracebacks, silent nonsense, lost files."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

QUICK = ("--set", "epochs=5", "--set", "K=2", "--set", "hidden_channels=8", "--set", "direction=out")


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


def test_a_pipe_or_device_is_not_replaced(lsgnn: Any, run: Path) -> None:
    pipe = run.parent / "pipe.csv"
    os.mkfifo(pipe)
    result = lsgnn("predict", run, "--out", pipe)
    assert result.code == 2
    assert "is a device or a pipe" in result.err
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_outputs_are_checked_before_anything_is_trained(lsgnn: Any, given: tuple[Any, ...], tables: Path) -> None:
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
    result = lsgnn("fit", "fsbm", "--preset", tables / "sgc.toml")
    assert result.code == 2
    assert "settings of 'sgc'" in result.err


def test_a_saved_run_can_be_read_by_colleagues(run: Path) -> None:
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in run.iterdir()}
    assert len(set(modes.values())) == 1, modes


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
