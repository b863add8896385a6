"""Writes the generated tables of README.md from the files under results/; `--check` tells whether they are stale."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"

# the authors' own logs and the paper's table (fact sheet, sections 3 and 5)
AUTHORS = {
    "cora": (88.14, 88.49),
    "citeseer": (77.43, 76.71),
    "pubmed": (89.84, 90.23),
    "chameleon": (79.01, 79.04),
    "squirrel": (72.62, 72.81),
    "actor": (36.17, 36.18),
    "cornell": (87.30, 88.92),
    "cornell-fixed": (74.86, None),
    "texas": (90.27, 90.27),
    "wisconsin": (90.00, 90.20),
}


def released_table(results: Path) -> str:
    """One row per dataset: ours beside the authors' log and the published number."""
    lines = [
        "| dataset | splits | direction | ours, fused engine | ours, torch loop | authors' log | published |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (log, published) in AUTHORS.items():
        engines = [_read(results / folder / f"{name}.json") for folder in ("released", "released-torch")]
        known = next((result for result in engines if result), None)
        rule = "authors'" if name in ("cora", "citeseer", "pubmed") else "Geom-GCN"
        splits = f"{len(known['splits'])}, {rule}" if known else ""
        direction = known["config"]["direction"] if known else ""
        cells = (name, splits, direction, *map(_score, engines), f"{log:.2f}", _or_dash(published))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def speed_table(results: Path) -> str:
    """CPU seconds of our engine and how many times as long the others take."""
    measured = _read(results / "benchmarks" / "train_cost.json") or {"results": []}
    others = ("lsgnn-as-released", "gcn", "gat", "sgc")
    lines = [
        "| dataset | epochs | LSGNN, fused engine | as the released code computes it | GCN | GAT | SGC |",
        "|---|---|---|---|---|---|---|",
    ]
    for entry in measured["results"]:
        medians = {method: median(cpu for cpu, _ in rounds) for method, rounds in entry["seconds"].items()}
        ratios = (f"{medians[method] / medians['lsgnn']:.1f} ×" for method in others)
        lines.append(f"| {entry['dataset']} | {entry['epochs']} | {medians['lsgnn']:.2f} s | {' | '.join(ratios)} |")
    return "\n".join(lines)


def _read(file: Path) -> Any:
    return json.loads(file.read_text()) if file.exists() else None


def _score(result: Any) -> str:
    if result is None:
        return "not run yet"
    return f"{result['test_accuracy']['mean']:.2f} ± {result['test_accuracy']['std']:.2f}"


def _or_dash(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


SECTIONS = {"released": released_table, "speed": speed_table}


def render(readme: str, results: Path) -> str:
    """The README with every generated section made anew."""
    for name, table in SECTIONS.items():
        pattern = re.compile(rf"(<!-- begin {name} .*?-->\n).*?(<!-- end {name} -->)", re.DOTALL)
        content = table(results)
        readme = pattern.sub(lambda match, content=content: f"{match[1]}{content}\n{match[2]}", readme)
    return readme


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 if README.md is stale")
    check = parser.parse_args().check
    before = README.read_text()
    after = render(before, ROOT / "results")
    if check:
        return int(before != after)
    README.write_text(after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
