"""Where our run of a baseline is more than three points from its published row, and why: `deviations.toml`.

Reasons are written by hand, per model or per model and dataset, after looking; one without a reason is shown as such.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from paper.page import Row, Score, Table
from paper.peers import Measured
from paper.published import nine, published, title

LIMIT = 3.0
UNEXPLAINED = "not explained yet"


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
                gap, why = f"{ours.mean - printed:+.2f}", reason(entry["zoo"], dataset)
                shorter = (cut or {}).get((entry["zoo"], dataset), "")
                why += f"; ours cut short: {shorter}" if "epochs" in shorter else ""
                own = [str(m) for m in checked if (m.check.model, m.check.dataset) == (entry["zoo"], dataset)]
                why += f". measured: {'; '.join(own)}" if own else ""
                rows.append(Row(f"{label}, {title(dataset)}", (Score(printed), ours, gap, why)))
    caption = (
        f"Every model and dataset on which our mean is more than {LIMIT:.0f} points from the published one, and why, "
        "as far as we know; measured: our run with one change to the preset. published: as printed in the LSGNN paper. "
        "ours: as in the main table."
    )
    return Table("main-deviations", caption, "model, data", ("published", "ours", "difference", "why"), tuple(rows))


def reason(model: str, dataset: str) -> str:
    own = _reasons().get(model, {})
    return own.get(dataset, own.get("default", UNEXPLAINED))


@cache
def _reasons() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((files("paper") / "deviations.toml").read_text("utf-8"))
