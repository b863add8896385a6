"""The page of the theorem check: measured and predicted values with 95 % intervals, as a table and a figure."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np

from paper.figures import BLUE, GREY, ORANGE, drawing
from paper.frame import Results
from paper.page import Figure, Page, Row, Table
from paper.theorem_smoothed_page import gap_table, smoothed_finding, smoothed_table

TITLE = "Theorem 1 by simulation"


def expected(lam: float, facts: Mapping[str, Any]) -> float:
    """E[φ] of the theorem."""
    first, second = facts["mu"]
    return float(-2 * facts["sigma"] ** 2 - (1 - lam) * (first - second) ** 2)


def bound(lambdas: list[float], facts: Mapping[str, Any]) -> float:
    """The least E|φ_i − φ_j| of the theorem."""
    first, second = facts["mu"]
    return float(abs(lambdas[0] - lambdas[1]) * (first - second) ** 2)


def render(results: Results) -> Page:
    keys = sorted(results.finished(), key=lambda key: (not key.endswith("paper"), key))
    done = {key: (results.arguments(key), results.get(key)) for key in keys}
    if not done:
        return Page(TITLE, (), ("not run yet: `python -m paper run theorem`",))
    items: list[Table | Figure] = []
    if "fixed-paper" in done:
        items.append(Figure("theorem", _caption(done), lambda: _draw(done)))
    plain = {key: found for key, found in done.items() if not key.startswith("smoothed")}
    items += [_expectation(key, *plain[key]) for key in plain] + [_distance(key, *plain[key]) for key in plain]
    findings = [*(_finding(key, *plain[key]) for key in plain), *_remark(done)]
    for key, (facts, result) in done.items():
        if key not in plain:
            items += [smoothed_table(key, facts, result), gap_table(key, facts, result)]
            findings.append(smoothed_finding(key, facts, result))
    return Page(TITLE, tuple(items), tuple(findings))


def _world(key: str, facts: Mapping[str, Any]) -> str:
    who = (
        f"{facts['nodes']:,} independent nodes with exactly {facts['degree']} neighbours each"
        if key.startswith("fixed")
        else f"{facts['graphs']} FSBM graphs of {facts['n']} nodes per pair with random degrees (expected "
        f"{facts['degree']}), nodes without neighbours left out, intervals over graphs"
    )
    return f"ours: μ = ({facts['mu'][0]:g}, {facts['mu'][1]:g}), σ = {facts['sigma']:g}; {who}; seed {facts['seed']}"


def _inside(entry: Mapping[str, float], value: float) -> bool:
    return abs(entry["mean"] - value) <= entry["half"]


def _finding(key: str, facts: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    rows = result["expectation"]
    hits = sum(_inside(row, expected(row["lambda"], facts)) for row in rows)
    worst = max(abs(row["mean"] - expected(row["lambda"], facts)) / row["half"] * 1.96 for row in rows)
    joint = NormalDist().inv_cdf(1 - 0.025 / len(rows))
    verdict = "which is within" if worst <= joint else "which is outside"
    holds = sum(row["mean"] - row["half"] >= bound(row["lambdas"], facts) for row in result["distance"])
    return (
        f"{key}: the 95 % interval holds the predicted expectation for {hits} of {len(rows)} values (one in twenty "
        f"should miss; the largest distance is {worst:.1f} standard errors, {verdict} the joint 95 % interval of "
        f"{joint:.1f}); "
        f"the bound lies below the whole interval for {holds} of {len(result['distance'])} pairs"
    )


def _remark(done: Mapping[str, Any]) -> list[str]:
    """How much of the distance is noise: pairs of equal λ."""
    rows = {
        tuple(row["lambdas"]): row["mean"] for row in done.get("fixed-paper", (None, {"distance": []}))[1]["distance"]
    }
    same = [mean for (a, b), mean in rows.items() if a == b]
    if not same:
        return []
    return [
        f"two nodes of the same λ are {same[0]:.2f} apart on average, those of λ = 0 and 1 {max(rows.values()):.2f}: "
        "the theorem is about expectations, and the LocalSim of a single node is mostly noise (see the toy graphs)"
    ]


def _expectation(key: str, facts: Mapping[str, Any], result: Mapping[str, Any]) -> Table:
    rows = []
    for row in sorted(result["expectation"], key=lambda r: r["lambda"]):
        value = expected(row["lambda"], facts)
        cells = (f"{value:.4f}", f"{row['mean']:.4f} ± {row['half']:.4f}", "yes" if _inside(row, value) else "no")
        rows.append(Row(f"{row['lambda']:.1f}", cells))
    caption = f"E[φ] of Theorem 1 and its mean with a 95 % interval. {_world(key, facts)}."
    return Table(f"theorem-{key}", caption, "λ", ("theorem", "measured", "inside"), tuple(rows))


def _distance(key: str, facts: Mapping[str, Any], result: Mapping[str, Any]) -> Table:
    rows = []
    for row in result["distance"]:
        value = bound(row["lambdas"], facts)
        holds = "yes" if row["mean"] - row["half"] >= value else "no"
        label = "{:.1f}, {:.1f}".format(*row["lambdas"])
        rows.append(Row(label, (f"{value:.4f}", f"{row['mean']:.4f} ± {row['half']:.4f}", holds)))
    caption = f"The lower bound of Theorem 1 on E|φᵢ − φⱼ| and its mean with a 95 % interval. {_world(key, facts)}."
    return Table(f"theorem-distance-{key}", caption, "λ₁, λ₂", ("bound", "measured", "holds"), tuple(rows))


def _caption(done: Mapping[str, Any]) -> str:
    fixed, rest = _world("fixed-paper", done["fixed-paper"][0]), "."
    if "random-paper" in done:
        rest = f"; hollow: {_world('random-paper', done['random-paper'][0]).removeprefix('ours: ')}."
    return (
        "Left: mean LocalSim against λ with 95 % intervals (smaller than the marks) and the line of Theorem 1. Right: "
        f"mean distance of two nodes from subgraphs of different λ, and the bound. {fixed}{rest}"
    )


def _draw(done: Mapping[str, Any]) -> Any:
    facts = done["fixed-paper"][0]
    looks = {
        "fixed-paper": ("fixed degrees", BLUE, "o", BLUE, 0.0),
        "random-paper": ("random graphs", ORANGE, "D", "none", 0.015),
    }
    with drawing(8.5, 3.4, 1, 2) as (figure, axes):
        left, right = axes[0]
        ends = [0.0, 1.0]
        left.plot(ends, [expected(lam, facts) for lam in ends], color=GREY, label="Theorem 1", zorder=1)
        right.plot(ends, [bound([0, gap], facts) for gap in ends], color=GREY, label="bound of Theorem 1", zorder=1)
        for key, (label, colour, mark, face, shift) in looks.items():
            if key not in done:
                continue
            result = done[key][1]
            look = {"color": colour, "marker": mark, "markerfacecolor": face, "linestyle": "none", "capsize": 3}
            e, d = result["expectation"], result["distance"]
            x = np.array([row["lambda"] for row in e]) + shift
            left.errorbar(x, [r["mean"] for r in e], [r["half"] for r in e], label=label, markersize=4, **look)
            x = np.array([abs(row["lambdas"][0] - row["lambdas"][1]) for row in d]) + shift
            right.errorbar(x, [r["mean"] for r in d], [r["half"] for r in d], label=label, markersize=4, **look)
        left.set(
            xlabel="λ, expected share of neighbours of the same class", ylabel="mean LocalSim φ", title="Expectation"
        )
        right.set(xlabel="|λ₁ − λ₂|", ylabel="mean |φᵢ − φⱼ|", title="Distance between subgraphs", ylim=(0, None))
        left.legend(loc="upper left")
        right.legend(loc="upper left")
    return figure
