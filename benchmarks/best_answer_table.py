"""The table of `best_answer.py`, from the units that are finished."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.best_answer_code import code_of
from lsgnn import zoo
from lsgnn.lines import LineFile

GRAPHS = (
    *("texas", "wisconsin", "cornell", "cornell-fixed", "chameleon", "chameleon-filtered", "squirrel-filtered"),
    *("cora", "cora-linqs", "citeseer", "actor", "squirrel", "tolokers", "debian", "pubmed", "arxiv-2023-year"),
    "arxiv-2023",
)


EARLIER = " ¹"
FOOTNOTE = "¹ measured by an earlier version of the code that decides it (`--fresh` measures it again)"
Line = dict[str, Any]


def table_of(results: Path) -> str:
    """What is known, as Markdown: a row per graph, means over the splits that its default `fit` has."""
    lines = [line for line in LineFile(results).lines().values() if "error" not in line]
    head = ["graph", "metric", "splits", "default `fit`", "best model at its defaults", "its lead", "CPU s of `fit`"]
    head += ["`auto`", "best single tuned model"]
    rows = [head, ["---"] * len(head)]
    for name in GRAPHS:
        of = [line for line in lines if line["graph"] == name]
        default, mark = _newest([line for line in of if line["what"] == "default"])
        if not default:
            continue
        own, splits = _mean(default), sorted(line["split"] for line in default)
        cells = [name, default[0]["metric"], str(len(splits)), f"{own:.2f}{mark}", *_zoo_cells(of, splits, own)]
        cells += [f"{max(line['cpu_seconds'] for line in default):.0f}", *_auto_cells(of, default)]
        rows.append(cells)
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"
    return f"{table}\n{FOOTNOTE}\n" if EARLIER in table else table


def _newest(lines: list[Line]) -> tuple[list[Line], str]:
    """The lines that today's code made or, where there are none, all of them, and a mark that says so."""
    now = [line for line in lines if line.get("code") == code_of(line["what"])]
    return (now, "") if now else (lines, EARLIER)


def _zoo_cells(lines: list[Line], splits: list[int], own: float) -> list[str]:
    """The best model that was measured on these splits, and its lead."""
    by_model: dict[str, dict[int, Line]] = {}
    for line in lines:
        if line["what"] == "zoo" and line["split"] in splits:
            by_model.setdefault(line["model"], {})[line["split"]] = line
    whole = {model: list(found.values()) for model, found in by_model.items() if len(found) == len(splits)}
    if not whole:
        return ["", ""]
    best = max(whole, key=lambda model: _mean(whole[model]))
    several = ", by several versions of its code" if len({line.get("code", "") for line in whole[best]}) > 1 else ""
    score = _mean(whole[best])
    return [f"{zoo.get(best).title} {score:.2f} (of {len(whole)}){several}", f"{score - own:+.2f}"]


def _auto_cells(lines: list[Line], default: list[Line]) -> list[str]:
    """`auto` and the best of its models; beside it default `fit` on the same splits, if `auto` has fewer."""
    found, mark = _newest([line for line in lines if line["what"] == "auto"])
    if not found:
        return ["", ""]
    models = set.intersection(*(set(line["single_tuned_test"]) for line in found))
    alone = {m: float(np.mean([line["single_tuned_test"][m] for line in found])) for m in sorted(models)}
    best = max(alone, key=lambda m: alone[m])
    cost = np.mean([line["cpu_seconds"] for line in found]) / 60
    trials = np.mean([line["trials"] for line in found])
    counted = f"{len(found)} split{'s' * (len(found) > 1)}, {trials:.0f} trials, {cost:.1f} min of a core"
    there = [line for line in default if line["split"] in {one["split"] for one in found}]
    if 0 < len(there) < len(default):
        counted += f"; default `fit` there {_mean(there):.2f}"
    return [f"{_mean(found):.2f} ({counted}){mark}", f"{zoo.get(best).title} {alone[best]:.2f}"]


def _mean(lines: list[Line]) -> float:
    return float(np.mean([line["test"] for line in lines]))
