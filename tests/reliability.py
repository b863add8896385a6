"""The file of counts that `docs/reliability.md` shows: each kind of test writes its own part after a full run.

Every part names the commit whose code it counted, so that the page can say whether all are of one.
"""

import json
from datetime import date
from pathlib import Path
from typing import Any

from lsgnn.files import write_json
from lsgnn.train.commit import commit

COUNTS = Path(__file__).parents[1] / "benchmarks" / "results" / "reliability.json"


def record(part: str, counts: dict[str, Any], file: Path = COUNTS) -> None:
    """Replaces one part of the file and leaves the others."""
    known = json.loads(file.read_text("utf-8")) if file.exists() else {}
    made = {"commit": commit(), "date": date.today().isoformat()}
    write_json(file, known | {part: counts | made})
