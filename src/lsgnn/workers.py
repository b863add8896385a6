"""Processes that answer tasks, one after the other, over their standard input and output: a line of JSON each.

`python -m MODULE FOLDER` is started by name instead of being forked, so that a caller's script needs no `if __name__ ==
"__main__"`; a process of its own instead of a thread, because torch has one random stream per process. It ends when its
input does: also when the process that started it is killed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class Workers(Generic[Answer]):
    """A few processes that share a queue of tasks; answers are awaited by key, or as they come.

    Args:
        module: what is run, with the folder as its argument; it calls `answer_tasks`.
        count: how many processes.
        read: from the line of an answer to what is handed out.
        died: what stands for the answer of a task that ended its process twice, from its key and the reason.
    """

    def __init__(
        self,
        module: str,
        folder: Path,
        count: int,
        read: Callable[[dict[str, Any]], Answer],
        died: Callable[[str, str], Answer],
    ) -> None:
        self._command = [sys.executable, "-P", "-m", module, str(folder)]  # -P: files here are no modules
        self._read, self._died = read, died
        self._todo: SimpleQueue[tuple[str, Mapping[str, Any]] | None] = SimpleQueue()
        self._done: dict[str, Answer] = {}
        self._news = threading.Condition()
        self._processes: list[subprocess.Popen[str]] = []
        self._closed = False
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(count)]

    def __enter__(self) -> Workers[Answer]:
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

    def submit(self, key: str, task: Mapping[str, Any]) -> None:
        self._todo.put((key, task))

    def wait(self, key: str) -> Answer:
        with self._news:
            self._news.wait_for(lambda: key in self._done)
            return self._done[key]

    def wait_for_any(self, keys: Iterable[str]) -> str:
        """The first of these keys whose answer is there."""
        wanted = tuple(keys)
        with self._news:
            self._news.wait_for(lambda: any(key in self._done for key in wanted))
            return next(key for key in wanted if key in self._done)

    def _serve(self) -> None:
        process: subprocess.Popen[str] | None = None
        while (asked := self._next()) is not None:
            key, task = asked
            for _attempt in range(2):  # a worker that was killed, for want of memory say, is started once more
                try:
                    if process is None or process.poll() is not None:
                        process = self._started()
                    answer = self._read(_asked(process, task))
                    break
                except (OSError, ValueError, KeyError, TypeError) as error:  # it died, or what it said is no answer
                    if process is not None:
                        process.kill()
                    process, answer = None, self._died(key, str(error))
            with self._news:
                self._done[key] = answer
                self._news.notify_all()

    def _next(self) -> tuple[str, Mapping[str, Any]] | None:
        while not self._closed:
            try:
                return self._todo.get(timeout=1.0)
            except Empty:
                continue
        return None

    def _started(self) -> subprocess.Popen[str]:
        places = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | ONE_THREAD | {"PYTHONPATH": os.pathsep.join(place for place in places if place)},
            start_new_session=True,  # Ctrl-C is for the process that was asked, which then ends this one
        )
        with self._news:
            self._processes.append(process)
            if self._closed:
                process.kill()
        return process


def _asked(process: subprocess.Popen[str], task: Mapping[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(task) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise BrokenPipeError(f"exit code {process.wait()}")
    found = json.loads(answer)
    if not isinstance(found, dict):
        raise TypeError(f"{answer.strip()} is no answer")
    return found


def answer_tasks(serve: Callable[[Path, Iterable[str], Any], None]) -> None:
    """What a worker's module does when it is run: `serve` gets the folder, the lines of tasks, and where answers go."""
    import warnings

    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    answer, sys.stdout = sys.stdout, sys.stderr  # whatever a library prints is no answer
    serve(Path(sys.argv[1]), sys.stdin, answer)
