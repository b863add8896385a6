"""Tables of docs/speed.md, and how results of separate calls are put together."""

import json
from pathlib import Path

from benchmarks.stored_rows import with_stored
from paper.scripts.speed_tables import side_by_side_table, sweep_table, time_to_accuracy_table


def line(seconds: float, ours: float | None, quick: float | None) -> dict[str, object]:
    found = {"lsgnn": {"epoch": 3, "seconds": ours}, "lsgnn_quick": {"epoch": 1, "seconds": quick}}
    return {"target": 80.0, "seconds": seconds, **found}


def test_the_shorter_median_is_bold_and_what_is_not_reached_is_said() -> None:
    rounds = [line(1.0, 0.5, 0.2), line(2.0, 0.7, None), line(3.0, 4.0, None)]
    entry = {"dataset": "cora", "baselines": {"sgc": rounds, "linkx": [line(0.25, 0.5, 0.01)]}}
    rows = time_to_accuracy_table({"results": [entry]}).splitlines()[2:]
    assert rows == [
        "| Cora | 2.00 s | **0.70 s** | – | – | – | – | **0.25 s** | 0.50 s |",
        "| Cora, quick | **2.00 s** | not reached | – | – | – | – | 0.25 s | **10.0 ms** |",
    ]


def test_a_baseline_that_was_stopped_has_a_star() -> None:
    entry = {"dataset": "cora", "baselines": {"gat": [line(2.0, 0.5, None) | {"stopped": True}]}}
    rows = time_to_accuracy_table({"results": [entry]}).splitlines()[2:]
    assert rows == [
        "| Cora | – | – | – | – | 2.00 s \\* | **0.50 s** | – | – |",
        "| Cora, quick | – | – | – | – | **2.00 s** \\* | not reached | – | – |",
    ]


def test_runs_side_by_side_are_compared_with_tiles_of_32() -> None:
    seconds = {"2": {"32": 0.004, "64": 0.002}, "4": {"32": 0.004, "64": 0.008, "128": 0.004}}
    rows = side_by_side_table({"results": [{"dataset": "cora", "epoch_cpu_seconds": seconds}]}).splitlines()[2:]
    assert rows == ["| Cora | 2 | 64 | 2.00 |", "| Cora | 4 | 64 | 0.50 |", "| Cora | 4 | 128 | 1.00 |"]


def test_a_sweep_judges_what_is_long_enough() -> None:
    def row(d: int, seconds: float, ns: float) -> dict[str, object]:
        stages = ("prepare", "train", "predict")
        shape = {"n": 1000, "E": 3000, "d": d, "density": 0.3, "classes": 2, "feature_norm": "l2"}
        return shape | {"seconds": dict.fromkeys(stages, seconds), "ns_per_unit": dict.fromkeys(stages, ns)}

    results = [row(16, 0.01, 900.0), row(20, 1.0, 1.0), row(30, 1.0, 2.0), row(4000, 1.0, 6.0)]
    prepare, *_ = sweep_table({"smallest": 0.02, "results": results}).splitlines()[2:]
    assert prepare == "| prepare | 3 | 2.00 | 3.0 | n 1,000, E 3,000, d 4,000, density 0.3, classes 2, `l2` |"


def test_rows_and_methods_that_were_not_measured_again_stay(tmp_path: Path) -> None:
    def row(dataset: str, epochs: int = 200, **seconds: int) -> dict[str, object]:
        return {"dataset": dataset, "epochs": epochs, "seconds": seconds}

    file = tmp_path / "train_cost.json"
    assert with_stored(file, [row("cora", sgc=1)]) == [row("cora", sgc=1)]
    file.write_text(json.dumps({"results": [row("texas", sgc=1, gat=2), row("cora", sgc=3), row("actor", gat=5)]}))
    again = [row("texas", sgc=9), row("actor", 20, sgc=7)]
    texas, cora, actor = with_stored(file, again)
    assert texas == row("texas", sgc=9, gat=2) | {"earlier": ["gat"]}
    assert cora == row("cora", sgc=3)
    assert actor == row("actor", 20, sgc=7)  # of another length: nothing of it can stay
    file.write_text(json.dumps({"results": [{"dataset": "cora", "baselines": {"gat": [1], "sgc": [2]}}]}))
    (cora,) = with_stored(file, [{"dataset": "cora", "baselines": {"sgc": [3]}}], "baselines")
    assert cora == {"dataset": "cora", "baselines": {"sgc": [3], "gat": [1]}, "earlier": ["gat"]}
