"""What made the numbers of a page: commits and library versions of its units, and which versions of a model meet in one
row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

BEFORE = "before provenance was kept"
LIBRARIES = ("lsgnn", "python", "torch", "numpy", "scipy", "scikit-learn")


def made_with(lines: Iterable[Mapping[str, Any]]) -> str:
    """The sentence below a page: how many units each commit made, and with which libraries; empty without units."""
    made = Counter(_maker(line.get("environment", {})) for line in lines)
    if not made:
        return ""
    told = "; ".join(f"{count:,} made {maker}" for maker, count in sorted(made.items()))
    return f"*Stored results: {told}.*\n"


def _maker(environment: Mapping[str, str]) -> str:
    if not set(LIBRARIES) <= environment.keys():
        return BEFORE
    where = f"at commit {environment['commit']}" if "commit" in environment else "outside a checkout"
    return f"{where} ({', '.join(f'{name} {environment[name]}' for name in LIBRARIES)})"


def mixed(codes: Mapping[Any, str]) -> str:
    """Split, run or dataset → code of the model that made it: which are of which version; empty if all are of one.

    >>> mixed({0: "aa", 1: "aa", 2: ""})
    'code aa on 0, 1, before provenance was kept on 2'
    """
    where: dict[str, list[str]] = {}
    for label, code in codes.items():
        where.setdefault(code, []).append(str(label))
    if len(where) < 2:
        return ""
    return ", ".join(f"{version(code)} on {', '.join(labels)}" for code, labels in where.items())


def mixed_rows(rows: Mapping[str, Mapping[str, str]]) -> str:
    """Row → dataset → code: a sentence on the rows whose datasets are of several versions; empty if there are none."""
    told = [f"{label} ({found})" for label, codes in rows.items() if (found := mixed(codes))]
    return f" Datasets by different versions of the model: {'; '.join(told)}." if told else ""


def version(code: str) -> str:
    """A model's version, in words."""
    return f"code {code}" if code else BEFORE


def versions(codes: Sequence[str]) -> str:
    """Several versions, each once, in words."""
    return " and ".join(version(code) for code in dict.fromkeys(codes))
