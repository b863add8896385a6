"""Which versions of a model meet in one row of a page, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lsgnn.benchmark.made_with import BEFORE


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
