"""The page of the large graphs: published columns beside ours on whichever graphs were at hand."""

from __future__ import annotations

from collections.abc import Sequence

from paper.frame import Results
from paper.page import Cell, Page, Row, Score, Table
from paper.provenance import mixed
from paper.published import OURS, PUBLISHED, published

MODELS = {"gcn": "GCN", "sgc": "SGC", "gcnii": "GCNII", "linkx": "LINKX", "glognn": "GloGNN", "lsgnn": "LSGNN"}
TASKS = {
    "arxiv-year": "arxiv-year",
    "ogbn-arxiv": "ogbn-arxiv",
    "arxiv-2023-year": "arxiv-2023 by year (stand-in)",
    "arxiv-2023-subject": "arxiv-2023 by subject (stand-in)",
}


def render(results: Results) -> Page:
    done = {key: results.get(key) for key in results.finished()}
    entries = published()["large"]
    rows = []
    for name, scores in entries["rows"].items():
        printed = dict(zip(entries["datasets"], scores, strict=True))
        cells: list[Cell] = [Score(printed[task]) if task in printed else "–" for task in TASKS]
        rows.append(Row(name, tuple(cells), PUBLISHED))
    runs, several = set(), []
    for model, label in MODELS.items():
        ours: list[Cell] = []
        for task in TASKS:
            keys = [key for key in done if key.startswith(f"{task}/{model}-")]
            found = [done[key]["test"] for key in keys]
            ours.append(Score.of(found) if found else None)
            if told := mixed({int(key.rpartition("-")[2]): results.code(key) for key in keys}):
                several.append(f"{TASKS[task]} {label} {told}")
            runs |= {f"{TASKS[task]} {len(found)}"} if found else set()
        rows.append(Row(label, tuple(ours), OURS))
    caption = (
        "Test accuracy (%) on large graphs. published: mean of five runs (LINKX and GloGNN on ogbn-arxiv are the LSGNN "
        "authors' own runs). ours: mean ± std; LSGNN with the configuration released for ogbn-arxiv and arxiv-year "
        "(undirected without IRDC; directed with adjacency embedding), the others with their defaults, because no "
        "paper has any for these graphs: LSGNN has an advantage; all at width 64 and at most 200 epochs with patience "
        "30, nothing tuned; subjects on the official split with other seeds, years on other stratified 50/25/25 "
        "splits; LSGNN by its best validation loss, the others by accuracy, test read once. The stand-in has other "
        "papers and other features (title words): it does not compare with the published columns. "
        f"Runs: {', '.join(sorted(runs)) or 'none'}."
    ) + (f" Runs by different versions of the model: {'; '.join(several)}." if several else "")
    table = Table("large", caption, "model", tuple(TASKS.values()), tuple(rows), best="high")
    return Page("Large graphs", (table,), _findings([row for row in rows if row.source == OURS]))


def _findings(ours: Sequence[Row]) -> tuple[str, ...]:
    """For every task, the models that have run on it, best first."""
    lines = []
    for column, task in enumerate(TASKS.values()):
        scored = [(cell.mean, f"{row.label} {cell}") for row in ours if isinstance(cell := row.cells[column], Score)]
        if scored:
            lines.append(f"{task}: {', '.join(text for _, text in sorted(scored, reverse=True))}")
    return tuple(lines)
