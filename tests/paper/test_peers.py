"""`lsgnn.paper.peers`: changes to the peers' cards that look for the causes of differences."""

from pathlib import Path

from lsgnn.files import write_json
from lsgnn.paper.deviations import deviations
from lsgnn.paper.frame import Plan, Results
from lsgnn.paper.peers import checks, measured, units
from lsgnn.paper.published import nine
from lsgnn.zoo.presets import zoo_preset


def test_every_check_changes_its_card(tmp_path: Path) -> None:
    planned = units(Plan(), Results(tmp_path, "peers"))
    assert len(planned) == len(checks()) == len({unit.key for unit in planned})
    for unit in planned:
        card = zoo_preset(unit.arguments["model"], unit.arguments["dataset"]).to_dict()
        assert unit.arguments["config"] != card, unit.key


def stored(root: Path) -> Results:
    """GPRGNN on Chameleon: 68 by its card on four splits, 47 along in-edges on the first three."""
    results, card = Results(root, "peers"), zoo_preset("gprgnn", "chameleon").to_dict()
    (root / "zoo" / "chameleon").mkdir(parents=True)
    for split in range(4):
        unit = {"model": "gprgnn", "split": split, "config": card, "val": 60.0, "test": 67.0 if split else 69.0}
        write_json(root / "zoo" / "chameleon" / f"gprgnn-split{split}-x.json", unit)
    path = results.path("chameleon/gprgnn-in-edges")
    path.parent.mkdir(parents=True)
    write_json(path, {"arguments": {}, "result": {"test": [46.0, 47.0, 48.0], "val": [50.0, 50.0, 50.0]}})
    return results


def test_card_and_change_are_compared_on_the_splits_of_both(tmp_path: Path) -> None:
    (found,) = measured(stored(tmp_path))
    assert (found.card, found.changed) == ([69.0, 67.0, 67.0], [46.0, 47.0, 48.0])


def test_what_was_measured_follows_the_reason(tmp_path: Path) -> None:
    zoo = {dataset: {} for dataset in nine()} | {"chameleon": {"gprgnn": [69.0, 67.0, 67.0]}}
    (row,) = deviations(zoo, measured(stored(tmp_path))).rows
    assert "measured: along in-edges" in str(row.cells[-1])
    assert "47.00 ± 0.82 (card: 67.67 ± 0.94, 3 splits)" in str(row.cells[-1])
