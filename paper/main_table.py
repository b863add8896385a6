"""The main table: published rows, our runs of every model, and LSGNN tuned by us on validation nodes only.

Nothing is computed here. The rows come from `scripts/tune_datasets.py` (results/tuning) and `scripts/run_zoo.py`
(results/zoo); what has not run yet says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from lsgnn.zoo import get
from paper.deviations import deviations
from paper.frame import Experiment, Results
from paper.inputs import SPACES, Tuned, read_codes, read_shortened, read_tuned, read_zoo, tuned_lines, zoo_lines
from paper.page import Cell, Page, Row, Score, Table
from paper.peers import measured
from paper.provenance import mixed, mixed_rows
from paper.published import (
    CORRECTED,
    OURS,
    SHARED,
    nine,
    nine_columns,
    our_row,
    published,
    published_row,
    title,
)

Zoo: TypeAlias = Mapping[str, Mapping[str, list[float]]]  # dataset → model → test scores
BASELINES = (
    "models with the configuration of their own paper or code (LSGNN: as released), best validation accuracy (LSGNN: "
    "loss), not tuned"
)
TUNED = (
    "tuned LSGNN: configuration chosen by `lsgnn tune` on validation nodes, each test score read once (ensembles have "
    f"3 to 10 members; trials and validation: the page `tuning`); {SHARED}"
)


def render(results: Results) -> Page:
    root, tuned = results.root, read_tuned(results.root)
    zoo = {dataset: read_zoo(root, dataset) for dataset in (*nine(), *CORRECTED)}
    cut = _cut(root, nine())
    return Page(
        "The main table",
        (_main(root, tuned, zoo), _corrected(root, tuned, zoo), deviations(zoo, measured(Results(root, "peers")), cut)),
        _findings(tuned, zoo),
    )


def _main(root: Path, tuned: Sequence[Tuned], zoo: Zoo) -> Table:
    rows = [published_row(label, entry) for label, entry in published()["main"].items()]
    rows += [our_row(label, {d: zoo[d].get(model) for d in nine()}) for label, model in _models(zoo).items()]
    unranked = [our_row(label, scores) for label, scores in tuned_rows(tuned).items()]
    ranked = with_ranks(rows) + [Row(row.label, (*row.cells, "–"), row.source) for row in unranked]
    caption = (
        "Test accuracy (%), mean ± std over splits, and the mean rank among the rows of the same source (1 is best; "
        "ours: untuned; only rows without gaps). published: as printed in the LSGNN paper, "
        "which copied most rows from others: splits, directions and selection differ. "
        f"ours: {BASELINES}; {TUNED}; official Geom-GCN 48/32/20 splits, Cornell is the 2021 data (Texas's nodes on "
        "Cornell's edges) so that it compares. " + _budget(root, zoo, nine())
    )
    return Table("main", caption, "model", (*nine_columns(), "rank"), tuple(ranked), best="high")


def _corrected(root: Path, tuned: Sequence[Tuned], zoo: Zoo) -> Table:
    rows = [
        our_row(label, {d: zoo[d].get(model) for d in CORRECTED}, CORRECTED)
        for label, model in (_models(zoo) | {"Twin look-up": "twin_lookup", "Majority class": "majority"}).items()
    ]
    rows += [our_row(label, scores, CORRECTED) for label, scores in tuned_rows(tuned).items()]
    caption = (
        "The same on corrected data: Cornell with its own nodes, Chameleon and Squirrel without duplicate nodes "
        "(Platonov et al. 2023). The twin look-up copies the label of a training node with the same out-neighbours "
        f"and learns nothing. ours: {BASELINES}; {TUNED}; the datasets' own ten splits. "
        + _budget(root, zoo, CORRECTED)
    )
    columns = (*map(title, CORRECTED), "Avg")
    run = tuple(row for row in rows if any(row.cells))  # the paper has no rows here that a gap could hide
    return Table("main-corrected", caption, "model", columns, run, best="high")


def _models(zoo: Zoo) -> dict[str, str]:
    """Title → name in the zoo: the paper's models in its order, then every other that has run."""
    known = {label: entry["zoo"] for label, entry in published()["main"].items()}
    others = sorted({m for models in zoo.values() for m in models} - {*known.values(), "twin_lookup", "majority"})
    known |= {get(other).title: other for other in others}
    known["LSGNN, released configuration"] = known.pop("LSGNN")
    return known


def tuned_rows(tuned: Sequence[Tuned]) -> dict[str, dict[str, Sequence[float] | None]]:
    """Label → dataset → scores; a row per space and test protocol, and one empty row where nothing is tuned yet."""
    rows: dict[str, dict[str, Sequence[float] | None]] = {}
    for entry in tuned:
        if entry.model == "lsgnn" and entry.metric == "accuracy":
            label = f"LSGNN, tuned, {SPACES.get(entry.space, entry.space)}, {entry.rule}"
            rows.setdefault(label, {})[entry.dataset] = entry.test
    return rows or {f"LSGNN, tuned, {SPACES['paper']}": {}}


