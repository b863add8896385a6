"""All faults, one after the other; goes on where it was stopped.

    python -m tests.faults --folder /some/disk                      # what `make faults` does
    python -m tests.faults --folder /some/disk --scene tune         # one command only
    python -m tests.faults --folder /some/disk --sample 6           # that many faults, spread over the commands

Each fault is one line of `faults.jsonl` in the folder. A full run without failures may `--record` its counts.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from pathlib import Path

from lsgnn.lines import LineFile
from tests.faults.judging import TOO_LATE, Failed, Stage, set_stage, strike
from tests.faults.plan import planned, sampled
from tests.faults.scenes import SCENES, make_world
from tests.faults.strikes import Strike
from tests.reliability import record


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="for everything that is written, and the counts")
    parser.add_argument("--scene", action="append", choices=[scene.name for scene in SCENES], help="repeatable")
    parser.add_argument("--sample", type=int, default=0, help="only so many faults")
    parser.add_argument("--record", action="store_true", help="write the counts to benchmarks/results/reliability.json")
    args = parser.parse_args()
    folder = args.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    done = LineFile(folder / "faults.jsonl")
    world = folder / "world"
    shutil.rmtree(world, ignore_errors=True)
    make_world(world)
    chosen = [scene for scene in SCENES if not args.scene or scene.name in args.scene]
    for scene in chosen:
        place = folder / scene.name.replace(" ", "-")
        shutil.rmtree(place, ignore_errors=True)
        stage = set_stage(scene, world, place / "stage")
        faults = planned(stage) if not args.sample else sampled(stage, args.sample // len(chosen) or 1)
        for what in faults:
            key = f"{scene.name}: {what}"
            if done.lines().get(key, {}).get("failed") == "":
                continue
            outcome, failed = _struck(stage, what, place / "fault")
            if outcome == TOO_LATE:
                continue
            done.add(key, {"scene": scene.name, "kind": what.kind, "outcome": outcome, "failed": failed})
            sys.stderr.write(f"{key}: {failed or outcome}\n")
    counted = done.lines().values()
    failures = [line for line in counted if line["failed"]]
    sys.stdout.write(f"{len(counted)} faults, {len(failures)} failures\n")
    if args.record:
        by = {what: dict(Counter(line[what] for line in counted)) for what in ("scene", "kind")}
        record("faults", {"faults": len(counted), "failures": len(failures), **by})
    return 1 if failures else 0


def _struck(stage: Stage, what: Strike, place: Path) -> tuple[str, str]:
    try:
        return strike(stage, what, place), ""
    except (Failed, TimeoutError) as error:
        return "", str(error)


if __name__ == "__main__":
    sys.exit(main())
