"""Writes the generated parts of README.md and docs/ from stored results; `--check` tells if one is stale.

python -m paper.scripts.readme [--check]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from statistics import mean, median
from typing import Any

import paper
from paper.frame import Results, read_json
from paper.inputs import Tuned, read_tuned, read_zoo
from paper.page import Score
from paper.places import BENCHMARKS, REPOSITORY, RESULTS
from paper.published import OTHERS, nine, printed_lsgnn, title
from paper.scripts.regenerate import regenerate
from paper.scripts.scale_tables import (
    before_table,
    lake_table,
    machines_table,
    papers100m_table,
    random_rows_table,
    sign_table,
    stage_table,
)

PAGES = ("README.md", "docs/results.md", "docs/speed.md", "docs/scale.md", "docs/tutorials/large.md")
FILES = tuple(REPOSITORY / name for name in PAGES)


@dataclass(frozen=True)
class Stored:
    """The folders that the numbers come from: raw results, and what the scripts in benchmarks/ measured."""

    results: Path
    benchmarks: Path


# what the authors' training logs end with (github.com/draym28/LSGNN, beside their configurations)
AUTHORS_LOG = {
    "cora": 88.14,
    "citeseer": 77.43,
    "pubmed": 89.84,
    "chameleon": 79.01,
    "squirrel": 72.62,
    "actor": 36.17,
    "cornell": 87.30,
    "cornell-fixed": 74.86,
    "texas": 90.27,
    "wisconsin": 90.00,
}


SPEED_HEAD = "| dataset | LSGNN, ours | LSGNN, as released | GCN | GAT | SGC |"


def headline_table(stored: Stored) -> str:
    """Five datasets and the mean of the nine, for the README."""
    found = {t.dataset: t for t in read_tuned(stored.results) if (t.model, t.space, t.rule) == BEST}
    lines = ["| dataset | published | ours, released | ours, tuned |", "|---|---|---|---|"]
    released: dict[str, list[float]] = {}
    for name in nine():
        if document := _read(stored.results / "released" / f"{name}.json"):
            released[name] = document["test_accuracy"]["per_split"]
    tuned = {name: list(found[name].test) for name in nine() if name in found}
    for name in HEADLINE:
        scores = (str(Score.of(scores[name])) if name in scores else "not run yet" for scores in (released, tuned))
        lines.append(f"| {' | '.join((title(name), _or_dash(printed_lsgnn()[name]), *scores))} |")
    means = (f"{mean(map(mean, s.values())):.2f}" if len(s) == len(nine()) else "" for s in (released, tuned))
    published = mean(printed_lsgnn()[name] for name in nine())
    return "\n".join([*lines, f"| {' | '.join(('**mean of the nine**', f'{published:.2f}', *means))} |"])


def headline_speed_table(stored: Stored) -> str:
    """Five datasets and a large graph with dense features, for the README."""
    measured = {e["dataset"]: e for e in (_read(stored.benchmarks / "train_cost.json") or {"results": []})["results"]}
    rows = [_speed_row(measured[name]) for name in (*HEADLINE, "synthetic-arxiv") if name in measured]
    return "\n".join([SPEED_HEAD, "|---" * 6 + "|", *rows])


def released_table(stored: Stored) -> str:
    """One row per dataset: ours beside the authors' log and the published number."""
    lines = [
        "| dataset | direction | fused engine | torch loop | authors' log | published |",
        "|---|---|---|---|---|---|",
    ]
    for name, log in AUTHORS_LOG.items():
        engines = [_read(stored.results / folder / f"{name}.json") for folder in ("released", "released-torch")]
        known = next((result for result in engines if result), None)
        direction = known["config"]["direction"] if known else ""
        cells = (title(name), direction, *map(_score, engines), f"{log:.2f}", _or_dash(printed_lsgnn().get(name)))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def speed_table(stored: Stored) -> str:
    """CPU seconds of our engine and how many times as long the others take."""
    entries = (_read(stored.benchmarks / "train_cost.json") or {"results": []})["results"]
    return "\n".join([SPEED_HEAD, "|---" * 6 + "|", *map(_speed_row, entries)])


