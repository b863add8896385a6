"""The file of counts that `docs/reliability.md` shows: each kind of test writes its own part after a full run."""

import json
from pathlib import Path
from typing import Any

from lsgnn.files import write_json

COUNTS = Path(__file__).parents[1] / "benchmarks" / "results" / "reliability.json"


def record(part: str, counts: dict[str, Any], file: Path = COUNTS) -> None:
    """Replaces one part of the file and leaves the others."""
    known = json.loads(file.read_text("utf-8")) if file.exists() else {}
    write_json(file, known | {part: counts})
