"""`paper.peers`: changes to the baselines' presets that look for the causes of differences."""

from pathlib import Path

from lsgnn.zoo.presets import zoo_preset
from paper.deviations import deviations
from paper.frame import Plan, PlannedUnit, Results
from paper.peers import checks, measured, units
from paper.published import nine
from tests.paper.stored import add_zoo_unit


def test_every_check_changes_its_card(tmp_path: Path) -> None:
    planned = units(Plan(), Results(tmp_path, "peers"))
    assert len(planned) == len(checks()) == len({unit.name for unit in planned})
    for unit in planned:
        card = zoo_preset(unit.arguments["model"], unit.arguments["dataset"]).to_dict()
        assert unit.arguments["config"] != card, unit.name


def stored(root: Path) -> Results:
    """GPRGNN on Chameleon: 68 by its preset on four splits, 47 along in-edges on the first three."""
    results, card = Results(root, "peers"), zoo_preset("gprgnn", "chameleon").to_dict()
    for split in range(4):
        add_zoo_unit(root, "chameleon", "gprgnn", split, 67.0 if split else 69.0, **card)
    found = {"test": [46.0, 47.0, 48.0], "val": [50.0, 50.0, 50.0]}
    results.add(PlannedUnit("chameleon/gprgnn-in-edges", {}), result=found)
    return results


def test_card_and_change_are_compared_on_the_splits_of_both(tmp_path: Path) -> None:
    (found,) = measured(stored(tmp_path))
    assert (found.card, found.changed) == ([69.0, 67.0, 67.0], [46.0, 47.0, 48.0])


def test_what_was_measured_follows_the_reason(tmp_path: Path) -> None:
    zoo = {dataset: {} for dataset in nine()} | {"chameleon": {"gprgnn": [69.0, 67.0, 67.0]}}
    (row,) = deviations(zoo, measured(stored(tmp_path))).rows
    assert "measured: along in-edges" in str(row.cells[-1])
    assert "47.00 ± 0.82 (unchanged: 67.67 ± 0.94, 3 splits)" in str(row.cells[-1])
