"""The published numbers: complete, and consistent with the averages the paper prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from lsgnn import zoo
from paper.page import Score
from paper.published import nine, our_row, published, published_row


def rows(table: Mapping[str, Any], name: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    if "scores" in table:
        yield name, table
        return
    for key, value in table.items():
        if isinstance(value, dict):
            yield from rows(value, f"{name}/{key}")


@pytest.mark.parametrize(("name", "entry"), list(rows(published())))
def test_every_row_has_nine_scores_and_the_average_the_paper_prints(name: str, entry: Mapping[str, Any]) -> None:
    assert len(entry["scores"]) == len(nine()) == 9
    # the paper rounds halves either way
    assert sum(entry["scores"]) / 9 == pytest.approx(entry["average"], abs=0.0101)


def test_rows_of_the_main_table_name_models_of_the_zoo() -> None:
    assert {entry["zoo"] for entry in published()["main"].values()} <= set(zoo.names())
    assert published()["main"]["LSGNN"]["average"] == 79.21


def test_rows_say_whose_numbers_they_hold() -> None:
    assert published_row("LSGNN", published()["main"]["LSGNN"]).source == "published"
    assert our_row("LSGNN", {}).source == "ours"


def test_our_average_waits_for_all_datasets() -> None:
    half = our_row("LSGNN", {"texas": [80.0, 90.0]})
    assert half.cells[nine().index("texas")] == Score(85.0, 5.0)
    assert half.cells[-1] is None
    full = our_row("LSGNN", {name: [float(i)] for i, name in enumerate(nine())})
    assert full.cells[-1] == Score(4.0)
