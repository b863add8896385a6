"""The tables of docs/scale.md, from what `benchmarks/scale.py` measured."""

from __future__ import annotations

import math
from typing import Any

PAPERS100M = {"nodes": 111_059_956, "edges": 1_615_685_872, "features": 128}
IN_BLOCKS = ("similarities, block by block", "hops, block by block")
BY_EDGES = ("sort of edges", "filter", "similarities, added up", *IN_BLOCKS)  # the others grow with the nodes
WORKERS = (1, 4, 16, 64)


def stage_table(document: dict[str, Any]) -> str:
    """CPU seconds of every stage at every size, and how they grow."""
    sizes, exponents = document["sizes"], document["exponents"]
    heads = [f"{size['nodes']:,} nodes, {size['edges']:,} edges" for size in sizes]
    growth = ["exponent"] if exponents else []
    lines = [_row("CPU seconds", *heads, *growth), _row(*["---"] * (1 + len(heads) + len(growth)))]
    for stage in sizes[0]["ours"]["cpu_seconds"]:
        seconds = [f"{size['ours']['cpu_seconds'][stage]:.1f}" for size in sizes]
        title = f"**{stage}**" if stage in ("precompute", "fit", "predict") else stage
        lines.append(_row(title, *seconds, *([f"{exponents.get(stage, math.nan):.2f}"] if exponents else [])))
    blank = [""] * len(growth)
    lines.append(_row("peak of allocated memory", *(f"{s['ours']['peak_megabytes']:,.0f} MB" for s in sizes), *blank))
    lines.append(_row("the store", *(f"{s['ours']['store_megabytes']:,} MB" for s in sizes), *blank))
    for name, unit in (("cpu_seconds", " s"), ("peak_megabytes", " MB")):
        found = [f"{s['sign'][name]:,.0f}{unit}" if "sign" in s else "" for s in sizes]
        what = "CPU time" if name == "cpu_seconds" else "memory"
        lines.append(_row(f"PyG's SIGN, {what}", *found, *blank))
    return "\n".join(lines)


def papers100m_table(document: dict[str, Any]) -> str:
    """Hours of `precompute` by the number of workers, scaled from the largest size that was measured."""
    size = document["sizes"][-1]
    seconds = size["ours"]["cpu_seconds"]
    scale = {what: PAPERS100M[what] / size[what] for what in PAPERS100M}
    whole = {
        stage: seconds[stage] * (scale["edges"] if stage in BY_EDGES else scale["nodes"])
        for stage in (*BY_EDGES, "features", "rows of labelled nodes")
    }
    blocks = PAPERS100M["features"]  # one column each, if need be
    in_blocks = sum(whole[stage] for stage in IN_BLOCKS)
    alone = sum(whole.values()) - in_blocks
    lines = [_row("workers of one core", *map(str, WORKERS)), _row(*["---"] * (1 + len(WORKERS)))]
    hours = [(alone + math.ceil(blocks / w) * in_blocks / blocks) / 3600 for w in WORKERS]
    lines.append(_row("hours of `precompute`", *(f"{hour:.1f}" for hour in hours)))
    return "\n".join(lines)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
