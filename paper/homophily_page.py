"""The page of LocalSim against homophily: the paper's two graphs (and the corrected Cornell), then a table of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from paper.figures import BLUE, GREY, ORANGE, drawing
from paper.frame import Results
from paper.page import Cell, Figure, Page, Row, Table
from paper.published import nine, title

TITLE = "LocalSim and node homophily"
FIGURE = ("cornell", "cornell-fixed", "citeseer")  # the paper shows Cornell (of 2021) and Citeseer
HOW = (
    "ours: naive LocalSim with cosine similarity of the raw features; node homophily over the same neighbours; self "
    "loops are no neighbours; nodes without a labelled neighbour in that direction are left out (the released code "
    "gives them LocalSim 0)"
)
DIRECTIONS = {"undirected": "undirected", "out": "out-neighbours", "in": "in-neighbours"}


def render(results: Results) -> Page:
    done = {key: results.get(key) for key in results.finished()}
    if not done:
        return Page(TITLE, (), ("not run yet: `python -m paper run homophily`",))
    order = [name for name in (*nine(), *sorted(done)) if name in done]
    done = {name: done[name] for name in order}  # sorted names repeat some of the nine; a dict keeps each once
    shown = [name for name in FIGURE if name in done] or list(done)[:3]
    caption = (
        "Top: histogram of node homophily. Bottom: mean LocalSim of the nodes in each bin with 95 % intervals (none "
        f"for a single node), and Spearman's ρ over nodes. Undirected graphs. {HOW}."
    )
    figure = Figure(
        "homophily", caption, lambda: _draw({name: done[name]["directions"]["undirected"] for name in shown})
    )
    return Page(TITLE, (figure, _table(done)), _findings(done))


def _table(done: Mapping[str, Any]) -> Table:
    rows = []
    for name, result in done.items():
        cells: list[Cell] = [f"{result['nodes']:,}"]
        for direction in DIRECTIONS:
            measured = result["directions"][direction]
            cells += [f"{measured['used']:,}", f"{measured['mean_homophily']:.3f}", _rho(measured)]
        rows.append(Row(title(name), tuple(cells)))
    columns = tuple(f"{what}, {words}" for words in DIRECTIONS.values() for what in ("used", "homophily", "ρ"))
    caption = f"Nodes used, their mean homophily and Spearman's ρ between homophily and LocalSim († p < 0.01). {HOW}."
    return Table("homophily", caption, "graph", ("nodes", *columns), tuple(rows))


def _rho(measured: Mapping[str, Any]) -> str:
    if measured["spearman"] is None:
        return "–"
    return f"{measured['spearman']:+.3f}" + ("†" if measured["p_value"] < 0.01 else "")


def _findings(done: Mapping[str, Any]) -> tuple[str, ...]:
    rho = {name: result["directions"]["undirected"]["spearman"] for name, result in done.items()}
    known = {name: value for name, value in rho.items() if value is not None}
    up = [title(name) for name, value in known.items() if value >= 0.2]
    flat = [f"{title(name)} {value:+.2f}" for name, value in known.items() if value < 0.2]
    lines = [f"Spearman's ρ is at least 0.2 (undirected) on {', '.join(up) or 'no graph'}"]
    return (*lines, f"below 0.2 on {', '.join(flat)}") if flat else tuple(lines)


def _draw(shown: Mapping[str, Any]) -> Any:
    with drawing(3.1 * len(shown), 4.6, 2, len(shown), sharex=True) as (figure, axes):
        for column, (name, measured) in enumerate(shown.items()):
            top, bottom = axes[:, column]
            bins = measured["bins"]
            centre = (np.arange(len(bins)) + 0.5) / len(bins)
            top.bar(centre, [b["nodes"] for b in bins], width=0.9 / len(bins), color=BLUE)
            full = [i for i, b in enumerate(bins) if b["nodes"]]
            mean = [bins[i]["mean"] for i in full]
            half = [bins[i]["half"] or 0.0 for i in full]
            bottom.plot(centre[full], mean, color=GREY, linewidth=0.8, zorder=1)
            bottom.errorbar(
                centre[full], mean, half, color=ORANGE, marker="o", markersize=4, linestyle="none", capsize=3
            )
            top.set(title=f"{title(name)}\nρ = {_rho(measured).rstrip('†')}, {measured['used']} nodes")
            bottom.set(xlabel="node homophily", xlim=(0, 1))
        axes[0, 0].set_ylabel("nodes")
        axes[1, 0].set_ylabel("LocalSim (cosine)")
    return figure
