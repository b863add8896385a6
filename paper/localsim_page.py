"""The page of "What makes LocalSim matter": paired differences to the released configuration, seeds, FSBM graphs."""

from __future__ import annotations

import numpy as np

from lsgnn.benchmark.difference import Difference
from paper.frame import Results
from paper.localsim_variants import DATASETS, FSBM_VARIANTS, VARIANTS
from paper.page import Cell, Page, Row, Table

HOW = (
    "ours: the authors' released configuration of each dataset (for the filtered graphs that of the unfiltered ones) "
    "and its splits, seeds from 28 on, best validation loss; nothing tuned"
)
SEEDS_OF = "squirrel"
GOAL = 71.0  # validation accuracy that no seed may miss there


def render(results: Results) -> Page:
    tables = [_differences(results, part) for part in ("val", "test")]
    return Page("What makes LocalSim matter", (*tables, _seeds(results), _fsbm(results)), _findings(results))


def runs(results: Results, dataset: str, variant: str, part: str) -> dict[str, list[float]]:
    """Seed → accuracy on each split, of the seeds that are finished."""
    start = f"{dataset}/{variant}/"
    keys = [key for key in results.finished() if key.startswith(start)]
    return {key.removeprefix(start): list(results.get(key)[part]) for key in keys}


def _differences(results: Results, part: str) -> Table:
    rows = [Row(label, tuple(_cell(results, d, name, part) for d in DATASETS)) for name, (label, _) in VARIANTS.items()]
    what = {"val": "Validation", "test": "Test"}[part]
    caption = (
        f"{what} accuracy (%) as released, and what a variant adds to it, in points, paired over seeds and splits, "
        "with its 95 % t interval (runs share nodes, so it is rather too narrow); in brackets the number of pairs. "
        f"{HOW}."
    )
    return Table(f"localsim-{part}", caption, "variant", tuple(DATASETS.values()), tuple(rows))


def _cell(results: Results, dataset: str, variant: str, part: str) -> Cell:
    released, changed = (runs(results, dataset, name, part) for name in ("released", variant))
    shared = sorted(released.keys() & changed.keys())
    if not shared:
        return None
    base = [score for seed in shared for score in released[seed]]
    if variant == "released":
        return f"{np.mean(base):.2f} ({len(base)})"
    found = Difference.between([score for seed in shared for score in changed[seed]], base)
    half = "" if found.interval is None else f" ± {found.interval[1] - found.mean:.2f}"
    return f"{found.mean:+.2f}{half} ({len(base)})"


def _seeds(results: Results) -> Table:
    rows = []
    for name, (label, _) in VARIANTS.items():
        val, test = (runs(results, SEEDS_OF, name, part) for part in ("val", "test"))
        if not val:
            rows.append(Row(label, (None,) * 5))
            continue
        every = np.concatenate([*val.values()])
        means = [float(np.mean(scores)) for scores in val.values()]
        cells = (f"{len(means)}", f"{np.mean(every):.2f}", f"{min(means):.2f}", f"{every.min():.2f}")
        rows.append(Row(label, (*cells, f"{np.mean([*test.values()]):.2f}")))
    caption = f"Squirrel, seed by seed: accuracy (%) over the first splits. {HOW}."
    columns = ("seeds", "validation", "worst seed", "worst run", "test")
    return Table("localsim-seeds", caption, "variant", columns, tuple(rows))


def _fsbm(results: Results) -> Table:
    rows = []
    for name, (label, _) in FSBM_VARIANTS.items():
        cells = [float(np.mean(scores)) for scores in runs(results, "fsbm", name, "test").values()]
        found = (f"{len(cells)}", f"{np.mean(cells):.2f}", f"{min(cells):.2f}") if cells else (None,) * 3
        rows.append(Row(label, found))
    caption = (
        "FSBM graphs of two subgraphs with |λ₁ − λ₂| ≥ 0.8: test accuracy (%) of the package's LSGNN, mean over cells "
        "(λ₁, λ₂) and the worst cell. ours: 1000 nodes, degree 10, features of one column with means ±1, K = 1 "
        "unless said, batch norm in the reduction, best validation loss."
    )
    return Table("localsim-fsbm", caption, "weights", ("cells", "mean", "worst cell"), tuple(rows))


def _findings(results: Results) -> tuple[str, ...]:
    lines = []
    for name in ("released", "smoothed", "degree"):
        of_seed = runs(results, SEEDS_OF, name, "val")
        below = [seed for seed, scores in of_seed.items() if min(scores) < GOAL]
        if of_seed:
            label, worst = VARIANTS[name][0], min(min(scores) for scores in of_seed.values())
            lines.append(
                f"Squirrel, {label}: {len(below)} of {len(of_seed)} seeds have a run below {GOAL:g} validation (worst "
                f"{worst:.2f})"
            )
    for dataset, title in DATASETS.items():
        gains = {name: _gain(results, dataset, name) for name in VARIANTS if name != "released"}
        known = {name: gain for name, gain in gains.items() if gain is not None}
        if known:
            best = max(known, key=lambda name: known[name][0])
            val, test = known[best]
            lines.append(f"{title}: best on validation is “{VARIANTS[best][0]}”, {val:+.2f}; on test {test:+.2f}")
    return tuple(lines)


def _gain(results: Results, dataset: str, variant: str) -> tuple[float, float] | None:
    """Mean difference to the released configuration on validation and on test, over the seeds both have."""
    gains = []
    for part in ("val", "test"):
        released, changed = (runs(results, dataset, name, part) for name in ("released", variant))
        shared = released.keys() & changed.keys()
        if not shared:
            return None
        gains.append(float(np.mean([np.mean(changed[s]) - np.mean(released[s]) for s in shared])))
    return gains[0], gains[1]
