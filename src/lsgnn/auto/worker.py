"""A process that runs trials, one after the other: `python -m lsgnn.auto.worker FOLDER` (see `lsgnn.workers`).

The folder holds `graph.npz` with the deals as its splits, and `about.json`. Its graph has no label of a test node.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lsgnn.auto.trial import Outcome, Task
from lsgnn.workers import Workers, answer_tasks

GRAPH, ABOUT = "graph.npz", "about.json"


class TrialWorkers:
    """A few workers that share a queue of trials; outcomes are awaited by key, in any order."""

    def __init__(self, folder: Path, count: int) -> None:
        self._workers = Workers("lsgnn.auto.worker", folder, count, Outcome.of, _died)

    def __enter__(self) -> TrialWorkers:
        self._workers.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._workers.__exit__(*error)

    def submit(self, task: Task) -> None:
        self._workers.submit(task.key, vars(task))

    def wait(self, key: str) -> Outcome:
        return self._workers.wait(key)


def _died(key: str, reason: str) -> Outcome:
    return Outcome(key, (), 0.0, f"its process died ({reason})")


def serve(folder: Path, tasks: Iterable[str], answer: Any) -> None:
    """Runs the tasks as they come; `answer` gets a line for each."""
    from lsgnn.auto.trial import run_trial
    from lsgnn.graph.graph import Graph
    from lsgnn.zoo.prepared import Prepared

    about = json.loads((folder / ABOUT).read_text("utf-8"))
    graph = Graph.load(folder / GRAPH)
    assert graph.splits is not None
    prepared, deals = Prepared(graph, keep=6), list(graph.splits)
    for line in tasks:
        task = Task(**json.loads(line))
        outcome = run_trial(task, prepared, deals, about["metric"], about["positive"], folder)
        answer.write(json.dumps(outcome.to_dict()) + "\n")
        answer.flush()


if __name__ == "__main__":
    answer_tasks(serve)
