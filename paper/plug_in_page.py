"""The page of the plug-ins: each host with its own weights and with LocalSim's, published and ours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paper.frame import Results
from paper.page import Page, Row, Table
from paper.provenance import mixed_rows, versions
from paper.published import extremes, nine, nine_columns, of_nine, our_row, published, published_row, title

HOSTS = {"h2gcn": "H2GCN", "gprgnn": "GPRGNN", "dagnn": "DAGNN"}
SIDES = {"original": "", "localsim": " w/ LocalSim"}


def render(results: Results) -> Page:
    rows: list[Row] = []
    for host, label in HOSTS.items():
        rows += [published_row(label + words, published()["plug_in"][host][side]) for side, words in SIDES.items()]
    for host, label in HOSTS.items():
        rows += [our_row(label + words, _scores(results, host, side)) for side, words in SIDES.items()]
    tests = [key for key in results.finished() if key.endswith("/test")]
    how = "not run yet"
    if tests:
        facts = results.arguments(tests[0])
        how = (
            "the host's preset and random draws from its own space, the same for both sides, scored on validation "
            "nodes; the best one is tested. Configurations tried, splits that judge them and official splits tested: "
            f"{_budgets(results, tests)}. At most {facts['epochs']} epochs with patience {facts['patience']}, best "
            "validation loss, seed 28, cosine similarity, undirected, test read once; as elsewhere, test nodes of one "
            "split may validate in another"
        )
    several = [told for key in tests if (told := _versions(results, key))]
    caption = (
        "Test accuracy (%) with the host's own fusion weights and with LocalSim's, which start at the host's own "
        "(H2GCN, which has none, keeps its classifier, and its blocks are scaled). published: H2GCN and GPRGNN without "
        f"LocalSim are copied from other papers there, with LocalSim they are tuned. ours: {how}."
    ) + (f" By different versions of the host: {'; '.join(several)}." if several else "")
    rows_of: dict[str, dict[str, str]] = {}
    for key in tests:
        dataset, pair, _ = key.split("/")
        rows_of.setdefault(pair, {})[title(dataset)] = results.code(key)
    caption += mixed_rows(rows_of)
    return Page(
        "LocalSim as a plug-in",
        (Table("plug-in", caption, "model", nine_columns(), tuple(rows)),),
        _findings(results),
    )


def _budgets(results: Results, tests: Sequence[str]) -> str:
    """`16, 2, 10 on Texas`, for the datasets that have run, those of one budget together."""
    found: dict[str, list[str]] = {}
    for key in tests:
        facts, trial = results.arguments(key), results.arguments(key.replace("/test", "/trial-00"))
        budget, name = f"{facts['trials']}, {trial['splits']}, {facts['splits']}", title(facts["dataset"])
        if name not in found.setdefault(budget, []):
            found[budget].append(name)
    return "; ".join(f"{budget} on {', '.join(names)}" for budget, names in found.items())


def _versions(results: Results, test: str) -> str:
    """The versions of the host that a test, its trials and the other side's test come from, if there are several."""
    dataset, pair, _ = test.split("/")
    other = test.replace("-original/", "-localsim/")
    beside = [key for key in results.finished() if key.startswith(f"{dataset}/{pair}/") or key == other]
    codes = [results.code(key) for key in beside]
    return f"{title(dataset)} {pair} ({versions(codes)})" if len(set(codes)) > 1 else ""


def _scores(results: Results, host: str, side: str) -> dict[str, list[float] | None]:
    found = {dataset: results.get(f"{dataset}/{host}-{side}/test") for dataset in nine()}
    return {dataset: result and result["test"] for dataset, result in found.items()}


def _findings(results: Results) -> tuple[str, ...]:
    lines = []
    for host, label in HOSTS.items():
        without, with_ = (_scores(results, host, side) for side in SIDES)
        both = [dataset for dataset in nine() if without[dataset] and with_[dataset]]
        gains = {d: float(np.mean(with_[d] or []) - np.mean(without[d] or [])) for d in both}
        if gains:
            better, mean = sum(gain > 0 for gain in gains.values()), float(np.mean(list(gains.values())))
            lines.append(
                f"{label}: LocalSim changes the test accuracy by {mean:+.2f} points on average over "
                f"{of_nine(len(gains))} (better on {better}), {extremes(gains)}"
            )
    return tuple(lines)
