"""LSGNN tuned by us, dataset by dataset: validation scores, and test scores by every protocol.

Nothing is computed here: `scripts/tune_datasets.py` leaves its searches in `results/tuning/<space>/`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paper.figures import BLUE, GREY, ORANGE, drawing
from paper.frame import Experiment, Results
from paper.inputs import SPACES, Tuned, read_tuned, tuned_lines
from paper.page import Cell, Figure, Page, Row, Score, Table
from paper.published import OTHERS, SHARED, nine, printed_lsgnn, published, title

PER_SPLIT = "one configuration per split"
COLUMNS = {  # title → test protocol
    "single seed": "single seed",
    "per split": PER_SPLIT,
    "seed ensemble": "seed ensemble",
    "configuration ensemble": "ensemble of configurations",
}
SEEDS = "Every split has a seed of its own, and test scores have seeds that the search has not seen"
DRAWN = {  # space, test protocol → colour, mark
    ("paper", "single seed"): (ORANGE, "o"),
    ("paper", "seed ensemble"): (ORANGE, "D"),
    ("extended", "single seed"): (BLUE, "o"),
    ("extended", "seed ensemble"): (BLUE, "D"),
}


def render(results: Results) -> Page:
    spaces: dict[str, dict[str, list[Tuned]]] = defaultdict(lambda: defaultdict(list))
    for entry in read_tuned(results.root):
        if entry.model == "lsgnn":
            spaces[entry.space][entry.dataset].append(entry)
    if not spaces:
        return Page("Tuned on validation", (), ("not run yet: `python -m paper.scripts.tune_datasets`",))
    tables = [_table(space, spaces[space]) for space in SPACES if space in spaces]
    return Page("Tuned on validation", (*_figures(spaces), *tables), _findings(spaces))


def _table(space: str, found: Mapping[str, Sequence[Tuned]]) -> Table:
    caption = (
        f"LSGNN tuned in {SPACES[space]}. Validation: of the chosen configuration, on fresh seeds, over the splits "
        f"that the search saw. Test: mean ± std over the official splits, each score read once; {SHARED}; per split: "
        "each split has the configuration that its own validation nodes prefer; ensembles have 2 to 10 members. "
        "splits: of the search. minutes: of search and re-evaluation, most on one core. "
        "Accuracy (%), on Tolokers ROC AUC (%). published: as printed in the LSGNN paper. "
        f"{SEEDS}."
    )
    columns = ("published", "trials", "splits", "minutes", "validation", *COLUMNS)
    rows = tuple(Row(title(d), (_published(d), *_cells(found[d]))) for d in (*nine(), *OTHERS) if d in found)
    return Table(f"tuning-{space}", caption, "dataset", columns, rows)


def _figures(spaces: Mapping[str, Mapping[str, Sequence[Tuned]]]) -> tuple[Figure, ...]:
    """How far each protocol is from the published number; drawn once all nine have been tuned in both spaces."""
    drawn = {
        key: [entry.test for d in nine() for entry in spaces[key[0]].get(d, ()) if entry.rule == key[1]]
        for key in DRAWN
        if key[0] in spaces
    }
    if len(drawn) < len(DRAWN) or any(len(tests) < len(nine()) for tests in drawn.values()):
        return ()
    caption = (
        "Test accuracy of tuned LSGNN minus the published one, in points, with the standard error over splits (as if "
        "splits were independent). ours: as in the tables below."
    )
    return (Figure("tuning", caption, lambda: _draw(drawn)),)


def _draw(drawn: Mapping[tuple[str, str], Sequence[Sequence[float]]]) -> Any:
    labels = ["Mean of the nine", *map(title, nine())]
    with drawing(7.2, 4.2) as (figure, axes):
        panel = axes[0, 0]
        panel.axvline(0, color=GREY, linewidth=1)
        for number, ((space, rule), tests) in enumerate(drawn.items()):
            gaps = [float(np.mean(t)) - printed_lsgnn()[d] for t, d in zip(tests, nine(), strict=True)]
            errors = [float(np.std(t, ddof=1) / np.sqrt(len(t))) for t in tests]
            x = [float(np.mean(gaps)), *gaps]
            spread = [float(np.sqrt(np.sum(np.square(errors))) / len(errors)), *errors]
            y = [row + 0.18 * (number - 1.5) for row in range(len(labels))]
            colour, mark = DRAWN[space, rule]
            face = "white" if rule == "single seed" else colour
            look = {"color": colour, "marker": mark, "markerfacecolor": face, "markersize": 4.5, "linestyle": "none"}
            panel.errorbar(x, y, xerr=spread, elinewidth=0.8, label=f"{SPACES[space]}, {rule}", **look)
        panel.set_yticks(range(len(labels)), labels)
        panel.invert_yaxis()
        panel.axhline(0.5, color=GREY, linewidth=0.5)
        panel.set_xlabel("points above the published test accuracy")
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def _published(dataset: str) -> Cell:
    return Score(printed_lsgnn()[dataset]) if dataset in nine() else "–"


def _cells(entries: Sequence[Tuned]) -> list[Cell]:
    first, by_rule = entries[0], {entry.rule: entry.test for entry in entries}
    scores = [Score.of(by_rule[rule]) if rule in by_rule else "–" for rule in COLUMNS.values()]
    return [str(first.trials), str(first.search_splits), f"{first.minutes:.0f}", f"{first.rescored_val:.2f}", *scores]


def _findings(spaces: Mapping[str, Mapping[str, Sequence[Tuned]]]) -> tuple[str, ...]:
    """Averages over the nine, wherever all of them have run."""
    averages = {
        f"{SPACES[space]}, {rule}": [entry for d in nine() for entry in found.get(d, ()) if entry.rule == rule]
        for space, found in ((space, spaces[space]) for space in SPACES if space in spaces)
        for rule in COLUMNS.values()
    }
    preferred = [_preferred([e for found in spaces.values() for e in found.get(d, ())]) for d in nine()]
    averages["on each dataset the protocol above whose validation score is best"] = [e for e in preferred if e]
    printed = published()["main"]["LSGNN"]["average"]
    return tuple(
        f"{label}: {_average_and_error(entries)} on average over the nine; {printed} published"
        for label, entries in averages.items()
        if len(entries) == len(nine())
    )


def _preferred(entries: Sequence[Tuned]) -> Tuned | None:
    """By the mean over validation nodes; one configuration per split has chosen by the nodes that would judge it."""
    eligible = [entry for entry in entries if entry.rule in COLUMNS.values() and entry.rule != PER_SPLIT]
    return max(eligible, key=lambda entry: float(np.mean(entry.val)), default=None)


def _average_and_error(entries: Sequence[Tuned]) -> str:
    """As if splits were independent, which they are not quite: they share nodes."""
    variances = [np.var(entry.test, ddof=1) / len(entry.test) if len(entry.test) > 1 else 0.0 for entry in entries]
    average = np.mean([np.mean(entry.test) for entry in entries])
    return f"{average:.2f} (standard error {np.sqrt(sum(variances)) / len(entries):.2f})"


EXPERIMENT = Experiment("tuning", "Tuned on validation", render, sources=lambda results: tuned_lines(results.root))
