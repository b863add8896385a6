"""How long does a user wait in the first minute? Wall and CPU seconds of whole commands, on an idle machine.

    python benchmarks/first_minute.py --json benchmarks/results/first_minute.json

Every command is a process of its own, as the user starts it; the file is written after each. `compile` is the engine
alone, from an empty cache to a training run of one epoch, less the same run with a full cache. The first demo finds an
empty cache and compiles the engine while other models train; what follows finds it compiled. All of it takes about two
idle minutes. Python may keep its bytecode, as it does unless told otherwise: compiling our own modules for every
command would add 0.3 s.
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
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, check=True, capture_output=True, env=variables | {"LSGNN_CACHE": str(cache)})
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_seconds": wall, "cpu_seconds": cpu}


def median_of(rounds: Sequence[dict[str, float]], less: dict[str, float] | None = None) -> dict[str, float]:
    """Of each number, less what `less` says."""
    return {
        name: round(statistics.median(one[name] for one in rounds) - (less or {}).get(name, 0), 3) for name in rounds[0]
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="of the quick commands; the demo and diagnose have two")
    parser.add_argument("--json", type=Path, help="file to write")
    args = parser.parse_args()
    load, results = os.getloadavg()[0], list[dict[str, Any]]()

    def measure(
        what: str, command: Sequence[str], cache: Path, rounds: int, less: dict[str, float] | None = None
    ) -> None:
        found = [seconds_of(command, cache) for _ in range(rounds)]
        results.append({"what": what, "rounds": rounds} | median_of(found, less))
        print(results[-1], flush=True)
        if args.json:
            machine = {"load_before": load, "cores": os.cpu_count(), "environment": environment()}
            write_json(args.json, machine | {"results": results})

    with tempfile.TemporaryDirectory() as folder:
        demo, one_epoch = (*LSGNN, "demo", "--out", f"{folder}/demo"), (sys.executable, "-c", ONE_EPOCH)
        cache, other = Path(folder, "cache"), Path(folder, "other")
        bare = median_of([seconds_of((sys.executable, "-c", ""), cache) for _ in range(args.rounds)])
        measure("import lsgnn", (sys.executable, "-c", "import lsgnn"), cache, args.rounds, less=bare)
        measure("lsgnn demo, first time", demo, cache, 1)
        measure("lsgnn demo", demo, cache, min(2, args.rounds))
        measure("lsgnn fit cora-linqs", (*LSGNN, "fit", "cora-linqs"), cache, args.rounds)
        seconds_of((*LSGNN, "diagnose", "debian"), cache)  # compiles what only it needs
        measure("lsgnn diagnose debian", (*LSGNN, "diagnose", "debian"), cache, min(2, args.rounds))
        warm = median_of([seconds_of(one_epoch, cache)])
        measure("compile", one_epoch, other, 1, less=warm)


if __name__ == "__main__":
    main()