def _speed_row(entry: Mapping[str, Any]) -> str:
    unusual = "" if entry["epochs"] == 200 else f", {entry['epochs']} epochs"
    return f"| {' | '.join((title(entry['dataset']) + unusual, *_speeds(entry)))} |"


def _speeds(entry: Mapping[str, Any]) -> list[str]:
    """Seconds of our engine, then how many times as long the released way, GCN, GAT and SGC take, if they took turns
    with it: machines differ."""
    medians = {
        method: median(cpu for cpu, _ in rounds)
        for method, rounds in entry["seconds"].items()
        if method not in entry.get("earlier", ())
    }
    ratios = (
        f"{medians[method] / medians['lsgnn']:.1f} ×" if method in medians else "–"
        for method in ("lsgnn-as-released", "gcn", "gat", "sgc")
    )
    return [f"{medians['lsgnn']:.2f} s", *ratios]


def threads_table(stored: Stored) -> str:
    """Wall seconds of a training run by one thread and by several."""
    measured = _read(stored.benchmarks / "threads.json")
    if measured is None:
        return "not run yet"
    lines = [f"| dataset | epochs | 1 thread | {measured['threads']} threads | speed-up |", "|---|---|---|---|---|"]
    for entry in measured["results"]:
        seconds = (f"{median(entry['seconds'][str(count)]):.2f} s" for count in (1, measured["threads"]))
        cells = (title(entry["dataset"]), str(entry["epochs"]), *seconds, f"{entry['speedup']:.2f} ×")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def roofline_table(stored: Stored) -> str:
    """An epoch beside the least that it could take."""
    measured = _read(stored.benchmarks / "roofline.json")
    if measured is None:
        return "not run yet"
    titles = ("dataset", "GFlop", "GB", "epoch", "features, edges, rows", "bound", "share of the bound", "SGC's epoch")
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for entry in measured["results"]:
        times = ("epoch_cpu_seconds", "bound_seconds", "sgc_epoch_cpu_seconds")
        epoch, bound, sgc = (f"{1000 * entry[name]:.1f} ms" for name in times)
        parts = ", ".join(f"{1000 * seconds:.1f}" for seconds in entry["parts"].values())
        work = (f"{entry[name]:.2f}" for name in ("gflop", "gigabytes"))
        share = f"{100 * entry['share_of_bound']:.0f} %"
        cells = (title(entry["dataset"]), *work, epoch, f"{parts} ms" if parts else "–", bound, share, sgc)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def time_to_accuracy_table(stored: Stored) -> str:
    """A baseline's CPU seconds to its own best validation accuracy, then LSGNN's to the same; medians of the rounds."""
    measured = _read(stored.benchmarks / "time_to_accuracy.json")
    if measured is None:
        return "not run yet"
    names = ("sgc", "gcn", "gat", "linkx")
    titles = ("dataset", *(part for name in names for part in (name.upper(), "LSGNN")))
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for entry in measured["results"]:
        for ours, label in (("lsgnn", ""), ("lsgnn_quick", ", quick"), ("lsgnn_tuned", ", tuned")):
            rounds = [[line for line in entry["baselines"].get(name, []) if ours in line] for name in names]
            if any(rounds):
                cells = (cell for lines_of in rounds for cell in _seconds_to_accuracy(lines_of, ours))
                lines.append(f"| {' | '.join((title(entry['dataset']) + label, *cells))} |")
    return "\n".join(lines)


def _seconds_to_accuracy(rounds: list[dict[str, Any]], ours: str) -> tuple[str, str]:
    """(the baseline's seconds, LSGNN's), the shorter in bold; a star where a baseline was stopped before its end."""
    if not rounds:
        return "–", "–"
    theirs = median(line["seconds"] for line in rounds)
    own = median(inf if line[ours]["seconds"] is None else line[ours]["seconds"] for line in rounds)
    star = " \\*" * any(line.get("stopped", False) for line in rounds)
    if own == inf:
        return f"**{_seconds(theirs)}**{star}", "not reached"
    if own < theirs:
        return f"{_seconds(theirs)}{star}", f"**{_seconds(own)}**"
    return f"**{_seconds(theirs)}**{star}", _seconds(own)


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.1f} ms"


