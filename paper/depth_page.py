"""The page of the depth experiment: the average over the nine datasets and each of them, as lines and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from paper.figures import BLUE, GREY, ORANGE, drawing
from paper.frame import Results
from paper.page import NOT_RUN, Figure, Page, Score, Table
from paper.published import extremes, nine, nine_columns, of_nine, our_row, title

TITLE = "Accuracy against depth"
DEPTHS = (2, 4, 8, 16, 32, 64)
MODELS = {"gcn": ("GCN", ORANGE, "s"), "lsgnn": ("LSGNN", BLUE, "o")}
Scores = Mapping[tuple[str, str, int], list[float] | None]


def render(results: Results) -> Page:
    scores: dict[tuple[str, str, int], list[float] | None] = {}
    counts = set()
    for model in MODELS:
        for depth in DEPTHS:
            for dataset in nine():
                key = f"{dataset}/{model}-{depth:02d}"
                found = results.get(key)
                scores[dataset, model, depth] = None if found is None else found["test"]
                if found is not None:
                    counts.add((dataset, results.arguments(key)["splits"]))
    if not counts:
        return Page(TITLE, (), ("not run yet: `python -m paper run depth`",))
    fewer = ", ".join(f"{title(d)} {n}" for d, n in sorted(counts, key=lambda c: nine().index(c[0])) if n < 10)
    how = (
        "ours: no tuning at either side (the paper tunes every depth with 200 trials): LSGNN with the "
        "configuration released for K = 5, GCN with its preset (hidden 64) and biases, seed 28, 200 epochs (LSGNN with "
        "32 and 64 hops on graphs of over 1000 nodes: fewer, once 30 have brought nothing), best validation loss, test "
        "read once; "
        f"official splits 0 … 9{f', fewer on: {fewer}' if fewer else ''}. LSGNN is directed as "
        "released (out on Chameleon, Squirrel and WebKB, in on Actor), GCN undirected; Cornell is the 2021 data"
    )
    rows = tuple(
        our_row(f"{name}, {depth}", {d: scores[d, model, depth] for d in nine()})
        for model, (name, *_) in MODELS.items()
        for depth in DEPTHS
    )
    table = Table("depth", f"Test accuracy (%) by number of layers. {how}.", "model, layers", nine_columns(), rows)
    caption = f"Test accuracy by number of layers: the mean over the datasets that have run, and each of them. {how}."
    return Page(TITLE, (Figure("depth", caption, lambda: _draw(scores)), table), _findings(scores))


def _complete(scores: Scores) -> list[str]:
    """The datasets on which both models have run at every depth."""
    return [d for d in nine() if all(scores[d, m, k] is not None for m in MODELS for k in DEPTHS)]


def _mean(scores: Scores, model: str, depth: int) -> float:
    return float(np.mean([np.mean(scores[d, model, depth] or []) for d in _complete(scores)]))


def _findings(scores: Scores) -> tuple[str, ...]:
    done = _complete(scores)
    if not done:
        return ("no dataset has run at every depth yet",)
    lines = []
    for model, (name, *_) in MODELS.items():
        line = ", ".join(f"{depth}: {_mean(scores, model, depth):.1f}" for depth in DEPTHS)
        lines.append(f"{name}, mean over {of_nine(len(done))} by layers: {line}")
    losses = {d: float(np.mean(scores[d, "lsgnn", 64] or []) - np.mean(scores[d, "lsgnn", 4] or [])) for d in done}
    lines.append(f"LSGNN with 64 layers instead of 4: {extremes(losses)}")
    return tuple(lines)


def _draw(scores: Scores) -> Any:
    done = _complete(scores)
    with drawing(11, 4.6, 2, 5, sharex=True) as (figure, axes):
        panels = dict(zip(("mean", *nine()), axes.flat, strict=True))
        for name, panel in panels.items():
            for model, (label, colour, mark) in MODELS.items():
                if name == "mean":
                    points = [(k, Score(_mean(scores, model, k))) for k in DEPTHS] if done else []
                else:
                    found = [(k, scores[name, model, k]) for k in DEPTHS]
                    points = [(k, Score.of(values)) for k, values in found if values]
                x, y = [k for k, _ in points], [score.mean for _, score in points]
                panel.plot(x, y, color=colour, marker=mark, markersize=4, label=label)
                spread = np.array([score.std or 0.0 for _, score in points])
                panel.fill_between(x, y - spread, y + spread, color=colour, alpha=0.15, linewidth=0)
            if not panel.lines[0].get_xdata().size and not panel.lines[1].get_xdata().size:
                panel.text(0.5, 0.5, NOT_RUN, transform=panel.transAxes, ha="center", color=GREY)
                panel.set_yticks([])
            panel.set_xscale("log", base=2)
            panel.set_xticks(DEPTHS, [str(k) for k in DEPTHS])
            panel.set_title(f"Mean of {of_nine(len(done))}" if name == "mean" else title(name))
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=2)
        for row in axes:
            row[0].set_ylabel("test accuracy, %")
        for panel in axes[1]:
            panel.set_xlabel("layers")
    return figure
