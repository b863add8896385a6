"""The table of benchmarks/best_answer.py: which lines count, and what it admits."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.best_answer_code import code_of
from benchmarks.best_answer_table import FOOTNOTE, table_of
from lsgnn.lines import LineFile

NOW = code_of("default")


@pytest.fixture
def results(tmp_path: Path) -> LineFile:
    return LineFile(tmp_path / "results.jsonl")


def add(results: LineFile, what: str, split: int, test: float, **more: Any) -> None:
    about = {"what": what, "graph": "texas", "split": split, "metric": "accuracy", "cpu_seconds": 90.0}
    results.add(f"{what} {split} {more.get('model')} {more.get('code')}", about | {"test": test} | more)


def row(results: LineFile) -> list[str]:
    found = next(line for line in table_of(results.path).splitlines() if line.startswith("| texas"))
    return [cell.strip() for cell in found.strip("|").split("|")]


def test_lines_of_todays_code_count_alone_and_models_on_their_splits(results: LineFile) -> None:
    add(results, "default", 0, 80.0, code=NOW)
    add(results, "default", 1, 10.0, code="before")
    add(results, "zoo", 0, 85.0, model="gcn", code="a")
    add(results, "zoo", 1, 99.0, model="gcn", code="b")  # not a split of the default's
    add(results, "zoo", 1, 99.0, model="mlp")
    assert row(results)[2:7] == ["1", "80.00", "GCN 85.00 (of 1)", "+5.00", "90"]
    assert FOOTNOTE not in table_of(results.path)


def test_where_there_are_none_earlier_ones_count_and_are_marked(results: LineFile) -> None:
    add(results, "default", 0, 80.0, code="before")
    add(results, "default", 1, 70.0)
    assert row(results)[2:5] == ["2", "75.00 ¹", ""]
    assert FOOTNOTE in table_of(results.path)


def test_auto_says_what_it_used(results: LineFile) -> None:
    add(results, "default", 0, 80.0, code=NOW)
    for split, test in enumerate((81.0, 83.0)):
        alone = {"gcn": 79.0 + split, "mlp": 80.0}
        add(results, "auto", split, test, code=code_of("auto"), trials=100 + split, single_tuned_test=alone)
    assert row(results)[7:] == ["82.00 (2 splits, 100 trials, 1.5 min of a core)", "MLP 80.00"]


def test_auto_on_fewer_splits_is_compared_on_those(results: LineFile) -> None:
    for split, test in enumerate((80.0, 70.0)):
        add(results, "default", split, test, code=NOW)
    add(results, "auto", 1, 83.0, code=code_of("auto"), trials=100, single_tuned_test={"gcn": 79.0})
    assert row(results)[7] == "83.00 (1 split, 100 trials, 1.5 min of a core; default `fit` there 70.00)"