def localsim_share_table(stored: Stored) -> str:
    """What LocalSim's perceptron takes of an epoch, exactly and on the engine's grid."""
    measured = _read(stored.benchmarks / "localsim_share.json")
    if measured is None:
        return "not run yet"
    lines = [
        f"| evaluated at, of {measured['similarities']:,} similarities | epoch | LocalSim's share |",
        "|---|---|---|",
    ]
    for entry in measured["results"]:
        cells = (entry["perceptron"], f"{1000 * entry['epoch_cpu_seconds']:.1f} ms", f"{100 * entry['share']:.1f} %")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def side_by_side_table(stored: Stored) -> str:
    """How many times as many epochs per CPU second runs in one wide tile would give."""
    measured = _read(stored.benchmarks / "side_by_side.json")
    if measured is None:
        return "not run yet"
    lines = ["| dataset | runs side by side | columns in a tile | times as many |", "|---|---|---|---|"]
    for entry in measured["results"]:
        for runs, seconds in entry["epoch_cpu_seconds"].items():
            for tile in (tile for tile in seconds if tile != "32"):
                gain = seconds["32"] / seconds[tile]
                lines.append(f"| {title(entry['dataset'])} | {runs} | {tile} | {gain:.2f} |")
    return "\n".join(lines)


def sweep_table(stored: Stored) -> str:
    """Per stage, what a unit of size costs over all generated graphs, and where it costs most."""
    measured = _read(stored.benchmarks / "sweep.json")
    if measured is None:
        return "not run yet"
    lines = ["| stage | graphs | ns per unit, median | most, times the median | there |", "|---|---|---|---|---|"]
    for stage in ("prepare", "train", "predict"):
        long = [row for row in measured["results"] if row["seconds"][stage] > measured["smallest"]]
        middle = median(row["ns_per_unit"][stage] for row in long)
        worst = max(long, key=lambda row: row["ns_per_unit"][stage])
        shape = ", ".join(f"{name} {worst[name]:,}" for name in ("n", "E", "d", "density", "classes"))
        cells = (stage, f"{len(long)}", f"{middle:.2f}", f"{worst['ns_per_unit'][stage] / middle:.1f}")
        lines.append(f"| {' | '.join(cells)} | {shape}, `{worst['feature_norm']}` |")
    return "\n".join(lines)


def first_minute_table(stored: Stored) -> str:
    """How long a user waits for the first commands."""
    measured = _read(stored.benchmarks / "first_minute.json")
    if measured is None:
        return "not run yet"
    lines = [f"| what | seconds, {measured['cores']} cores | CPU seconds |", "|---|---|---|"]
    for entry in measured["results"]:
        seconds = (f"{entry[name]:.{1 if entry[name] >= 1 else 2}f}" for name in ("wall_seconds", "cpu_seconds"))
        lines.append(f"| {' | '.join((entry['what'], *seconds))} |")
    return "\n".join(lines)


def tuning_time_table(stored: Stored) -> str:
    """How long a user waits for a search without pruning."""
    lines = ["| dataset | trials | splits | jobs | minutes | CPU minutes |", "|---|---|---|---|---|---|"]
    for entry in (_read(stored.benchmarks / "tune_time.json") or {"results": []})["results"]:
        counts = (str(entry[name]) for name in ("trials", "splits", "jobs"))
        minutes = (f"{entry[name] / 60:.1f}" for name in ("wall_seconds", "cpu_seconds"))
        label = title(entry["dataset"]) + (", extended space" if entry.get("space") == "extended" else "")
        lines.append(f"| {' | '.join((label, *counts, *minutes))} |")
    return "\n".join(lines)


