"""The tables of docs/scale.md, from what `benchmarks/scale.py`, `sign.py` and `lake.py` there measured."""

from __future__ import annotations

import math
from typing import Any

from lsgnn.out_of_core.columns import column_blocks

PAPERS100M = {"nodes": 111_059_956, "edges": 1_615_685_872, "features": 128}
IN_BLOCKS = "hops and similarities, block by block"
BY_EDGES = ("sort of edges", "filter", "similarities, added up", IN_BLOCKS)  # the others grow with the nodes
BY_NODES = ("features", "rows of labelled nodes")
IN_LINE = 16  # columns that a line of the processor's cache holds: narrower blocks fetch as many lines
WORKERS = (1, 2, 4, 8, 16, 32, 64)
MEMORY = (16, 64, 256)  # GB of a machine, of which precompute may take three quarters
METHODS = {
    "sign": "PyG's SIGN, in memory: K+1 powers",
    "powers": "ours, in memory: the same powers",
    "graph": "ours, in memory: powers, and all else that is done once",
    "channels": "ours, in memory: powers, mixed into 2K+1 channels",
    "store": "our store, on disk",
}
ROWS_OF = {
    "hops": "128 bytes: a block of 32 columns, as hops read it",
    "similarities": "4 bytes: a length, for the similarities",
    "filter": "1 byte: a degree, for the filter",
}


def stage_table(document: dict[str, Any]) -> str:
    """CPU seconds of every stage at every size, how they grow, and how much a second does at the largest."""
    sizes, exponents = document["sizes"], document["exponents"]
    heads = [f"{size['nodes']:,} nodes, {size['edges']:,} edges" for size in sizes]
    growth = ["exponent"] if exponents else []
    lines = [_row("CPU seconds", *heads, *growth, "per CPU second")]
    lines.append(_row(*["---"] * (2 + len(heads) + len(growth))))
    for stage in sizes[0]["ours"]["cpu_seconds"]:
        seconds = [size["ours"]["cpu_seconds"].get(stage) for size in sizes]
        title = f"**{stage}**" if stage in ("precompute", "fit", "predict") else stage
        grown = [f"{exponents[stage]:.2f}" if stage in exponents else ""] * len(growth)
        lines.append(_row(title, *(_seconds(s) for s in seconds), *grown, _rate(stage, sizes[-1], seconds[-1])))
    blank = [""] * (1 + len(growth))
    lines.append(_row("peak of allocated memory", *(f"{s['ours']['peak_megabytes']:,.0f} MB" for s in sizes), *blank))
    lines.append(_row("the store", *(f"{s['ours']['store_megabytes']:,} MB" for s in sizes), *blank))
    return "\n".join(lines)


def random_rows_table(document: dict[str, Any]) -> str:
    """Nanoseconds of one row from a random place of tables of every size, and the exponent that follows."""
    found, least = document["nanoseconds_per_row"], document["least_exponent"]
    heads = [f"{int(nodes):,} rows" for nodes in next(iter(found.values()))]
    lines = [_row("nanoseconds per row", *heads, "least exponent"), _row(*["---"] * (2 + len(heads)))]
    for stage, of_size in found.items():
        lines.append(_row(ROWS_OF[stage], *(f"{ns:.1f}" for ns in of_size.values()), f"{least[stage]:.2f}"))
    return "\n".join(lines)


def sign_table(document: dict[str, Any]) -> str:
    """CPU seconds and memory of each method beside SIGN's: medians of the rounds."""
    of = document["median"]
    lines = [_row("", "CPU seconds", "times SIGN's", "memory", "share of SIGN's"), _row(*["---"] * 5)]
    for method, title in ((method, title) for method, title in METHODS.items() if method in of):
        (seconds, memory), (base, whole) = ((of[m]["cpu_seconds"], of[m]["peak_megabytes"]) for m in (method, "sign"))
        lines.append(
            _row(title, f"{seconds:.1f}", f"{seconds / base:.2f}", f"{memory:,.0f} MB", f"{memory / whole:.2f}")
        )
    return "\n".join(lines)


