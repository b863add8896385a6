"""Searches in processes of their own, which may be killed at any moment or start all at once; tests share it.

Processes are forked from this one, which has imported everything and computed nothing: a life takes a moment.
"""

import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import optuna
from sqlalchemy import event
from sqlalchemy.engine import Engine

from lsgnn import LSGNNConfig, stratified_splits
from lsgnn.propagate import power_kernels
from lsgnn.train.fused import epochs
from lsgnn.tuning import tune
from tests.graphs import two_blocks

GRAPH = two_blocks(n=60)
SPLITS = stratified_splits(GRAPH.y, 3)
BASE = LSGNNConfig(epochs=5, K=2, hidden_channels=8)


LOADED_ONCE = (power_kernels, epochs)


def outcome(**given: Any) -> dict[str, Any]:
    """What a search found, without numbers of trials (a killed one has used some up) and without times."""
    document = tune(GRAPH, base=BASE, splits=SPLITS, **given).to_dict()
    for entry in (*document["trials"], *document["rescored"]):
        del entry["trial"]
    del document["seconds"]
    return document


def live(out: Path, given: dict[str, Any], begin: float = 0.0, last_commit: int = -1) -> int:
    """A process that searches and writes the outcome to `out`; it dies as its database is to commit that often."""
    pid = os.fork()
    if pid:
        return pid
    commits = 0

    def die_in_time(_: Any) -> None:
        nonlocal commits
        commits += 1
        if commits == last_commit:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        event.listen(Engine, "commit", die_in_time)
        time.sleep(max(0.0, begin - time.time()))
        out.write_text(json.dumps(outcome(**given)))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def killed_and_resumed(folder: Path, given: dict[str, Any], last_commits: list[int]) -> dict[str, Any]:
    """The outcome of a search that was killed once for each entry of `last_commits` and then left alone."""
    for last_commit in last_commits:
        assert exit_code(live(folder / "out.json", given, last_commit=last_commit)) == -signal.SIGKILL
    assert exit_code(live(folder / "out.json", given)) == 0
    found: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return found


def all_at_once(folder: Path, given: dict[str, Any], processes: int) -> list[dict[str, Any]]:
    """The outcomes of searches that begin at the same moment."""
    outs, begin = [folder / f"out{number}.json" for number in range(processes)], time.time() + 0.2
    codes = [exit_code(pid) for pid in [live(out, given, begin) for out in outs]]
    assert codes == [0] * processes
    return [json.loads(out.read_text()) for out in outs]


if __name__ == "__main__":
    what, folder, arguments = sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3])
    optuna.storages.RDBStorage("sqlite://")  # imports what every life needs
    found = []
    for number in range(arguments["rounds"]):
        place = folder / str(number)
        place.mkdir()
        given = arguments["given"] | {"storage": str(place / "study.db")}
        if what == "killed":
            found.append(killed_and_resumed(place, given, arguments["last_commits"]))
        else:
            found.append(all_at_once(place, given, arguments["processes"]))
    sys.stdout.write(json.dumps(found))
