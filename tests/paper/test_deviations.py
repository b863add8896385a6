"""Reasons for differences: each names the stored result that tested it, and is shown only while that explains it."""

from pathlib import Path

import pytest

from lsgnn.zoo.presets import zoo_preset
from paper.deviations import UNEXPLAINED, Reason, deviations, reasons
from paper.frame import PlannedUnit, Results
from paper.peers import checks, measured
from paper.places import RESULTS
from paper.published import nine
from tests.paper.stored import add_zoo_unit


@pytest.mark.parametrize("reason", reasons(), ids=lambda reason: reason.tested)
def test_every_reason_names_the_stored_unit_that_tested_it(reason: Reason) -> None:
    results = Results(RESULTS, "peers")
    assert reason.tested in results.finished(), f"{results.path(reason.tested)} has no unit {reason.tested}"
    (check,) = (check for check in checks() if check.key == reason.tested)
    arguments = results.arguments(reason.tested)
    assert (reason.model, reason.dataset) == (check.model, check.dataset)
    assert (reason.model, reason.dataset) == (arguments["model"], arguments["dataset"])


def why(root: Path, changed: list[float]) -> str:
    """The last cell of GPRGNN on Texas (published: 78.38), 84 by its preset and `changed` along in-edges."""
    for split, test in enumerate((83.0, 84.0, 85.0)):
        add_zoo_unit(root, "texas", "gprgnn", split, test, **zoo_preset("gprgnn", "texas").to_dict())
    results = Results(root, "peers")
    results.add(PlannedUnit("texas/gprgnn-in-edges", {}), result={"test": changed, "val": changed})
    zoo = {dataset: {} for dataset in nine()} | {"texas": {"gprgnn": [83.0, 84.0, 85.0]}}
    (row,) = deviations(zoo, measured(results)).rows
    return str(row.cells[-1])


def test_a_reason_is_shown_where_its_test_explains_the_difference(tmp_path: Path) -> None:
    text = why(tmp_path, [77.0, 78.0, 79.0])
    assert text.startswith(
        "published: by its code, the directed graph read along in-edges; ours: symmetrised. measured"
    )


def test_a_reason_whose_test_explains_nothing_any_more_is_not_shown(tmp_path: Path) -> None:
    text = why(tmp_path, [83.0, 84.0, 84.0])
    assert text.startswith(f"{UNEXPLAINED}. measured: along in-edges")
