"""Rows of an older result file that a new measurement leaves alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def with_stored(file: Path, measured: list[dict[str, Any]], by: str = "seconds") -> list[dict[str, Any]]:
    """The rows of `file`, those of the datasets that were measured again replaced, new ones at the end.

    What a row holds in `by` for methods that were not measured again stays; the row names them in `earlier`, because
    they were not interleaved with the others.
    """
    rows = {row["dataset"]: row for row in (json.loads(file.read_text())["results"] if file.exists() else [])}
    for row in measured:
        rows[row["dataset"]] = _joined(rows.get(row["dataset"], {}), row, by)
    return list(rows.values())


def _joined(old: dict[str, Any], new: dict[str, Any], by: str) -> dict[str, Any]:
    if old.get("epochs") != new.get("epochs"):
        return new
    kept = {method: values for method, values in old.get(by, {}).items() if method not in new[by]}
    return {**new, by: new[by] | kept, **({"earlier": sorted(kept)} if kept else {})}