def store_table(stored: Stored) -> str:
    """CPU time and peak memory of a graph on disk."""
    measured = _read(stored.benchmarks / "store.json")
    shape = (
        f"{measured['nodes']:,} nodes, {measured['features']} features, {measured['edges']:,} edges, "
        f"{measured['hops']} hops; the store: {measured['store_megabytes']:,} MB"
    )
    lines = [f"| {shape} | CPU seconds | peak of allocated memory |", "|---|---|---|"]
    limit, epochs = f"`--max-memory {measured['max_memory']}MB`", f"{measured['epochs']} epochs"
    for name, how in (("libraries", "Python, loaded"), ("precompute", limit), ("fit", epochs)):
        entry = measured[name]
        label = how if name == "libraries" else f"`lsgnn {name}`, {how}"
        lines.append(f"| {label} | {entry['cpu_seconds']} | {entry['peak_megabytes']:.0f} MB |")
    return "\n".join(lines)


def store_epochs_table(stored: Stored) -> str:
    """CPU seconds of an epoch on a store by either engine, and of a copy of its rows."""
    measured = _read(stored.benchmarks / "store_epochs.json")
    if not measured:
        return "not run yet"
    lines = ["| rows on disk | fused engine | torch loop | copy of the rows |", "|---|---|---|---|"]
    for entry in measured["results"]:
        seconds, rows = entry["cpu_seconds_per_epoch"], entry["train_rows"] + entry["val_rows"]
        size = {"float32": 4, "float16": 2}[entry["dtype"]]
        megabytes = rows * (measured["hops"] + 1) * measured["features"] * size / 1e6
        times = (f"{seconds[name]:.2f} s, {megabytes / seconds[name]:.0f} MB/s" for name in ("cpu", "torch", "copy"))
        lines.append(f"| {rows:,}, {entry['dtype']}, {megabytes:.0f} MB | {' | '.join(times)} |")
    return "\n".join(lines)


ONE, ENSEMBLE = "single seed", "seed ensemble"
BEST = ("lsgnn", "extended", ENSEMBLE)  # model, space and test protocol of the README's column
HEADLINE = ("cora", "pubmed", "chameleon", "squirrel", "texas")
PAPERS_SPACE = {  # title of a column → space, test protocol
    "single seed": ("paper", ONE),
    "seed ensemble": ("paper", ENSEMBLE),
    "resampled splits, ensemble": ("paper-refolds", ENSEMBLE),
}
EXTENDED_SPACE = {"single seed": ("extended", ONE), "seed ensemble": ("extended", ENSEMBLE)}


def tuned_table(space: str, protocols: Mapping[str, tuple[str, str]], stored: Stored) -> str:
    """One row per dataset: LSGNN tuned on validation nodes in one search space, beside the published."""
    found = {(t.dataset, t.space, t.rule): t for t in read_tuned(stored.results) if t.model == "lsgnn"}
    titles = ("dataset", "published", "trials", *protocols)
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for name in (*nine(), *OTHERS):
        own = [found.get((name, *protocol)) for protocol in protocols.values()]
        search = found.get((name, space, ONE))
        unit = ", ROC AUC" if any(t is not None and t.metric == "roc_auc" for t in own) else ""
        trials = "–" if search is None else str(search.trials)
        scores = ["–" if t is None else str(Score.of(t.test)) for t in own]
        lines.append(f"| {' | '.join((title(name) + unit, _or_dash(printed_lsgnn().get(name)), trials, *scores))} |")
    means = [_mean_of_nine(found, *protocol) for protocol in protocols.values()]
    published = mean(printed_lsgnn()[name] for name in nine())
    lines.append(f"| {' | '.join(('**mean of the nine**', f'{published:.2f}', '', *means))} |")
    return "\n".join(lines)


def _mean_of_nine(found: Mapping[tuple[str, str, str], Tuned], space: str, rule: str) -> str:
    """Empty unless all nine were tested; splits are resampled on the smallest, the others count as without it."""
    instead = "paper" if space == "paper-refolds" else space
    tested = [found.get((name, space, rule)) or found.get((name, instead, rule)) for name in nine()]
    scores = [mean(t.test) for t in tested if t is not None]
    return f"{mean(scores):.2f}" if len(scores) == len(tested) else ""


