"""The table of `benchmarks/neighbour_labels.py`."""

from pathlib import Path

from benchmarks.neighbour_labels import table_of
from lsgnn.lines import LineFile


def test_scores_are_means_over_the_splits_without_labels_and_with(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "lines.jsonl")
    without, read = [{"val": 50, "test": 40}, {"val": 60, "test": 50}], [{"val": 70, "test": 60}] * 2
    file.add("key", {"graph": "texas", "metric": "accuracy", "without": without, "with": read})
    assert table_of(file.path).splitlines()[2] == "| texas | accuracy | 2 | 55.00 | 70.00 | 45.00 | 60.00 |"
