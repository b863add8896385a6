"""Where our run of a baseline is more than three points from its published row, and why: `deviations.toml`.

A reason is written by hand and names the stored unit that tested it. It is shown as long as that unit, compared with
the row as it is now, explains at least half of the difference; a row without such a reason says so.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from paper.page import Row, Score, Table
from paper.peers import Measured
from paper.published import nine, published, title

LIMIT = 3.0
UNEXPLAINED = "not explained"


@dataclass(frozen=True)
class Reason:
    """Why a model's row differs on a dataset, and the unit of the experiment `peers` that tested it."""

    model: str
    dataset: str
    says: str
    tested: str


def deviations(
    zoo: Mapping[str, Mapping[str, list[float]]],
    checked: Iterable[Measured] = (),
    cut: Mapping[tuple[str, str], str] | None = None,
) -> Table:
    """One row per model and dataset whose mean differs by more than `LIMIT` points from the published one.

    What was cut of the preset on such a pair, and what `peers` has measured there, follow the reason.
    """
    checked = tuple(checked)
    rows = []
    for label, entry in published()["main"].items():
        if label == "LSGNN":
            continue
        for dataset, printed in zip(nine(), entry["scores"], strict=True):
            scores = zoo[dataset].get(entry["zoo"])
            if scores and abs((ours := Score.of(scores)).mean - printed) > LIMIT:
                own = [m for m in checked if (m.check.model, m.check.dataset) == (entry["zoo"], dataset)]
                gap, why = f"{ours.mean - printed:+.2f}", reason(entry["zoo"], dataset, own)
                shorter = (cut or {}).get((entry["zoo"], dataset), "")
                why += f"; ours cut short: {shorter}" if "epochs" in shorter else ""
                why += f". measured: {'; '.join(map(str, own))}" if own else ""
                rows.append(Row(f"{label}, {title(dataset)}", (Score(printed), ours, gap, why)))
    caption = (
        f"Every model and dataset on which our mean is more than {LIMIT:.0f} points from the published one, and why, "
        "where a run with one change to the preset explains at least half of the difference; measured: all runs with "
        "such a change. published: as printed in the LSGNN paper. ours: as in the main table."
    )
    return Table("main-deviations", caption, "model, data", ("published", "ours", "difference", "why"), tuple(rows))


def reason(model: str, dataset: str, measured: Iterable[Measured]) -> str:
    """The reasons whose test explains the difference, of those written down for the model on the dataset."""
    explaining = {found.check.key for found in measured if found.explains}
    own = [r.says for r in reasons() if (r.model, r.dataset) == (model, dataset) and r.tested in explaining]
    return "; ".join(own) or UNEXPLAINED


@cache
def reasons() -> tuple[Reason, ...]:
    entries = tomllib.loads((files("paper") / "deviations.toml").read_text("utf-8"))["reasons"]
    return tuple(Reason(**entry) for entry in entries)
