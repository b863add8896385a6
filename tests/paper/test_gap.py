"""What closes the gap: the decision is made on validation, and the test units follow from it."""

from pathlib import Path
from typing import Any

import pytest

from lsgnn.config import LSGNNConfig
from lsgnn.files import write_json
from paper import gap
from paper.frame import Plan, Results
from paper.gap_page import gain, render
from paper.page import to_markdown

BASE = LSGNNConfig(direction="out", seed=1000)


@pytest.fixture
def results(tmp_path: Path) -> Results:
    store(
        tmp_path / "tuning" / "paper" / "texas.json",
        {"test": {"one setting for all splits": {"config": BASE.to_dict()}}},
    )
    return Results(tmp_path, "gap")


def store(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, document)


def score(results: Results, val: dict[str, list[float]]) -> None:
    for unit in gap.units(Plan(("texas",)), results):
        name = unit.name.split("/")[1]
        if not name.startswith("test-"):
            results.add(unit, result={"val": val.get(name, [50.0, 50.0])})


def units_of_test(results: Results) -> dict[str, Any]:
    return {u.name: u for u in gap.units(Plan(("texas",)), results) if "/test-" in u.name}


def test_a_change_that_is_none_is_not_run_and_nothing_is_tested_before_all_are_scored(results: Results) -> None:
    names = [unit.name for unit in gap.units(Plan(("texas",)), results)]
    assert "texas/out" not in names  # the tuned configuration reads out-neighbours already
    assert "texas/in" in names
    assert not units_of_test(results)
    assert gap.units(Plan(("wisconsin",)), results) == []  # not tuned yet


def test_the_largest_sure_gain_on_validation_is_tested(results: Results) -> None:
    # wide gains more, but not surely; by-accuracy surely, but it is judged by what it maximises
    score(results, {"degree": [51.0, 51.2], "wide": [40.0, 70.0], "by-accuracy": [60.0, 60.1]})
    units = units_of_test(results)
    assert {unit.arguments["choice"] for unit in units.values()} == {"degree"}
    assert units["texas/test-voting"].arguments["seeds"] == 10
    assert units["texas/test-chosen"].arguments["configs"] == [BASE.replace(degree="plain").to_dict()]


def test_without_a_sure_gain_the_tuned_settings_stay(results: Results) -> None:
    score(results, {"wide": [40.0, 70.0]})
    units = units_of_test(results)
    assert set(units) == {"texas/test-tuned", "texas/test-tuned-voting", "texas/test-by-accuracy"}
    for number, unit in enumerate(units.values()):
        results.add(unit, result={"test": [70.0 + number, 70.0 + number]})
    rows = {line.split(" | ")[0][2:]: line for line in to_markdown(render(results)).splitlines() if "| ours |" in line}
    assert "| 70.00 ± 0.00 |" in rows["tuned, one seed"]
    assert "| 70.00 ± 0.00 |" in rows["with the change, one seed"]  # there is none: the tuned configuration's own
    assert "| 71.00 ± 0.00 |" in rows["with the change, seed ensemble"]
    assert "| none |" in rows["the change"]


def test_gains_are_paired() -> None:
    assert gain([2.0, 4.0], [1.0, 1.0]) == pytest.approx((2.0, 1.0))
    assert gain([2.0], [1.0]) == (1.0, 0.0)


@pytest.mark.dataset
def test_both_directions_are_an_ensemble(data_dir: Path) -> None:
    configs = [BASE.replace(epochs=3, direction=direction).to_dict() for direction in ("out", "in")]
    arguments = {"dataset": "texas", "part": "val", "splits": 1, "seeds": 2, "configs": configs}
    found = gap.compute(arguments, Plan(data_dir=data_dir))
    assert list(found) == ["val"]
    assert len(found["val"]) == 1
    both = gap.compute(arguments | {"part": "test"}, Plan(data_dir=data_dir))
    assert 0 < both["test"][0] <= 100


@pytest.mark.dataset
def test_both_directions_as_channels_use_both(data_dir: Path) -> None:
    config = BASE.replace(epochs=3).to_dict()
    arguments = {
        "dataset": "texas",
        "part": "val",
        "splits": 1,
        "seeds": 1,
        "configs": [config],
        "both_as_channels": True,
    }
    found = gap.compute(arguments, Plan(data_dir=data_dir))
    assert 0 < found["val"][0] <= 100
