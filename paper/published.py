"""The paper's own numbers, from `published.toml`, as rows that say so."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from paper.page import Cell, Row, Score

PUBLISHED, OURS = "published", "ours"
SHARED = (  # what a caption must say of one configuration for all splits
    "one configuration for all splits is chosen by the mean over splits, and most test nodes of a split are validation "
    "nodes of another"
)
CORRECTED = ("cornell-fixed", "chameleon-filtered", "squirrel-filtered")  # with the right nodes, or without twins
OTHERS = (*CORRECTED, "tolokers", "arxiv-2023", "arxiv-2023-year")  # tuned besides the nine
TITLES = {
    **{"cora": "Cora", "citeseer": "Citeseer", "pubmed": "Pubmed", "chameleon": "Chameleon", "squirrel": "Squirrel"},
    **{"actor": "Actor", "cornell": "Cornell (2021)", "texas": "Texas", "wisconsin": "Wisconsin"},
    **{"cornell-fixed": "Cornell (fixed)", "chameleon-filtered": "Chameleon (filtered)"},
    **{"squirrel-filtered": "Squirrel (filtered)", "tolokers": "Tolokers"},
    **{"arxiv-2023": "arxiv-2023 by subject", "arxiv-2023-year": "arxiv-2023 by year"},
    **{"ogbn-arxiv": "ogbn-arxiv", "arxiv-year": "arxiv-year"},
}


@cache
def published() -> Mapping[str, Any]:
    return tomllib.loads((files("paper") / "published.toml").read_text("utf-8"))


def nine() -> tuple[str, ...]:
    """The nine datasets of the paper's tables, in its order."""
    return tuple(published()["datasets"])


def printed_lsgnn() -> dict[str, float]:
    """Dataset → what the paper prints for LSGNN."""
    return dict(zip(nine(), published()["main"]["LSGNN"]["scores"], strict=True))


def title(dataset: str) -> str:
    return TITLES.get(dataset, dataset)


def of_nine(count: int) -> str:
    """How many of the nine a mean is over, in words."""
    return "the nine datasets" if count == len(nine()) else f"{count} of nine datasets"


def extremes(gains: Mapping[str, float]) -> str:
    """Where a change does worst and where it does best."""
    worst, best = (choose(gains, key=lambda d: gains[d]) for choose in (min, max))
    return f"from {gains[worst]:+.1f} on {title(worst)} to {gains[best]:+.1f} on {title(best)}"


def nine_columns() -> tuple[str, ...]:
    """Titles of a table over the nine and their average."""
    return (*map(title, nine()), "Avg")


def published_row(label: str, entry: Mapping[str, Any]) -> Row:
    """A row of the paper over the nine datasets, with the average it prints."""
    cells = (*(Score(score) for score in entry["scores"]), Score(entry["average"]))
    return Row(label, cells, PUBLISHED)


def our_row(label: str, per_dataset: Mapping[str, Sequence[float] | None], datasets: Iterable[str] = ()) -> Row:
    """Our scores per split on each dataset (the nine by default), and the mean over the datasets if all have run."""
    cells: list[Cell] = []
    for dataset in tuple(datasets) or nine():
        scores = per_dataset.get(dataset)
        cells.append(Score.of(scores) if scores else None)
    return Row(label, (*cells, average(cells)), OURS)


def average(cells: Sequence[Cell]) -> Cell:
    """The mean of all scores, or None as long as one is missing."""
    scores = [cell.mean for cell in cells if isinstance(cell, Score)]
    return Score(sum(scores) / len(scores)) if scores and len(scores) == len(cells) else None
