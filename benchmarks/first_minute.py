"""How long does a user wait in the first minute? Wall and CPU seconds of whole commands, on an idle machine.

    python benchmarks/first_minute.py --json benchmarks/results/first_minute.json

Every command is a process of its own, as the user starts it. The first demo finds an empty cache and compiles the
engine; what follows finds it compiled.
`compile` is the engine alone: one epoch on the smaller graph with an empty cache, less the same with a full one.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsgnn.files import write_json
from lsgnn.train.environment import environment

LSGNN = (sys.executable, "-m", "lsgnn")
ONE_EPOCH = "from lsgnn.datasets import load, preset; from lsgnn.runs.fit import fit; "
ONE_EPOCH += "fit(load('cora-linqs'), preset('cora-linqs').config.replace(epochs=1))"


def seconds_of(command: Sequence[str], cache: Path) -> dict[str, float]:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"LSGNN_CACHE": str(cache)})
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_seconds": round(wall, 2), "cpu_seconds": round(cpu, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="of everything that finds the engine compiled")
    parser.add_argument("--json", type=Path, help="file to write")
    args = parser.parse_args()
    load, results = os.getloadavg()[0], list[dict[str, Any]]()

    def measure(what: str, command: Sequence[str], cache: Path, rounds: int = 1) -> dict[str, Any]:
        found = [seconds_of(command, cache) for _ in range(rounds)]
        row: dict[str, Any] = {"what": what, "rounds": rounds}
        row |= {name: statistics.median(one[name] for one in found) for name in found[0]}
        results.append(row)
        print(row, flush=True)
        return row

    with tempfile.TemporaryDirectory() as folder:
        demo, one_epoch = (*LSGNN, "demo", "--out", f"{folder}/demo"), (sys.executable, "-c", ONE_EPOCH)
        cache, other = Path(folder, "cache"), Path(folder, "other")
        measure("import lsgnn", (sys.executable, "-c", "import lsgnn"), cache, args.rounds)
        bare = measure("python", (sys.executable, "-c", ""), cache, args.rounds)
        measure("lsgnn demo, first time", demo, cache)
        measure("lsgnn demo", demo, cache, args.rounds)
        measure("lsgnn fit cora-linqs", (*LSGNN, "fit", "cora-linqs"), cache, args.rounds)
        measure("lsgnn diagnose debian", (*LSGNN, "diagnose", "debian"), cache, args.rounds)
        warm = seconds_of(one_epoch, cache)
        cold = seconds_of(one_epoch, other)
    results[0] |= {name: round(results[0][name] - bare[name], 3) for name in warm}
    results.remove(bare)
    results.append({"what": "compile", "rounds": 1} | {name: round(cold[name] - warm[name], 2) for name in warm})
    print(results[-1])
    if args.json:
        write_json(
            args.json, {"load_before": load, "cores": os.cpu_count(), "results": results, "environment": environment()}
        )


if __name__ == "__main__":
    main()
