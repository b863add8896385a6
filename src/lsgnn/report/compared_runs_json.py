"""Compared runs as one JSON document, for `lsgnn compare-runs --json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from lsgnn.report.compared_runs import ComparedRuns
from lsgnn.report.disagreements import disagreements
from lsgnn.report.node_table import PART_NAMES
from lsgnn.report.runs_verdict import verdict_of_runs


def document_of(compared: ComparedRuns, show_test: bool = False) -> dict[str, Any]:
    """Scores and pairs on the shared nodes, agreement, and every node that runs disagree about."""
    best, *others = compared.ranking()
    nodes = disagreements(compared, limit=len(compared.y), show_test=show_test)

    def scored(name: str) -> dict[str, Any]:
        found = {part: compared.score(name, part) for part in ("val", "test")}
        return {part: None if score is None else asdict(score) for part, score in found.items()}

    return {
        "graph": compared.first.graph.name,
        "metric": compared.metric,
        "shared_nodes": {part: int(compared.shared(part).sum()) for part in ("val", "test")},
        "runs": [{"run": name, "model": compared.runs[name].model, **scored(name)} for name in (best, *others)],
        "pairs": [{"first": best, "second": name, **asdict(compared.pair(best, name, "val"))} for name in others],
        "agreement": {"runs": compared.names, "share": compared.agreement.tolist()},
        "verdict": verdict_of_runs(compared),
        "notes": list(compared.notes),
        "disagreements": [
            {
                "node": id,
                "part": PART_NAMES[part],
                "label": nodes.classes[true] if true >= 0 else None,
                "said": {
                    name: {"class": nodes.classes[c], "probability": p}
                    for name, (c, p) in zip(compared.names, said, strict=True)
                },
            }
            for id, part, true, *said in nodes.rows
        ],
    }
