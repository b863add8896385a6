"""Workers of a search that train in this process: quick to start, for tests of what is around them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from lsgnn.auto.trial import Outcome, Task
from lsgnn.auto.worker import serve


class AtHand:
    """Takes the place of `lsgnn.auto.worker.TrialWorkers`; a trial is run when its outcome is asked for."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder, self.tasks = folder, dict[str, Task]()

    def __enter__(self) -> AtHand:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def submit(self, task: Task) -> None:
        self.tasks[task.key] = task

    def wait(self, key: str) -> Outcome:
        answer = io.StringIO()
        serve(self.folder, [json.dumps(vars(self.tasks.pop(key)))], answer)
        return Outcome.of(json.loads(answer.getvalue()))