def with_ranks(rows: Sequence[Row]) -> list[Row]:
    """The rows with one more cell: the mean rank over the datasets among complete rows of the same source."""
    ranked = []
    for row in rows:
        rivals = [r for r in rows if r.source == row.source and all(isinstance(c, Score) for c in r.cells)]
        ranked.append(Row(row.label, (*row.cells, _rank(row, rivals)), row.source))
    return ranked


def _rank(row: Row, rivals: Sequence[Row]) -> Cell:
    if row not in rivals:
        return None
    ranks = []
    for column, own in enumerate(row.cells[:-1]):  # the last is the average
        assert isinstance(own, Score)
        others = [cell.mean for r in rivals if isinstance(cell := r.cells[column], Score)]
        above = sum(mean > own.mean for mean in others)
        ties = sum(mean == own.mean for mean in others)
        ranks.append(above + (ties + 1) / 2)
    return f"{sum(ranks) / len(ranks):.1f}"


def _budget(root: Path, zoo: Zoo, datasets: Sequence[str]) -> str:
    """How many splits and epochs there were, and which versions of a model, where it is not the same everywhere."""
    fewer = {(m, d): f"{len(s)} splits" for d in datasets for m, s in zoo[d].items() if len(s) < 10}
    cut = _cut(root, datasets)
    codes = {d: read_codes(root, d) for d in datasets}
    versions = {(m, d): told for d in datasets for m, splits in codes[d].items() if (told := mixed(splits))}
    notes = {
        "Fewer than ten splits": fewer,
        "Not the preset itself": cut,
        "Splits by different versions of the model": versions,
    }
    told = " ".join(f"{words}: {_grouped(where)}." for words, where in notes.items() if where)
    rows: dict[str, dict[str, str]] = {}
    for d, models in codes.items():
        for model, splits in models.items():
            if (model, d) not in versions:
                rows.setdefault(model, {})[title(d)] = next(iter(splits.values()))
    return told + mixed_rows(rows)


def _cut(root: Path, datasets: Sequence[str]) -> dict[tuple[str, str], str]:
    """(model, dataset) → which variant counts, and what is not as in the model's preset."""
    return {(model, d): what for d in datasets for model, what in read_shortened(root, d).items()}


def _grouped(notes: Mapping[tuple[str, str], str]) -> str:
    """(model, dataset) → note, as "note: dataset model, model; dataset model …", each note once."""
    found: dict[str, dict[str, list[str]]] = {}
    for (model, dataset), note in sorted(notes.items()):
        found.setdefault(note, {}).setdefault(title(dataset), []).append(model)
    return " | ".join(
        f"{note}: " + "; ".join(f"{dataset} {', '.join(models)}" for dataset, models in sorted(where.items()))
        for note, where in found.items()
    )


def _findings(tuned: Sequence[Tuned], zoo: Zoo) -> tuple[str, ...]:
    ours = {label: {d: zoo[d].get(model) for d in nine()} for label, model in _models(zoo).items()}
    means = {label: our_row(label, scores).cells[-1] for label, scores in (ours | tuned_rows(tuned)).items()}
    complete = {label: cell.mean for label, cell in means.items() if isinstance(cell, Score)}
    best = sorted(complete, key=lambda label: -complete[label])[:8]
    winners = filter(None, (_winner(dataset, zoo, tuned) for dataset in nine()))
    lines = []
    if best:
        averages = "; ".join(f"{label} {complete[label]:.2f}" for label in best)
        lines = [f"best on average over the nine ({OURS}): {averages}", f"best on each ({OURS}): {'; '.join(winners)}"]
    twins = {dataset: zoo[dataset].get("twin_lookup") for dataset in ("chameleon", "squirrel", *CORRECTED)}
    lines += [f"twin look-up on {title(d)}: {Score.of(scores)}" for d, scores in twins.items() if scores]
    return tuple(lines)


def _winner(dataset: str, zoo: Zoo, tuned: Sequence[Tuned]) -> str:
    """Of the baselines, LSGNN as released, and LSGNN tuned in the paper's space, single seed."""
    scores = {label: zoo[dataset].get(model) for label, model in _models(zoo).items()}
    for entry in tuned:
        if (entry.dataset, entry.space, entry.rule) == (dataset, "paper", "single seed"):
            scores["LSGNN, tuned"] = list(entry.test)
    means = {label: Score.of(values).mean for label, values in scores.items() if values}
    best = max(means, key=lambda label: means[label], default="")
    return f"{title(dataset)} {best} {means[best]:.2f}" if best else ""


def sources(results: Results) -> Iterator[Mapping[str, Any]]:
    """The units of the zoo and the test scores of the searches."""
    yield from zoo_lines(results.root)
    yield from tuned_lines(results.root)


EXPERIMENT = Experiment("main", "The main table", render, sources=sources)
