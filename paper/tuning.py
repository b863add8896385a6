"""LSGNN tuned by us, dataset by dataset: what validation promised, and what each rule of choice gave on the test nodes.

Nothing is computed here: `scripts/tune_datasets.py` leaves its searches in `results/tuning/<space>/`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from paper.frame import Experiment, Results
from paper.inputs import SPACES, Tuned, read_tuned
from paper.page import Cell, Page, Row, Score, Table
from paper.published import OTHERS, SHARED, nine, printed_lsgnn, published, title

RULES = {
    "one setting for all splits": "one setting",
    "each split its own": "each split its own",
    "one setting, seeds voting": "seeds voting",
    "the best settings voting": "settings voting",
}
SEEDS = "Every split has a seed of its own, and the readings have seeds that the search has not seen"


def render(results: Results) -> Page:
    spaces: dict[str, dict[str, list[Tuned]]] = defaultdict(lambda: defaultdict(list))
    for entry in read_tuned(results.root):
        if entry.model == "lsgnn":
            spaces[entry.space][entry.dataset].append(entry)
    if not spaces:
        return Page("Tuned on validation", (), ("not run yet: `python -m paper.scripts.tune_datasets`",))
    tables = [_table(space, spaces[space]) for space in SPACES if space in spaces]
    return Page("Tuned on validation", tuple(tables), _findings(spaces))


def _table(space: str, found: Mapping[str, Sequence[Tuned]]) -> Table:
    caption = (
        f"LSGNN tuned in {SPACES[space]}. Validation: of the chosen setting, on fresh seeds, over the splits that the "
        f"search saw. Test: mean ± std over the official splits, each reading made once; {SHARED}; 2 to 10 seeds or "
        "settings vote. minutes: of search and re-scoring, most on one core. "
        "Accuracy (%), on Tolokers ROC AUC (%). published: as printed in the LSGNN paper. "
        f"{SEEDS}."
    )
    columns = ("published", "trials", "search splits", "minutes", "validation", *RULES.values())
    rows = tuple(Row(title(d), (_published(d), *_cells(found[d]))) for d in (*nine(), *OTHERS) if d in found)
    return Table(f"tuning-{space}", caption, "dataset", columns, rows)


def _published(dataset: str) -> Cell:
    return Score(printed_lsgnn()[dataset]) if dataset in nine() else "–"


def _cells(entries: Sequence[Tuned]) -> list[Cell]:
    first, by_rule = entries[0], {entry.rule: entry.test for entry in entries}
    scores = [Score.of(by_rule[rule]) if rule in by_rule else "–" for rule in RULES]
    return [str(first.trials), str(first.search_splits), f"{first.minutes:.0f}", f"{first.rescored_val:.2f}", *scores]


def _findings(spaces: Mapping[str, Mapping[str, Sequence[Tuned]]]) -> tuple[str, ...]:
    """Averages over the nine, wherever all of them have run."""
    averages = {
        f"{SPACES[space]}, {label}": [entry for d in nine() for entry in found.get(d, ()) if entry.rule == rule]
        for space, found in ((space, spaces[space]) for space in SPACES if space in spaces)
        for rule, label in RULES.items()
    }
    preferred = [_preferred([e for found in spaces.values() for e in found.get(d, ())]) for d in nine()]
    averages["on each dataset the reading above whose own validation is best"] = [e for e in preferred if e]
    printed = published()["main"]["LSGNN"]["average"]
    return tuple(
        f"{label}: {_average_and_error(entries)} on average over the nine; {printed} published"
        for label, entries in averages.items()
        if len(entries) == len(nine())
    )


def _preferred(entries: Sequence[Tuned]) -> Tuned | None:
    """By the mean over validation nodes; each split its own has chosen by the nodes that would judge it."""
    eligible = [entry for entry in entries if entry.rule in RULES and entry.rule != "each split its own"]
    return max(eligible, key=lambda entry: float(np.mean(entry.val)), default=None)


def _average_and_error(entries: Sequence[Tuned]) -> str:
    """As if splits were independent, which they are not quite: they share nodes."""
    variances = [np.var(entry.test, ddof=1) / len(entry.test) if len(entry.test) > 1 else 0.0 for entry in entries]
    average = np.mean([np.mean(entry.test) for entry in entries])
    return f"{average:.2f} (standard error {np.sqrt(sum(variances)) / len(entries):.2f})"


EXPERIMENT = Experiment("tuning", "Tuned on validation", render)
