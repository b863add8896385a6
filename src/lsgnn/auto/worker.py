"""A process that runs trials, one after the other: `python -m lsgnn.auto.worker FOLDER`.

It reads tasks from its standard input and answers on its standard output, a line of JSON each, and ends when its input
does: also when the process that started it is killed. The folder's graph has no label of a test node. A process of its
own instead of a thread, because torch has one random stream per process; started by name instead of being forked, so
that a caller's script needs no `if __name__ == "__main__"`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from lsgnn.auto.trial import Outcome, Task

GRAPH, ABOUT = "graph.npz", "about.json"


class Workers:
    """A few workers that share a queue of tasks; results are awaited by key, in any order.

    Args:
        folder: holds `graph.npz` with the deals as its splits, and `about.json`.
        count: how many processes.
    """

    def __init__(self, folder: Path, count: int) -> None:
        self.folder = folder
        self._todo: SimpleQueue[Task | None] = SimpleQueue()
        self._done: dict[str, Outcome] = {}
        self._news = threading.Condition()
        self._processes: list[subprocess.Popen[str]] = []
        self._closed = False
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(count)]

    def __enter__(self) -> Workers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        with self._news:
            self._closed = True
        for _thread in self._threads:
            self._todo.put(None)
        for process in self._processes:
            process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            process.communicate()  # collects it, and closes what we talked through

    def submit(self, task: Task) -> None:
        self._todo.put(task)

    def wait(self, key: str) -> Outcome:
        with self._news:
            self._news.wait_for(lambda: key in self._done)
            return self._done[key]

    def _serve(self) -> None:
        process: subprocess.Popen[str] | None = None
        while (task := self._next()) is not None:
            for _attempt in range(2):  # a worker that was killed, for want of memory say, is started once more
                try:
                    if process is None or process.poll() is not None:
                        process = self._started()
                    outcome = _asked(process, task)
                    break
                except (OSError, ValueError, KeyError, TypeError) as error:  # it died, or what it said is no answer
                    if process is not None:
                        process.kill()
                    process, outcome = None, Outcome(task.key, (), 0.0, f"its process died ({error})")
            with self._news:
                self._done[task.key] = outcome
                self._news.notify_all()

    def _next(self) -> Task | None:
        while not self._closed:
            try:
                return self._todo.get(timeout=1.0)
            except Empty:
                continue
        return None

    def _started(self) -> subprocess.Popen[str]:
        environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
        places = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(place for place in places if place)
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "lsgnn.auto.worker", str(self.folder)],  # -P: files here are no modules
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
            start_new_session=True,  # Ctrl-C is for the process that was asked, which then ends this one
        )
        with self._news:
            self._processes.append(process)
            if self._closed:
                process.kill()
        return process


def _asked(process: subprocess.Popen[str], task: Task) -> Outcome:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(vars(task)) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise BrokenPipeError(f"exit code {process.wait()}")
    return Outcome.of(json.loads(answer))


def serve(folder: Path, tasks: Sequence[str] | Any, answer: Any) -> None:
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


def main() -> None:
    import warnings

    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    answer, sys.stdout = sys.stdout, sys.stderr  # whatever a library prints is no answer
    serve(Path(sys.argv[1]), sys.stdin, answer)


if __name__ == "__main__":
    main()
