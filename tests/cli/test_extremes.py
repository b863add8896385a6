"""Extreme weights and features at the command line: the right answer, or one line that blames what is to blame."""

import csv
from pathlib import Path
from typing import Any

import pytest

QUICK = ("--set", "epochs=5", "--set", "K=2", "--set", "hidden_channels=8", "--set", "direction=undirected")
QUICK += ("--set", "adjacency_embedding=false")


@pytest.fixture
def given(tables: Path) -> tuple[Any, ...]:
    return ("--edges", tables / "edges.csv", "--nodes", tables / "nodes.csv", "--label", "topic")


def weigh(tables: Path, *weights: str, repeated: int = 0) -> None:
    """Gives the edges these weights in turn, and repeats the first ones."""
    with (tables / "edges.csv").open() as file:
        header, *rows = csv.reader(file)
    weighed = [[*row[:2], weights[e % len(weights)]] for e, row in enumerate(rows)]
    with (tables / "edges.csv").open("w") as file:
        csv.writer(file).writerows([[*header[:2], "weight"], *weighed, *weighed[:repeated]])


def test_weights_whose_sums_overflow_classify_as_small_ones_do(lsgnn: Any, tables: Path, given: Any) -> None:
    predicted = []
    for size in ("", "e-30", "e38"):
        weigh(tables, f"1{size}", f"2{size}", f"3{size}")
        result = lsgnn("fit", *given, *QUICK, "--set", "degree=plain", "--predictions", tables / "p.csv")
        assert result.code == 0, result.err
        with (tables / "p.csv").open() as file:
            predicted.append([float(row["confidence"]) for row in csv.DictReader(file)])
    assert predicted[1] == pytest.approx(predicted[0], abs=1e-3)
    assert predicted[2] == pytest.approx(predicted[0], abs=1e-3)


def test_repeated_edges_that_overflow_together_are_named(lsgnn: Any, tables: Path, given: Any) -> None:
    first = (tables / "edges.csv").read_text().splitlines()[1].split(",")
    weigh(tables, "2e38", repeated=1)
    result = lsgnn("fit", *given, *QUICK)
    assert result.code == 2
    assert f"the edge '{first[0]}' → '{first[1]}' stands 2 times" in result.err
    assert "divide all weights" in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_weights_that_are_read_as_they_are_get_the_blame(lsgnn: Any, tables: Path, given: Any, command: str) -> None:
    weigh(tables, "1e38")
    result = lsgnn(command, *given, *QUICK, "--set", "adjacency_embedding=true")
    assert result.code == 2
    assert "has weight 1e+38, but adjacency_embedding reads weights as they are" in result.err
    assert "lr" not in result.err


def test_a_feature_that_no_training_takes_gets_the_blame(lsgnn: Any, tables: Path, given: Any) -> None:
    lines = (tables / "nodes.csv").read_text().splitlines()
    cells = lines[8].split(",")
    lines[8] = ",".join([*cells[:4], "1e30", *cells[5:]])
    (tables / "nodes.csv").write_text("\n".join(lines) + "\n")
    result = lsgnn("fit", *given, *QUICK, "--set", "feature_norm=none")
    assert result.code == 2
    assert f"node '{cells[0]}' has 1e+30 in feature 'f2'" in result.err
    assert "set feature_norm to l2 or standard" in result.err
    assert lsgnn("fit", *given, *QUICK, "--set", "feature_norm=standard").code == 0


def test_a_search_of_which_nothing_can_be_trained_says_why(lsgnn: Any, tables: Path, given: Any) -> None:
    weigh(tables, "1e38")
    quick = ("--trials", "1", "--splits", "0", "--set", "epochs=1", "--set", "adjacency_embedding=true")
    result = lsgnn("tune", *given, *quick)
    assert result.code == 2
    assert "has weight 1e+38, but adjacency_embedding reads weights as they are" in result.err
