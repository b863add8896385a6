"""What made some stored results, in a sentence: commits and library versions of their units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
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
