"""The counts of `make test-minimum`: one JUnit file per folder of tests, and what was installed."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.reliability import record

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def counts(folder: Path) -> dict[str, Any]:
    """Tests that passed, failed and were skipped, the versions of what we declare, and which are the lowest of it."""
    total, parts = Counter[str](), sorted(folder.glob("*.xml"))
    for part in parts:
        suite = ElementTree.parse(part).getroot().find("testsuite")
        assert suite is not None
        total.update({name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")})
    failed = total["failures"] + total["errors"]
    lines = (folder / "installed.txt").read_text("utf-8").splitlines()
    installed = {_name(name): version for name, _, version in (line.partition("==") for line in lines)}
    declared = dict(line.split(">=") for line in tomllib.loads(PROJECT.read_text("utf-8"))["project"]["dependencies"])
    versions = {name: installed[_name(name)] for name in declared}
    lowest = [name for name, version in versions.items() if f"{version}.".startswith(f"{declared[name]}.")]
    return {
        "passed": total["tests"] - failed - total["skipped"],
        "failed": failed,
        "skipped": total["skipped"],
        "folders": [part.stem for part in parts],
        "versions": versions,
        "lowest": lowest,
    }


def _name(name: str) -> str:
    return name.lower().replace("_", "-")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the JUnit files and the list of versions are")
    parser.add_argument("--record", action="store_true", help="write the counts to benchmarks/results/reliability.json")
    args = parser.parse_args()
    found = counts(args.folder)
    sys.stdout.write(f"{found['passed']} passed, {found['failed']} failed, {found['skipped']} skipped\n")
    if args.record:
        record("minimum", found)


if __name__ == "__main__":
    main()
