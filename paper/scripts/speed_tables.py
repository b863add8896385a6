"""The tables of docs/speed.md and of the README that `benchmarks/` measured."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import inf
from statistics import median
from typing import Any

from paper.published import title

SPEED_HEAD = "| dataset | LSGNN, ours | LSGNN, as released | GCN | GAT | SGC |"


def speed_table(document: dict[str, Any], datasets: Collection[str] | None = None) -> str:
    """CPU seconds of our engine and how many times as long the others take; of some datasets in their order, or all."""
    entries = {entry["dataset"]: entry for entry in document["results"]}
    rows = [_speed_row(entries[name]) for name in (datasets or entries) if name in entries]
    return "\n".join([SPEED_HEAD, "|---" * 6 + "|", *rows])


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


def threads_table(document: dict[str, Any]) -> str:
    """Wall seconds of a training run by one thread and by several."""
    lines = [f"| dataset | epochs | 1 thread | {document['threads']} threads | speed-up |", "|---|---|---|---|---|"]
    for entry in document["results"]:
        seconds = (f"{median(entry['seconds'][str(count)]):.2f} s" for count in (1, document["threads"]))
        cells = (title(entry["dataset"]), str(entry["epochs"]), *seconds, f"{entry['speedup']:.2f} ×")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def roofline_table(document: dict[str, Any]) -> str:
    """An epoch beside the least that it could take."""
    titles = ("dataset", "GFlop", "GB", "epoch", "features, edges, rows", "bound", "share of the bound", "SGC's epoch")
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for entry in document["results"]:
        times = ("epoch_cpu_seconds", "bound_seconds", "sgc_epoch_cpu_seconds")
        epoch, bound, sgc = (f"{1000 * entry[name]:.1f} ms" for name in times)
        parts = ", ".join(f"{1000 * seconds:.1f}" for seconds in entry["parts"].values())
        work = (f"{entry[name]:.2f}" for name in ("gflop", "gigabytes"))
        share = f"{100 * entry['share_of_bound']:.0f} %"
        cells = (title(entry["dataset"]), *work, epoch, f"{parts} ms" if parts else "–", bound, share, sgc)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def time_to_accuracy_table(document: dict[str, Any]) -> str:
    """A baseline's CPU seconds to its own best validation accuracy, then LSGNN's to the same; medians of the rounds."""
    names = ("sgc", "gcn", "gat", "linkx")
    titles = ("dataset", *(part for name in names for part in (name.upper(), "LSGNN")))
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for entry in document["results"]:
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


def localsim_share_table(document: dict[str, Any]) -> str:
    """What LocalSim's perceptron takes of an epoch, exactly and on the engine's grid."""
    lines = [
        f"| evaluated at, of {document['similarities']:,} similarities | epoch | LocalSim's share |",
        "|---|---|---|",
    ]
    for entry in document["results"]:
        cells = (entry["perceptron"], f"{1000 * entry['epoch_cpu_seconds']:.1f} ms", f"{100 * entry['share']:.1f} %")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def side_by_side_table(document: dict[str, Any]) -> str:
    """How many times as many epochs per CPU second runs in one wide tile would give."""
    lines = ["| dataset | runs side by side | columns in a tile | times as many |", "|---|---|---|---|"]
    for entry in document["results"]:
        for runs, seconds in entry["epoch_cpu_seconds"].items():
            for tile in (tile for tile in seconds if tile != "32"):
                gain = seconds["32"] / seconds[tile]
                lines.append(f"| {title(entry['dataset'])} | {runs} | {tile} | {gain:.2f} |")
    return "\n".join(lines)


def sweep_table(document: dict[str, Any]) -> str:
    """Per stage, what a unit of size costs over all generated graphs, and where it costs most."""
    lines = ["| stage | graphs | ns per unit, median | most, times the median | there |", "|---|---|---|---|---|"]
    for stage in ("prepare", "train", "predict"):
        long = [row for row in document["results"] if row["seconds"][stage] > document["smallest"]]
        middle = median(row["ns_per_unit"][stage] for row in long)
        worst = max(long, key=lambda row: row["ns_per_unit"][stage])
        shape = ", ".join(f"{name} {worst[name]:,}" for name in ("n", "E", "d", "density", "classes"))
        cells = (stage, f"{len(long)}", f"{middle:.2f}", f"{worst['ns_per_unit'][stage] / middle:.1f}")
        lines.append(f"| {' | '.join(cells)} | {shape}, `{worst['feature_norm']}` |")
    return "\n".join(lines)


def first_minute_table(document: dict[str, Any]) -> str:
    """How long a user waits for the first commands."""
    lines = [f"| what | seconds, {document['cores']} cores | CPU seconds |", "|---|---|---|"]
    for entry in document["results"]:
        seconds = (f"{entry[name]:.{1 if entry[name] >= 1 else 2}f}" for name in ("wall_seconds", "cpu_seconds"))
        lines.append(f"| {' | '.join((entry['what'], *seconds))} |")
    return "\n".join(lines)


def tuning_time_table(document: dict[str, Any]) -> str:
    """How long a user waits for a search without pruning."""
    lines = ["| dataset | trials | splits | jobs | minutes | CPU minutes |", "|---|---|---|---|---|---|"]
    for entry in document["results"]:
        counts = (str(entry[name]) for name in ("trials", "splits", "jobs"))
        minutes = (f"{entry[name] / 60:.1f}" for name in ("wall_seconds", "cpu_seconds"))
        label = title(entry["dataset"]) + (", extended space" if entry.get("space") == "extended" else "")
        lines.append(f"| {' | '.join((label, *counts, *minutes))} |")
    return "\n".join(lines)


def store_table(document: dict[str, Any]) -> str:
    """CPU time and peak memory of a graph on disk."""
    shape = (
        f"{document['nodes']:,} nodes, {document['features']} features, {document['edges']:,} edges, "
        f"{document['hops']} hops; the store: {document['store_megabytes']:,} MB"
    )
    lines = [f"| {shape} | CPU seconds | peak of allocated memory |", "|---|---|---|"]
    limit, epochs = f"`--max-memory {document['max_memory']}MB`", f"{document['epochs']} epochs"
    for name, how in (("libraries", "Python, loaded"), ("precompute", limit), ("fit", epochs)):
        entry = document[name]
        label = how if name == "libraries" else f"`lsgnn {name}`, {how}"
        lines.append(f"| {label} | {entry['cpu_seconds']} | {entry['peak_megabytes']:.0f} MB |")
    return "\n".join(lines)


def store_epochs_table(document: dict[str, Any]) -> str:
    """CPU seconds of an epoch on a store by either engine, and of a copy of its rows."""
    lines = ["| rows on disk | fused engine | torch loop | copy of the rows |", "|---|---|---|---|"]
    for entry in document["results"]:
        seconds, rows = entry["cpu_seconds_per_epoch"], entry["train_rows"] + entry["val_rows"]
        size = {"float32": 4, "float16": 2}[entry["dtype"]]
        megabytes = rows * (document["hops"] + 1) * document["features"] * size / 1e6
        times = (f"{seconds[name]:.2f} s, {megabytes / seconds[name]:.0f} MB/s" for name in ("cpu", "torch", "copy"))
        lines.append(f"| {rows:,}, {entry['dtype']}, {megabytes:.0f} MB | {' | '.join(times)} |")
    return "\n".join(lines)
