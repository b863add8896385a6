"""The tables of docs/scale.md, from numbers that can be checked by hand."""

from typing import Any

from benchmarks.scale import STAGES
from paper.scripts.scale_tables import IN_BLOCKS, PAPERS100M, papers100m_table, stage_table


def size(nodes: int, seconds: float) -> dict[str, Any]:
    times = dict.fromkeys(STAGES, seconds)
    ours = {"cpu_seconds": times, "peak_megabytes": 100.0, "store_megabytes": 2000}
    return {"nodes": nodes, "edges": 10 * nodes, "features": 128, "ours": ours}


def test_stages_stand_beside_their_growth_and_sign_where_it_was_measured() -> None:
    first = size(1000, 1.0) | {"sign": {"cpu_seconds": 7.0, "peak_megabytes": 400.0}}
    table = stage_table({"sizes": [first, size(2000, 2.0)], "exponents": dict.fromkeys(STAGES, 1.0)})
    lines = table.splitlines()
    assert lines[0] == "| CPU seconds | 1,000 nodes, 10,000 edges | 2,000 nodes, 20,000 edges | exponent |"
    assert "| sort of edges | 1.0 | 2.0 | 1.00 |" in lines
    assert "| **precompute** | 1.0 | 2.0 | 1.00 |" in lines
    assert "| PyG's SIGN, CPU time | 7 s |  |  |" in lines


def test_hours_are_those_of_one_worker_and_of_the_blocks_shared_out() -> None:
    whole = size(PAPERS100M["nodes"], 0.0) | {"edges": PAPERS100M["edges"]}
    whole["ours"]["cpu_seconds"] |= dict.fromkeys(IN_BLOCKS, 3600.0) | {"sort of edges": 3600.0}
    assert papers100m_table({"sizes": [whole]}).splitlines()[-1] == "| hours of `precompute` | 3.0 | 1.5 | 1.1 | 1.0 |"