def lake_table(document: dict[str, Any]) -> str:
    """What each command from Parquet to predictions took, at every size."""
    sizes = document["sizes"]
    heads = [f"{size['nodes']:,} nodes, {size['edges']:,} edges" for size in sizes]
    lines = [_row("", *heads), _row(*["---"] * (1 + len(heads)))]
    for command in ("precompute", "fit", "predict"):
        for what, unit in (("cpu_seconds", "CPU s"), ("peak_megabytes", "MB")):
            lines.append(_row(f"`lsgnn {command}`, {unit}", *(f"{size[command][what]:,.0f}" for size in sizes)))
    lines.append(_row("the limit, MB", *(f"{size['limit_megabytes']:,}" for size in sizes)))
    lines.append(_row("the tables, MB", *(f"{size['input_megabytes']:,}" for size in sizes)))
    lines.append(_row("the store, MB", *(f"{size['store_megabytes']:,}" for size in sizes)))
    at_most = (size["precompute"]["disk_megabytes"] for size in sizes)
    lines.append(_row("the store while it is made, at most, MB", *(f"{megabytes:,}" for megabytes in at_most)))
    return "\n".join(lines)


def before_table(document: dict[str, Any]) -> str:
    """`precompute` at an older commit and today: medians of the rounds."""
    of = document["median"]
    heads = ("", "CPU seconds", "of those before", "memory", "the store")
    lines = [_row(*heads), _row(*["---"] * len(heads))]
    titles = {"before": f"{document['before']}, from arrays", "arrays": "today, from arrays"}
    for method, title in (titles | {"tables": "today, from Parquet with text as ids"}).items():
        found, base = of[method], of["before"]["cpu_seconds"]
        share, disk = found["cpu_seconds"] / base, f"{found['store_megabytes']:,.0f} MB"
        memory = f"{found['peak_megabytes']:,.0f} MB"
        lines.append(_row(title, f"{found['cpu_seconds']:.1f}", f"{share:.2f}", memory, disk))
    return "\n".join(lines)


def papers100m_table(document: dict[str, Any]) -> str:
    """Hours of `precompute` by the number of workers, scaled from the largest size that was measured."""
    lines = [_row("workers of one core", *map(str, WORKERS)), _row(*["---"] * (1 + len(WORKERS)))]
    alone, in_blocks = _papers100m_hours(document)
    tasks = PAPERS100M["features"] // IN_LINE
    hours = [alone + math.ceil(tasks / w) * in_blocks / tasks for w in WORKERS]
    lines.append(_row("hours of `precompute`", *(f"{hour:.1f}" for hour in hours)))
    return "\n".join(lines)


def machines_table(document: dict[str, Any]) -> str:
    """What one machine of a given memory needs for papers100M: blocks, disk, hours of one and of eight cores."""
    n, E, d = PAPERS100M["nodes"], 2 * PAPERS100M["edges"], PAPERS100M["features"]
    alone, in_blocks = _papers100m_hours(document)
    lines = [_row("memory", "columns of a block", "blocks", "disk, store", "disk, at its peak", "hours, one core")]
    lines.append(_row(*["---"] * 6))
    for memory in MEMORY:
        width = column_blocks(n, d, int(0.75e9 * memory))[0][1]
        blocks = math.ceil(d / width)
        lines_read = sum(math.ceil(min(width, d - start) / IN_LINE) for start in range(0, d, width)) * IN_LINE / d
        store = 12 * E + (2 * d + 20) * n
        peak = store + 4 * E * blocks + 4 * d * n + 8 * E  # sums of the blocks, and what was given
        cells = (f"{memory} GB", str(width), str(blocks), f"{store / 1e9:.0f} GB", f"{peak / 1e9:.0f} GB")
        lines.append(_row(*cells, f"{alone + lines_read * in_blocks:.1f}"))
    return "\n".join(lines)


def _papers100m_hours(document: dict[str, Any]) -> tuple[float, float]:
    """Hours of one core for papers100M: of what one worker does alone, and of all blocks together."""
    size = document["sizes"][-1]
    seconds, scale = size["ours"]["cpu_seconds"], {what: PAPERS100M[what] / size[what] for what in PAPERS100M}
    whole = {stage: seconds[stage] * scale["edges"] for stage in BY_EDGES}
    whole |= {stage: seconds[stage] * scale["nodes"] for stage in BY_NODES}
    return (sum(whole.values()) - whole[IN_BLOCKS]) / 3600, whole[IN_BLOCKS] / 3600


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.1f}"


def _rate(stage: str, size: dict[str, Any], seconds: float | None) -> str:
    """How many edges or nodes, in millions, a CPU second does."""
    if not seconds or stage in ("fit", "rows of labelled nodes"):
        return ""
    what = "edges" if stage in BY_EDGES else "nodes"
    return f"{size[what] / 1e6 / seconds:.2f} M {what}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
