"""The page of the plug-ins: each host with its own weights and with LocalSim's, published and ours."""

from __future__ import annotations

import numpy as np

from lsgnn.paper.frame import Results
from lsgnn.paper.page import Page, Row, Table
from lsgnn.paper.published import nine, nine_columns, our_row, published, published_row, title

HOSTS = {"h2gcn": "H2GCN", "gprgnn": "GPRGNN", "dagnn": "DAGNN"}
SIDES = {"original": "", "localsim": " w/ LocalSim"}


def render(results: Results) -> Page:
    rows: list[Row] = []
    for host, label in HOSTS.items():
        rows += [published_row(label + words, published()["plug_in"][host][side]) for side, words in SIDES.items()]
    for host, label in HOSTS.items():
        rows += [our_row(label + words, _scores(results, host, side)) for side, words in SIDES.items()]
    tests = [key for key in results.finished() if key.endswith("/test")]
    facts = [results.arguments(key) for key in tests]
    budget = "not run yet"
    if facts:
        splits = sorted({f"{title(f['dataset'])} {f['splits']}" for f in facts if f["splits"] < 10})
        fewer = f" (fewer on: {', '.join(splits)})" if splits else ""
        trials = sorted({f["trials"] for f in facts})
        searched = {results.arguments(key)["splits"] for key in results.finished() if "/trial-" in key}
        budget = (
            f"{' or '.join(map(str, trials))} settings per side (the host's card and the same random draws from its "
            "own space for both), scored on the validation nodes of the first "
            f"{' or '.join(map(str, sorted(searched)))} splits; the best one tested on all ten "
            f"official splits{fewer}; at most "
            f"{facts[0]['epochs']} epochs with patience {facts[0]['patience']}, best validation loss, seed 28, cosine "
            "similarity, undirected, test read once"
        )
    caption = (
        "Test accuracy (%) with the host's own fusion weights and with LocalSim's. published: H2GCN and GPRGNN without "
        f"LocalSim are copied from other papers there, with LocalSim they are tuned. ours: {budget}."
    )
    return Page(
        "LocalSim as a plug-in",
        (Table("plug-in", caption, "model", nine_columns(), tuple(rows)),),
        _findings(results),
    )


def _scores(results: Results, host: str, side: str) -> dict[str, list[float] | None]:
    found = {dataset: results.get(f"{dataset}/{host}-{side}/test") for dataset in nine()}
    return {dataset: result and result["test"] for dataset, result in found.items()}


def _findings(results: Results) -> tuple[str, ...]:
    lines = []
    for host, label in HOSTS.items():
        pairs = zip(*(_scores(results, host, side).values() for side in SIDES), strict=True)
        gains = [float(np.mean(with_) - np.mean(without)) for without, with_ in pairs if with_ and without]
        if gains:
            better = sum(gain > 0 for gain in gains)
            lines.append(
                f"{label}: LocalSim changes the test accuracy by {np.mean(gains):+.2f} points on average over "
                f"{len(gains)} datasets (better on {better})"
            )
    return tuple(lines)