def explained_table(stored: Stored) -> str:
    """What direction, twins and corrected data do to the sets with the largest published gains."""
    lines = ["| | Chameleon | Squirrel |", "|---|---|---|"]
    datasets = ("chameleon", "squirrel")
    zoo = {d: read_zoo(stored.results, d) for name in datasets for d in (name, f"{name}-filtered")}
    results = Results(stored.results, "ablation")

    def ablation(variant: str) -> list[str]:
        units = (results.get(f"{d}/{variant}") for d in datasets)
        return [str(Score.of(unit["test"])) if unit else "not run yet" for unit in units]

    def model(name: str, filtered: bool = False) -> list[str]:
        found = (zoo[f"{d}-filtered" if filtered else d].get(name) for d in datasets)
        return [str(Score.of(scores)) if scores else "not run yet" for scores in found]

    rows = {
        "LSGNN, published": [f"{printed_lsgnn()[d]:.2f}" for d in datasets],
        "LSGNN, released configuration (out-neighbours)": ablation("lsgnn"),
        "the same, undirected, as the paper says": ablation("undirected"),
        "the same, graph-level weights instead of LocalSim": ablation("graph_weights"),
        "twin look-up, which learns nothing": model("twin_lookup"),
        "nearly without twins (filtered data): LSGNN, released configuration": model("lsgnn", filtered=True),
        "nearly without twins: twin look-up": model("twin_lookup", filtered=True),
        "nearly without twins: GCN": model("gcn", filtered=True),
    }
    return "\n".join([*lines, *(f"| {label} | {' | '.join(cells)} |" for label, cells in rows.items())])


def findings(experiment: str, stored: Stored) -> str:
    """The sentences with numbers that an experiment's page begins with."""
    page = paper.get(experiment).render(Results(stored.results, experiment, benchmarks=stored.benchmarks))
    return "\n".join(f"* {line}" for line in page.findings) or "* not run yet"


def _read(file: Path) -> Any:
    return read_json(file) if file.exists() else None


def _score(result: Any) -> str:
    return "not run yet" if result is None else str(Score.of(result["test_accuracy"]["per_split"]))


def _or_dash(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


SECTIONS: dict[str, Callable[[Stored], str]] = {
    "headline": headline_table,
    "headline-speed": headline_speed_table,
    "released": released_table,
    "speed": speed_table,
    "threads": threads_table,
    "roofline": roofline_table,
    "time-to-accuracy": time_to_accuracy_table,
    "localsim-share": localsim_share_table,
    "side-by-side": side_by_side_table,
    "sweep": sweep_table,
    "first-minute": first_minute_table,
    "tuning-time": tuning_time_table,
    "store": store_table,
    "store-epochs": store_epochs_table,
    "random-rows": lambda stored: random_rows_table(_read(stored.benchmarks / "random_rows.json")),
    "scale": lambda stored: stage_table(_read(stored.benchmarks / "scale.json")),
    "before": lambda stored: before_table(_read(stored.benchmarks / "before.json")),
    "papers100m": lambda stored: papers100m_table(_read(stored.benchmarks / "scale.json")),
    "machines": lambda stored: machines_table(_read(stored.benchmarks / "scale.json")),
    "lake": lambda stored: lake_table(_read(stored.benchmarks / "lake.json")),
    "sign": lambda stored: sign_table(_read(stored.benchmarks / "sign.json")),
    "tuned": partial(tuned_table, "paper", PAPERS_SPACE),
    "tuned-extended": partial(tuned_table, "extended", EXTENDED_SPACE),
    "explained": explained_table,
    **{f"findings-{name}": partial(findings, name) for name in paper.names()},
}


def render(text: str, stored: Stored) -> str:
    """The text with every generated section made anew."""

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}{SECTIONS[match[2]](stored)}\n{match[3]}"

    return re.sub(r"(<!-- begin ([\w-]+) .*?-->\n).*?(<!-- end \2 -->)", fill, text, flags=re.DOTALL)


def contents() -> dict[Path, str]:
    """Each file with its generated parts, from what the repository stores."""
    return {file: render(file.read_text("utf-8"), Stored(RESULTS, BENCHMARKS)) for file in FILES}


if __name__ == "__main__":
    sys.exit(regenerate(contents(), __doc__))
