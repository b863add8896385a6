"""Every fuzz test with many times its usual number of cases, and the counts of them.

python -m tests.fuzz --times 15 --record
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import Any

import pytest

from tests.fuzz import TIMES
from tests.reliability import record

WHERE = ("tests/fuzz", "tests/graph/test_fuzz.py", "tests/serving/test_app.py")


class Counter:
    """Sums what hypothesis says of each test."""

    def __init__(self) -> None:
        self.cases: dict[str, int] = {}
        self.failed = 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed += bool(report.failed)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: Any) -> None:
        told = getattr(item, "hypothesis_statistics", "")
        found = re.findall(r"(\d+) passing(?: examples)?, (\d+) failing", told)
        if found:
            self.cases[item.nodeid] = sum(int(number) for pair in found for number in pair)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=15, help="the usual number of cases")
    parser.add_argument("--record", action="store_true", help="write the counts to benchmarks/results/reliability.json")
    args = parser.parse_args()
    os.environ[TIMES] = str(args.times)
    counter = Counter()
    code = pytest.main(["-q", "-p", "no:cacheprovider", "-k", "fuzz or bytes or json", *WHERE], plugins=[counter])
    total = sum(counter.cases.values())
    sys.stdout.write(f"{total} cases of {len(counter.cases)} tests, {counter.failed} failures\n")
    if args.record:
        by_test = {name.partition("::")[2]: count for name, count in sorted(counter.cases.items())}
        record("fuzz", {"cases": total, "failures": counter.failed, "tests": by_test})
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
