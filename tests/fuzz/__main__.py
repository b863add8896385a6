"""Every fuzz test, round after round, each with other cases; goes on where it was stopped.

    python -m tests.fuzz --folder build/fuzz --rounds 15 --record        # what `make fuzz` does

A round is one line of `fuzz.jsonl` in the folder: how many cases each test has looked at, and what failed.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lsgnn.lines import LineFile
from tests.reliability import record

WHERE = (
    *("tests/fuzz", "tests/graph/test_fuzz.py", "tests/serving/test_app.py", "tests/datasets/test_pickles.py"),
    *("tests/out_of_core/test_checks.py", "tests/out_of_core/test_damage.py", "tests/test_lines.py"),
)


class Watch:
    """Remembers what hypothesis says of each test."""

    def __init__(self) -> None:
        self.cases: dict[str, int] = {}
        self.failures = 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failures += bool(report.failed)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: Any) -> None:
        told = getattr(item, "hypothesis_statistics", "")
        found = re.findall(r"(\d+) passing(?: examples)?, (\d+) failing", told)
        if found:
            self.cases[item.nodeid.partition("::")[2]] = sum(int(number) for pair in found for number in pair)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="for the counts")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--record", action="store_true", help="write the counts to benchmarks/results/reliability.json")
    args = parser.parse_args()
    os.environ.pop("CI", None)  # where the cases are the same every time
    args.folder.mkdir(parents=True, exist_ok=True)
    done = LineFile(args.folder.resolve() / "fuzz.jsonl")
    for number in range(args.rounds):
        if done.lines().get(f"round {number}", {}).get("failures") != 0:  # or mended since
            done.add(f"round {number}", played(number))
    rounds = list(done.lines().values())
    tests = sum((Counter(one["cases"]) for one in rounds), Counter())
    failures = sum(one["failures"] for one in rounds)
    sys.stdout.write(f"{tests.total()} cases of {len(tests)} tests in {len(rounds)} rounds, {failures} failures\n")
    if args.record:
        record("fuzz", {"cases": tests.total(), "failures": failures, "tests": dict(sorted(tests.items()))})
    return 1 if failures else 0


def played(number: int) -> dict[str, Any]:
    """One round, whose number seeds its cases."""
    watch = Watch()
    words = ["-q", "-p", "no:cacheprovider", f"--hypothesis-seed={number}", "-m", "fuzz", *WHERE]
    code = pytest.main(words, plugins=[watch])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"round {number} was stopped")
    return {"cases": watch.cases, "failures": watch.failures}


if __name__ == "__main__":
    sys.exit(main())
