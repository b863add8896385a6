"""Smoothed LocalSim on the page of the theorem: its variance, and what is left of the gap between subgraphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paper.page import Row, Table
from paper.theorem_smoothed import blur, smoothed_variance, variance


def smoothed_table(key: str, facts: Mapping[str, Any], result: Mapping[str, Any]) -> Table:
    rows = []
    for row in result["smoothed"]:
        one, several = variance(row["lambda"], facts), smoothed_variance(row["lambda"], facts)
        measured = f"{row['variance']:.4f} ± {row['variance_half']:.4f}"
        cells = (f"{row['mean']:.4f} ± {row['half']:.4f}", f"{one:.3f}", f"{several:.4f}", measured)
        rows.append(Row(f"{row['lambda']:.1f}", (*cells, "yes" if _holds(row, facts) else "no")))
    caption = (
        "φ averaged over a node and its neighbours: its mean, the variance of φ of one node, the predicted variance of "
        f"the average, and the measured one with a 95 % interval. {_world(facts)}."
    )
    columns = ("mean of φ¹", "Var[φ]", "Var[φ¹]", "measured", "inside")
    return Table(f"theorem-{key}", caption, "λ", columns, tuple(rows))


def gap_table(key: str, facts: Mapping[str, Any], result: Mapping[str, Any]) -> Table:
    whole, worst = _gap(facts), max(smoothed_variance(lam, facts) / variance(lam, facts) for lam in facts["pair"])
    rows = []
    for row in result["gap"]:
        left = blur(row["share"], facts["degree"])
        cells = (f"{left * whole:.4f}", f"{row['mean']:.4f} ± {row['half']:.4f}", "yes" if left**2 > worst else "no")
        rows.append(Row(f"{row['share']:.1f}", cells))
    caption = (
        "Where neighbours are of another subgraph: the gap between the smoothed LocalSim of both, by the share ρ of "
        f"neighbours of the node's own (λ = {facts['pair'][1]:g} and {facts['pair'][0]:g}; {whole:g} without "
        f"smoothing), and whether smoothing helps: gap² over variance grows. {_world(facts)}."
    )
    return Table(f"theorem-gap-{key}", caption, "ρ", ("predicted", "measured", "helps"), tuple(rows))


def smoothed_finding(key: str, facts: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    rows = result["smoothed"]
    hits = sum(_holds(row, facts) for row in rows)
    ratios = [variance(row["lambda"], facts) / smoothed_variance(row["lambda"], facts) for row in rows]
    return (
        f"{key}: the 95 % interval holds the predicted variance of smoothed LocalSim for {hits} of {len(rows)} values; "
        f"averaging once divides the variance by {min(ratios):.1f} to {max(ratios):.1f}, and the expectation stays"
    )


def _holds(row: Mapping[str, float], facts: Mapping[str, Any]) -> bool:
    return abs(row["variance"] - smoothed_variance(row["lambda"], facts)) <= row["variance_half"]


def _gap(facts: Mapping[str, Any]) -> float:
    (first, second), (low, high) = facts["mu"], facts["pair"]
    return float((high - low) * (first - second) ** 2)


def _world(facts: Mapping[str, Any]) -> str:
    return (
        f"ours: μ = ({facts['mu'][0]:g}, {facts['mu'][1]:g}), σ = {facts['sigma']:g}; {facts['nodes']:,} independent "
        f"nodes, {facts['degree']} neighbours each and {facts['degree'] - 1} more beyond each of them; seed "
        f"{facts['seed']}"
    )
