"""Is a store that was killed while it was filled, and filled again, the same bytes as one that was not?

    python -m benchmarks.kills --folder /some/disk --kills 50 --json benchmarks/results/kills.json

Each time `precompute` runs in a process of its own that `kill -9` ends; the same call then goes on. Every file is
compared with that of the store that was left alone. The moments are random and spread over the whole run: of k kills,
the first comes within the first k-th of the files that a run makes, the second within the next, and so on, and up to 50
ms later, so that it strikes in the middle of a file as well. A clock would not do: on a machine in use it runs ahead.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.store import write_arrays
from lsgnn.config import LSGNNConfig
from lsgnn.digests import sha256_of
from lsgnn.files import write_json
from lsgnn.out_of_core.filling import precompute
from lsgnn.train.environment import environment

LATEST = 0.05  # seconds after a file
BYTES_PER_NODE = 200  # of memory: 8 for each column of a block


def fill(arrays: Path, store: Path) -> None:
    """In two blocks of columns, and several ranges of edges."""
    memory = BYTES_PER_NODE * len(np.load(arrays / "y.npy"))
    precompute(arrays, store, LSGNNConfig(K=3), max_memory=memory, threads=1)


def arrays_in(store: Path) -> set[Path]:
    """What is there at this moment; folders may vanish while we look."""
    return {Path(folder, name) for folder, _, names in os.walk(store) for name in names if name.endswith(".npy")}


def filled(arrays: Path, store: Path, files: int | None = None, later: float = 0.0) -> tuple[int, bool]:
    """Fills a store in another process, which is killed so many seconds after it has made so many files.

    Returns:
        How many files it made, with those that it removed again, and if it was killed.
    """
    child, seen = os.fork(), set[Path]()
    if child == 0:
        fill(arrays, store)
        os._exit(0)
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        seen |= arrays_in(store)
        if files is not None and len(seen) >= files:
            time.sleep(later)
            os.kill(child, signal.SIGKILL)  # a child that has ended waits to be asked for, so that no other can be hit
            break
        time.sleep(0.002)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status):
        raise SystemExit("precompute failed")
    return len(seen), os.WIFSIGNALED(status)


def digests(store: Path) -> dict[str, str]:
    files = (file for file in sorted(store.rglob("*")) if file.is_file() and file.name != ".lock")
    return {str(file.relative_to(store)): sha256_of(file) for file in files}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="emptied first and last")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    arrays, random = args.folder / "arrays", np.random.default_rng(args.seed)
    write_arrays(arrays, args.nodes, 32, 10 * args.nodes)
    fill(arrays, args.folder / "compiled")  # in this process, so that all others have the compiled code from it
    total, _ = filled(arrays, args.folder / "alone")
    alone, made, same = digests(args.folder / "alone"), list[int](), 0
    while len(made) < args.kills:
        after = (len(made) + random.random()) / args.kills * total
        files, was_killed = filled(arrays, struck := args.folder / "struck", int(after), LATEST * random.random())
        if was_killed:
            filled(arrays, struck)
            made.append(files)
            same += digests(struck) == alone
        shutil.rmtree(struck)  # if not, it was quicker than the moment
    shutil.rmtree(args.folder)
    document = {"nodes": args.nodes, "kills": len(made), "same_bytes": same, "files": len(alone)}
    document |= {"files_made_on_the_way": total, "files_made_before_the_kill": made}
    print(json.dumps(document, indent=1), file=sys.stdout)
    if args.json:
        write_json(args.json, document | {"environment": environment()})


if __name__ == "__main__":
    main()
