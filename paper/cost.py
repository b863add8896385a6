"""The training-cost table: seconds per 200 epochs, from what `benchmarks/train_cost.py` measured, and what memory every
model needs, from `benchmarks/zoo_memory.py`.

Nothing is computed here: timings belong to a quiet machine and to a script of their own, run with
`--json benchmarks/results/train_cost.json`.
"""

from __future__ import annotations

from statistics import median
from typing import Any

from paper.frame import Experiment, Results
from paper.page import Cell, Page, Row, Score, Table
from paper.published import OURS, average, nine, nine_columns, published, published_row, title

METHODS = {
    "gcn": "GCN (PyG)",
    "sgc": "SGC (PyG)",
    "gat": "GAT (PyG)",
    "lsgnn-as-released": "LSGNN, as released",
    "lsgnn-torch": "LSGNN, torch loop",
    "lsgnn": "LSGNN, fused engine",
}
EPOCHS = 200  # of the paper's table; only measurements over as many are shown


def render(results: Results) -> Page:
    document: dict[str, Any] = results.benchmark("train_cost") or {"results": []}
    measured = {entry["dataset"]: entry for entry in document["results"] if entry["epochs"] == EPOCHS}
    rows = [published_row(name, entry) for name, entry in published()["cost"].items()]
    rows += [_row(label, method, measured) for method, label in METHODS.items()]
    how = "not run yet"
    if measured:
        precompute = ", ".join(f"{measured[d]['precompute_cpu_seconds']:.2f}" for d in nine() if d in measured)
        how = (
            f"CPU seconds on {document['threads']} thread, median of {document['rounds']} interleaved rounds "
            f"({document.get('slow_rounds', document['rounds'])} of GAT, our torch loop and the released computation), "
            f"an evaluation after every epoch, hidden 16 (GAT 8 × 8), torch {document['torch']}; not included are "
            f"LSGNN's precompute ({precompute} s) and SGC's cached propagation"
        )
    caption = (
        "Seconds per 200 training epochs with five layers or hops. published: mean of ten repeats on an RTX 3080 GPU, "
        f"whether precompute is included is not said. ours: {how}."
    )
    table = Table("cost", caption, "model", nine_columns(), tuple(rows), best="low")
    return Page("Training cost", (table, *_memory(results)), _findings(measured))


def _memory(results: Results) -> tuple[Table, ...]:
    """What every model of the zoo needs, if `benchmarks/zoo_memory.py` has measured it."""
    from lsgnn import zoo

    peaks: dict[str, dict[str, float]] | None = results.benchmark("zoo_memory")
    if peaks is None:
        return ()
    rows = []
    for model in zoo.names():
        cells: list[Cell] = [f"{peak:.0f}" if (peak := peaks[d].get(model)) else None for d in peaks]
        rows.append(Row(zoo.get(model).title, tuple(cells)))
    caption = (
        "Peak memory (MB) of a process that prepares a model with its preset and trains it for two epochs on "
        "the first official split: python, torch and the graph are included. ours: `benchmarks/zoo_memory.py`."
    )
    return (Table("cost-memory", caption, "model", tuple(map(title, peaks)), tuple(rows)),)


def seconds(entry: dict[str, Any], method: str) -> float | None:
    """Median CPU seconds of a method on one dataset."""
    rounds = entry["seconds"].get(method)
    return median(cpu for cpu, _ in rounds) if rounds else None


def _row(label: str, method: str, measured: dict[str, dict[str, Any]]) -> Row:
    cells: list[Cell] = []
    for dataset in nine():
        found = seconds(measured[dataset], method) if dataset in measured else None
        cells.append(None if found is None else Score(found))
    return Row(label, (*cells, average(cells)), OURS)


def _findings(measured: dict[str, dict[str, Any]]) -> tuple[str, ...]:
    lines = []
    for method in ("lsgnn-as-released", "sgc", "gcn", "gat"):
        pairs = [(seconds(entry, method), seconds(entry, "lsgnn")) for entry in measured.values()]
        ratios = [other / ours for other, ours in pairs if other and ours]
        if ratios:
            lines.append(
                f"{METHODS[method]} takes {median(ratios):.1f} times the time of our engine ({min(ratios):.1f} to "
                f"{max(ratios):.1f} over {len(ratios)} datasets)"
            )
    return tuple(lines)


EXPERIMENT = Experiment(
    "cost", "Training cost", render, sources=lambda results: filter(None, [results.benchmark("train_cost")])
)
