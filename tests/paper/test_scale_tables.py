"""The tables of docs/scale.md, from numbers that can be checked by hand."""

from typing import Any

from benchmarks.scale import STAGES
from paper.scripts.scale_tables import (
    IN_BLOCKS,
    PAPERS100M,
    before_table,
    lake_table,
    machines_table,
    papers100m_table,
    sign_table,
    stage_table,
)


def size(nodes: int, seconds: float) -> dict[str, Any]:
    times = dict.fromkeys(STAGES, seconds)
    ours = {"cpu_seconds": times, "peak_megabytes": 100.0, "store_megabytes": 2000}
    return {"nodes": nodes, "edges": 10 * nodes, "features": 128, "ours": ours}


def papers100m() -> dict[str, Any]:
    """Measured at its own size: an hour of sorting, eight of blocks."""
    whole = size(PAPERS100M["nodes"], 0.0) | {"edges": PAPERS100M["edges"]}
    whole["ours"]["cpu_seconds"] |= {IN_BLOCKS: 8 * 3600.0, "sort of edges": 3600.0}
    return {"sizes": [whole]}


def test_stages_stand_beside_their_growth_and_their_rate() -> None:
    sizes = [size(1_000_000, 1.0), size(2_000_000, 2.0)]
    lines = stage_table({"sizes": sizes, "exponents": {"sort of edges": 1.0}}).splitlines()
    heads = "1,000,000 nodes, 10,000,000 edges | 2,000,000 nodes, 20,000,000 edges | exponent | per CPU second"
    assert lines[0] == f"| CPU seconds | {heads} |"
    assert "| sort of edges | 1.0 | 2.0 | 1.00 | 10.00 M edges |" in lines
    assert "| **precompute** | 1.0 | 2.0 |  | 1.00 M nodes |" in lines


def test_a_size_whose_run_was_ended_leaves_its_cells_empty() -> None:
    sizes = [size(1_000_000, 1.0), size(2_000_000, 2.0)]
    del sizes[1]["ours"]["cpu_seconds"]["predict"]
    assert "| **predict** | 1.0 |  |  |" in stage_table({"sizes": sizes, "exponents": {}}).splitlines()


def test_methods_are_compared_with_sign() -> None:
    median = {"sign": (20.0, 4000.0), "store": (24.0, 1000.0), "powers": (10.0, 8000.0)}
    document = {"median": {m: {"cpu_seconds": s, "peak_megabytes": mb} for m, (s, mb) in median.items()}}
    lines = sign_table(document).splitlines()
    assert "| our store, on disk | 24.0 | 1.20 | 1,000 MB | 0.25 |" in lines
    assert "| ours, in memory: the same powers | 10.0 | 0.50 | 8,000 MB | 2.00 |" in lines
    assert len(lines) == 5  # methods that were not measured have no row


def test_commands_stand_below_each_other_with_what_they_took() -> None:
    took = {"cpu_seconds": 61.5, "peak_megabytes": 1234.4, "disk_megabytes": 3000}
    size = {"nodes": 1000, "edges": 10_000, "input_megabytes": 5, "store_megabytes": 2000, "limit_megabytes": 4000}
    lines = lake_table({"sizes": [size | dict.fromkeys(("precompute", "fit", "predict"), took)]}).splitlines()
    assert lines[0] == "|  | 1,000 nodes, 10,000 edges |"
    assert lines[2:4] == ["| `lsgnn precompute`, CPU s | 62 |", "| `lsgnn precompute`, MB | 1,234 |"]
    assert lines[-2:] == ["| the store, MB | 2,000 |", "| the store while it is made, at most, MB | 3,000 |"]


def test_today_stands_beside_an_older_commit() -> None:
    took = {"before": (100.0, 3400), "arrays": (40.0, 600), "tables": (55.0, 600)}
    of = {m: {"cpu_seconds": s, "peak_megabytes": 500.0, "store_megabytes": d} for m, (s, d) in took.items()}
    lines = before_table({"before": "a45b3bb", "median": of}).splitlines()
    assert lines[2] == "| a45b3bb, from arrays | 100.0 | 1.00 | 500 MB | 3,400 MB |"
    assert lines[4] == "| today, from Parquet with text as ids | 55.0 | 0.55 | 500 MB | 600 MB |"


def test_hours_are_those_of_one_worker_and_of_the_blocks_shared_out() -> None:
    hours = "9.0 | 5.0 | 3.0 | 2.0 | 2.0 | 2.0 | 2.0"
    assert papers100m_table(papers100m()).splitlines()[-1] == f"| hours of `precompute` | {hours} |"


def test_narrow_blocks_read_more_lines_and_leave_more_sums() -> None:
    lines = machines_table(papers100m()).splitlines()
    # 12 GB / (8 · 111 M) = 13 columns, 10 blocks of a line each where 8 would do: 1 + 8 · 10 / 8 hours
    assert lines[2].startswith("| 16 GB | 13 | 10 | ")
    assert lines[2].endswith(" | 11.0 |")
    assert lines[4].startswith("| 256 GB | 128 | 1 | 69 GB | ")
    assert lines[4].endswith(" | 9.0 |")
