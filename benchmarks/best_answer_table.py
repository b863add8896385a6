"""The table of `best_answer.py`, from the units that are finished."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lsgnn import zoo
from lsgnn.lines import LineFile

GRAPHS = (
    *("texas", "wisconsin", "cornell", "cornell-fixed", "chameleon", "chameleon-filtered", "squirrel-filtered"),
    *("cora", "cora-linqs", "citeseer", "actor", "squirrel", "tolokers", "debian", "pubmed", "arxiv-2023-year"),
    "arxiv-2023",
)


def table_of(results: Path) -> str:
    """What is known, as Markdown: a row per graph, means over the splits that every column of the row has."""
    lines = [line for line in LineFile(results).lines().values() if "error" not in line]
    head = ["graph", "metric", "splits", "default `fit`", "best model at its defaults", "its lead", "CPU s of `fit`"]
    head += ["`auto`", "best single tuned model"]
    rows = [head, ["---"] * len(head)]
    for name in GRAPHS:
        of = [line for line in lines if line["graph"] == name]
        default = {line["split"]: line for line in of if line["what"] == "default"}
        if not default:
            continue
        by_model: dict[str, dict[int, float]] = {}
        codes: dict[str, set[str]] = {}
        for line in of:
            if line["what"] == "zoo":
                by_model.setdefault(line["model"], {})[line["split"]] = line["test"]
                codes.setdefault(line["model"], set()).add(line.get("code", ""))
        whole = {m: np.mean(list(s.values())) for m, s in by_model.items() if s.keys() == default.keys()}
        own = float(np.mean([line["test"] for line in default.values()]))
        best = max(whole, key=lambda m: whole[m], default="")
        cells = [name, next(iter(default.values()))["metric"], str(len(default)), f"{own:.2f}"]
        if best:
            several = ", by several versions of its code" if len(codes[best]) > 1 else ""
            cells += [
                f"{zoo.get(best).title} {whole[best]:.2f} (of {len(whole)}){several}",
                f"{whole[best] - own:+.2f}",
            ]
        else:
            cells += ["", ""]
        cells += [f"{max(line['cpu_seconds'] for line in default.values()):.0f}", *_auto_cells(of)]
        rows.append(cells)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _auto_cells(lines: list[dict[str, Any]]) -> list[str]:
    found = [line for line in lines if line["what"] == "auto"]
    if not found:
        return ["", ""]
    models = set.intersection(*(set(line["single_tuned_test"]) for line in found))
    alone = {m: float(np.mean([line["single_tuned_test"][m] for line in found])) for m in models}
    best = max(alone, key=lambda m: alone[m])
    score = f"{np.mean([line['test'] for line in found]):.2f} ({len(found)} × {found[0]['minutes']:g} min)"
    return [score, f"{zoo.get(best).title} {alone[best]:.2f}"]
