"""The page of the ablation: the paper's rows beside ours, and paired differences for what the paper leaves out."""

from __future__ import annotations

import numpy as np

from lsgnn.benchmark.difference import Difference
from paper.ablation_variants import CUMULATIVE, EXTRA, PUBLISHED_NAME, stored_name
from paper.frame import Results
from paper.graphs import SPLITS, released
from paper.page import Cell, Page, Row, Table
from paper.published import extremes, nine, nine_columns, of_nine, our_row, published, published_row

HOW = (
    "ours: configuration of the authors' released code per dataset (β, γ, lr, weight decay, dropout, similarity, "
    "direction), seed 28, 200 epochs, best validation loss, test read once; nothing tuned per row"
)


def render(results: Results) -> Page:
    rows = []
    for name, (label, _) in CUMULATIVE.items():
        entry = published()["ablation"].get(PUBLISHED_NAME.get(name, name))
        if entry is not None:
            rows.append(published_row("Rand" if name == "rand_node" else label, entry))
    rows += [our_row(label, _scores(results, name)) for name, (label, _) in CUMULATIVE.items()]
    caption = f"Test accuracy (%), components added one by one. {HOW}; {_splits(results)}."
    extra = tuple(_differences(results, name, label) for name, (label, _) in EXTRA.items())
    lacking = Table(
        "ablation-extra",
        "What one changed hyperparameter does to LSGNN: mean difference of the test accuracy to the full model in "
        "points, paired over splits, with its 95 % t interval (splits share nodes, so it is rather too narrow); = "
        f"where the released configuration has it already, – where the edge list is symmetric. {HOW}; "
        f"{_splits(results)}.",
        "changed",
        nine_columns()[:-1],
        extra,
    )
    return Page(
        "Ablation", (Table("ablation", caption, "variant", nine_columns(), tuple(rows)), lacking), _findings(results)
    )


def _scores(results: Results, variant: str) -> dict[str, list[float] | None]:
    return {dataset: _test(results, dataset, variant) for dataset in nine()}


def _test(results: Results, dataset: str, variant: str) -> list[float] | None:
    name = stored_name(dataset, variant)
    found = results.get(f"{dataset}/{name}") if name else None
    return None if found is None else list(found["test"])


def _differences(results: Results, variant: str, label: str) -> Row:
    cells: list[Cell] = []
    for dataset in nine():
        name = stored_name(dataset, variant)
        if name in (None, "lsgnn"):
            cells.append("–" if name is None else "=")
            continue
        changed, full = _test(results, dataset, variant), _test(results, dataset, "lsgnn")
        cells.append(None if changed is None or full is None else difference(changed, full))
    return Row(label, tuple(cells))


def difference(changed: list[float], full: list[float]) -> str:
    """Mean paired difference over the splits both have, and half of its 95 % t interval."""
    found = Difference.between(changed, full[: len(changed)])
    half = "" if found.interval is None else f" ± {found.interval[1] - found.mean:.2f}"
    return f"{found.mean:+.2f}{half}"


def _splits(results: Results) -> str:
    """Which splits, and where fewer than ten were run, from the stored units."""
    authors = [d for d in nine() if released(d).splits == "authors"]
    fewer: dict[int, list[str]] = {}
    for key in results.finished():
        count = results.arguments(key)["splits"]
        if count < 10:
            fewer.setdefault(count, []).append(key)
    text = f"{SPLITS['official']}, except {SPLITS['authors']} for {', '.join(authors)}, as the authors did"
    return text + "".join(f"; only the first {n} splits for {', '.join(keys)}" for n, keys in sorted(fewer.items()))


def _findings(results: Results) -> tuple[str, ...]:
    lines = []
    for worse, better, what in (
        ("baseline", "localsim", "LocalSim over graph-level weights (baseline filters)"),
        ("graph_weights", "lsgnn", "LocalSim over graph-level weights (full model)"),
        ("localsim", "weighted_self_loops", "weighted self loops"),
        ("weighted_self_loops", "lsgnn", "IRDC"),
    ):
        gains = {}
        for dataset in nine():
            a, b = _test(results, dataset, worse), _test(results, dataset, better)
            if a is not None and b is not None:
                gains[dataset] = float(np.mean(b[: len(a)]) - np.mean(a[: len(b)]))
        if gains:
            mean = float(np.mean(list(gains.values())))
            lines.append(f"{what}: {mean:+.2f} points on average over {of_nine(len(gains))}, {extremes(gains)}")
    return tuple(lines)
