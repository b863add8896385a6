"""Rows of an older result file that a new measurement leaves alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def with_stored(file: Path, measured: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of `file`, those of the datasets that were measured again replaced, new ones at the end.

    Where a row has `seconds` by method, methods that were not measured again keep theirs; the row names them in
    `earlier`, because they were not interleaved with the others.
    """
    rows = {row["dataset"]: row for row in (json.loads(file.read_text())["results"] if file.exists() else [])}
    for row in measured:
        rows[row["dataset"]] = _joined(rows.get(row["dataset"], {}), row)
    return list(rows.values())


def _joined(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    if old.get("epochs") != new.get("epochs") or "seconds" not in new:
        return new
    earlier = sorted(set(old["seconds"]) - set(new["seconds"]))
    kept = {method: old["seconds"][method] for method in earlier}
    return {**new, "seconds": new["seconds"] | kept, **({"earlier": earlier} if earlier else {})}
