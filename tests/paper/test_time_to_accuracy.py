"""docs/speed.md's table of times to an accuracy, and how results of separate calls are put together."""

import json
from pathlib import Path

from benchmarks.stored_rows import with_stored
from paper.scripts.readme import Stored, time_to_accuracy_table


def line(seconds: float, ours: float | None, quick: float | None) -> dict[str, object]:
    found = {"lsgnn": {"epoch": 3, "seconds": ours}, "lsgnn_quick": {"epoch": 1, "seconds": quick}}
    return {"target": 80.0, "seconds": seconds, **found}


def test_the_shorter_median_is_bold_and_what_is_not_reached_is_said(tmp_path: Path) -> None:
    rounds = [line(1.0, 0.5, 0.2), line(2.0, 0.7, None), line(3.0, 4.0, None)]
    entry = {"dataset": "cora", "baselines": {"sgc": rounds, "linkx": [line(0.25, 0.5, 0.01)]}}
    (tmp_path / "time_to_accuracy.json").write_text(json.dumps({"results": [entry]}))
    rows = time_to_accuracy_table(Stored(tmp_path, tmp_path)).splitlines()[2:]
    assert rows == [
        "| Cora | 2.00 s | **0.70 s** | – | – | – | – | **0.25 s** | 0.50 s |",
        "| Cora, quick | **2.00 s** | not reached | – | – | – | – | 0.25 s | **10.0 ms** |",
    ]


def test_a_baseline_that_was_stopped_has_a_star(tmp_path: Path) -> None:
    entry = {"dataset": "cora", "baselines": {"gat": [line(2.0, 0.5, None) | {"stopped": True}]}}
    (tmp_path / "time_to_accuracy.json").write_text(json.dumps({"results": [entry]}))
    rows = time_to_accuracy_table(Stored(tmp_path, tmp_path)).splitlines()[2:]
    assert rows == [
        "| Cora | – | – | – | – | 2.00 s \\* | **0.50 s** | – | – |",
        "| Cora, quick | – | – | – | – | **2.00 s** \\* | not reached | – | – |",
    ]


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
