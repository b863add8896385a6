"""The page of the toy experiment: heat maps over (λ1, λ2), a difference map, and where weights per node pay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paper.figures import drawing, heat_map
from paper.frame import Results
from paper.page import Cell, Figure, Page, Row, Score, Table

Array = NDArray[np.float64]
METHODS = {
    "raw": "Raw feature",
    "filter_graph": "Graph-level α, P̂x only",
    "filter_localsim": "LocalSim α, P̂x only",
    "full_graph": "Graph-level α, full model",
    "full_localsim": "LocalSim α, full model",
    "full_localsim_averaged": "LocalSim averaged (ours)",
    "one_hop_limit": "One-hop limit",
    "told_subgraph_limit": "Limit, subgraph known",
}
REGIONS: dict[str, Callable[[float, float], bool]] = {
    "|λ₁ − λ₂| ≥ 0.8": lambda a, b: abs(a - b) >= 0.79,
    "0.3 ≤ |λ₁ − λ₂| < 0.8": lambda a, b: 0.29 <= abs(a - b) < 0.79,
    "|λ₁ − λ₂| < 0.3": lambda a, b: abs(a - b) < 0.29,
    "all cells": lambda a, b: True,
}


def render(results: Results) -> Page:
    cells = {key: results.get(key) for key in results.finished()}
    if not cells:
        return Page("Toy graphs: a mixture of heterophily", (), ("not run yet: `python -m paper run toy`",))
    facts = results.arguments(next(iter(cells)))
    places = {key: _place(results.arguments(key)) for key in cells}
    lambdas = sorted({value for place in places.values() for value in place})
    maps = {method: _map(cells, places, lambdas, method) for method in METHODS}
    how = (
        f"ours: {facts['graphs']} FSBM graphs per cell (n = {facts['n']}, expected degree {facts['degree']:g}, μ = ±1, "
        "σ = 1), undirected, one 48/32/20 split per graph by seed; K = 1, P̂ = normalised A + I, naive LocalSim with "
        f"sim = −(x − y)²; Adam, lr {facts['lr']:g}, at most {facts['epochs']} epochs, best validation loss, test read "
        "once. “Raw” takes the nearer class mean of the training nodes."
    )
    paper = Figure(
        "toy",
        "Test accuracy (%) over the homophily of the two subgraphs with the filtered feature alone, as the text of the "
        f"paper reads; one colour scale, and LocalSim minus graph-level. {how}",
        lambda: _four(maps, lambdas, ("raw", "filter_graph", "filter_localsim")),
    )
    full = Figure(
        "toy-full",
        "The same with all three channels and the raw block: LocalSim weights; LocalSim averaged over the neighbours "
        "(ours); the one-hop limit, which is the best that any rule can do that sees a node and its neighbours; and "
        f"LocalSim minus graph-level weights. {how}",
        lambda: _limits(maps, lambdas),
    )
    return Page(
        "Toy graphs: a mixture of heterophily", (paper, full, _table(cells, places, how)), _findings(cells, places)
    )


def _place(arguments: Mapping[str, Any]) -> tuple[float, float]:
    return float(arguments["lambda1"]), float(arguments["lambda2"])


def _map(cells: Mapping[str, Any], places: Mapping[str, Any], lambdas: list[float], method: str) -> Array:
    grid = np.full((len(lambdas), len(lambdas)), np.nan)
    for key, cell in cells.items():
        i, j = (lambdas.index(value) for value in places[key])
        grid[i, j] = np.mean(cell["accuracy"][method])
    return grid


def gain(cell: Mapping[str, Any], better: str, worse: str) -> tuple[float, float]:
    """Mean paired difference over the graphs of a cell, and its standard error."""
    gaps = np.subtract(cell["accuracy"][better], cell["accuracy"][worse])
    return float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps))) if len(gaps) > 1 else float("inf")


def _findings(cells: Mapping[str, Any], places: Mapping[str, Any]) -> tuple[str, ...]:
    lines = []
    for name, graph, local in (
        ("filtered feature alone", "filter_graph", "filter_localsim"),
        ("full model", "full_graph", "full_localsim"),
        ("full model, LocalSim averaged over neighbours", "full_graph", "full_localsim_averaged"),
    ):
        gains = {key: gain(cell, local, graph) for key, cell in cells.items()}
        below = sum(mean < -3 * error for mean, error in gains.values())
        above = sum(mean > 3 * error for mean, error in gains.values())
        apart = [mean for key, (mean, _) in gains.items() if abs(places[key][0] - places[key][1]) >= 0.79]
        if not apart:
            continue  # the corners of the grid have not run yet
        everywhere, corners = np.mean([mean for mean, _ in gains.values()]), np.mean(apart)
        worst = min(mean for mean, _ in gains.values())
        lines.append(
            f"{name}: LocalSim minus graph-level weights is {_signed(everywhere)} points on average, "
            f"{_signed(corners)} where |λ₁ − λ₂| ≥ 0.8, {_signed(worst)} in the worst cell; beyond three standard "
            f"errors it is above in {above} and below in {below} of {len(gains)} cells"
        )
    mirrored = [cell["accuracy"] for key, cell in cells.items() if abs(sum(places[key]) - 1) < 1e-9]
    if mirrored:
        limit, raw = (np.mean([accuracy[method] for accuracy in mirrored]) for method in ("one_hop_limit", "raw"))
        lines.append(
            "where λ₁ + λ₂ = 1 a node's neighbours look the same for both classes: the best rule that sees one hop is "
            f"right in {limit:.1f} % of cases, the raw feature in {raw:.1f} %; telling the subgraphs apart takes more "
            "than one hop"
        )
    return tuple(lines)


def _signed(points: Any) -> str:
    return f"{round(float(points), 1) + 0.0:+.1f}"  # adding zero turns −0.0 into 0.0


def _table(cells: Mapping[str, Any], places: Mapping[str, Any], how: str) -> Table:
    rows = []
    for method, label in METHODS.items():
        scores: list[Cell] = []
        for holds in REGIONS.values():
            inside = [float(np.mean(c["accuracy"][method])) for key, c in cells.items() if holds(*places[key])]
            scores.append(Score.of(inside, digits=1) if inside else None)
        rows.append(Row(label, tuple(scores)))
    caption = f"Test accuracy (%), mean ± std over the cells of a region of the (λ₁, λ₂) grid. {how}"
    return Table("toy", caption, "weights", tuple(REGIONS), tuple(rows))


def _four(maps: Mapping[str, Array], lambdas: list[float], methods: tuple[str, ...]) -> Any:
    low = min(float(np.nanmin(maps[m])) for m in methods)
    difference = maps[methods[2]] - maps[methods[1]]
    reach = max(float(np.nanmax(np.abs(difference))), 1.0)
    with drawing(11.5, 3.2, 1, 4) as (figure, axes):
        for place, method in zip(axes[0], methods, strict=False):
            image = heat_map(place, maps[method], lambdas, METHODS[method], low, 100)
        figure.colorbar(image, ax=axes[0, 2], label="test accuracy, %", shrink=0.8)
        image = heat_map(axes[0, 3], difference, lambdas, "LocalSim − graph-level", -reach, reach, "PuOr_r")
        figure.colorbar(image, ax=axes[0, 3], label="points", shrink=0.8)
    return figure


def _limits(maps: Mapping[str, Array], lambdas: list[float]) -> Any:
    difference = maps["full_localsim"] - maps["full_graph"]
    low = min(float(np.nanmin(maps[method])) for method in ("full_localsim", "full_localsim_averaged", "one_hop_limit"))
    with drawing(11.5, 3.2, 1, 4) as (figure, axes):
        for place, method in zip(axes[0], ("full_localsim", "full_localsim_averaged", "one_hop_limit"), strict=False):
            image = heat_map(place, maps[method], lambdas, METHODS[method], low, 100)
        figure.colorbar(image, ax=axes[0, 2], label="test accuracy, %", shrink=0.8)
        image = heat_map(axes[0, 3], difference, lambdas, "LocalSim − graph-level", -10, 10, "PuOr_r")
        figure.colorbar(image, ax=axes[0, 3], label="points", shrink=0.8)
    return figure
