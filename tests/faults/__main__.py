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
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lsgnn.lines import LineFile
from tests.faults.judging import TOO_LATE, Failed, set_stage, strike
from tests.faults.plan import planned, sampled
from tests.faults.scenes import SCENES, make_world
from tests.faults.service import SCENE as SERVE
from tests.faults.service import Service, ServiceFault, service_faults
from tests.faults.strikes import Strike
from tests.reliability import record


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="for everything that is written, and the counts")
    parser.add_argument("--scene", action="append", choices=[*(s.name for s in SCENES), SERVE], help="repeatable")
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
    serves = not args.scene or SERVE in args.scene
    each = args.sample and (args.sample // (len(chosen) + serves) or 1)
    unplayed: dict[str, str] = {}
    for scene in chosen:
        place = folder / scene.name.replace(" ", "-")
        shutil.rmtree(place, ignore_errors=True)
        try:
            stage = set_stage(scene, world, place / "stage")
        except (Failed, TimeoutError, OSError) as error:  # the other commands can be struck all the same
            unplayed[f"{scene.name}: no fault at all"] = str(error)
            continue
        faults = sampled(stage, each) if each else planned(stage)
        for what in faults:
            _count(done, scene.name, what, partial(strike, stage, what, place / "fault"))
    if serves:
        service = Service(folder / SERVE)
        try:
            for fault in service_faults(each):
                _count(done, SERVE, fault, partial(fault.play, service))
        finally:
            service.close()
    counted = done.lines()
    failed = unplayed | {key: line["failed"] for key, line in counted.items() if line["failed"]}
    failed = {key: why.strip().splitlines()[-1] for key, why in failed.items()}
    sys.stdout.write(f"{len(counted)} faults, {len(failed)} failures\n")
    if args.record:
        by = {what: dict(Counter(line[what] for line in counted.values())) for what in ("scene", "kind")}
        record("faults", {"faults": len(counted), "failures": len(failed), "failed": failed, **by})
    return 1 if failed else 0


def _count(done: LineFile, scene: str, what: Strike | ServiceFault, play: Callable[[], str]) -> None:
    """Plays one fault, unless it is known to have ended well, and writes down how it ended."""
    key = f"{scene}: {what}"
    if done.lines().get(key, {}).get("failed") == "":
        return
    try:
        outcome, failed = play(), ""
    except (Failed, TimeoutError, OSError) as error:
        outcome, failed = "", str(error) or type(error).__name__
    if outcome != TOO_LATE:
        done.add(key, {"scene": scene, "kind": what.kind, "outcome": outcome, "failed": failed})
        sys.stderr.write(f"{key}: {failed or outcome}\n")


if __name__ == "__main__":
    sys.exit(main())
