"""Is a store that was killed while it was filled, and filled again, the same bytes as one that was not?

    python benchmarks/kills.py --folder /some/disk --kills 20 --json benchmarks/results/kills.json

Each time `precompute` runs in a process of its own that `kill -9` ends at a moment drawn from the time that one needs
which is left alone; the same call then goes on. Every file is compared with that of the store that was left alone.
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


def filled(arrays: Path, store: Path, seconds: float | None = None) -> tuple[float, bool]:
    """Fills a store in another process, which is killed after so many seconds; how long it took, and if it was."""
    start, child = time.perf_counter(), os.fork()
    if child == 0:
        precompute(arrays, store, LSGNNConfig(K=3), max_memory=4_000_000, threads=1)
        os._exit(0)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)  # a child that has ended waits to be asked for, so that no other can be hit
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status):
        raise SystemExit("precompute failed")
    return time.perf_counter() - start, os.WIFSIGNALED(status)


def digests(store: Path) -> dict[str, str]:
    files = (file for file in sorted(store.rglob("*")) if file.is_file() and file.name != ".lock")
    return {str(file.relative_to(store)): sha256_of(file) for file in files}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="emptied first and last")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    shutil.rmtree(args.folder, ignore_errors=True)
    arrays, random = args.folder / "arrays", np.random.default_rng(args.seed)
    write_arrays(arrays, args.nodes, 32, 10 * args.nodes)
    filled(arrays, args.folder / "compiled")
    seconds, _ = filled(arrays, args.folder / "alone")
    alone, shares, same = digests(args.folder / "alone"), list[float](), 0
    while len(shares) < args.kills:
        share, struck = float(random.random()), args.folder / "struck"
        if not filled(arrays, struck, share * seconds)[1]:
            shutil.rmtree(struck)
            continue  # it was quicker than the moment
        done = len(digests(struck)) / len(alone) if struck.exists() else 0.0
        filled(arrays, struck)
        shares.append(round(done, 2))
        same += digests(struck) == alone
        shutil.rmtree(struck)
    shutil.rmtree(args.folder)
    document = {"nodes": args.nodes, "kills": len(shares), "same_bytes": same, "files": len(alone)}
    document |= {"share_of_files_there": sorted(shares)}
    print(json.dumps(document, indent=1), file=sys.stdout)
    if args.json:
        write_json(args.json, document | {"environment": environment()})


if __name__ == "__main__":
    main()
