"""A study outlives its processes: killed at any moment, or many at once, they lose, double and change nothing."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import optuna
import pytest

from lsgnn.tuning.study import FINISHED
from tests.tuning.lives import outcome

ROOT = Path(__file__).parents[2]


def lives(what: str, folder: Path, rounds: int = 1, **arguments: Any) -> Any:
    """Runs tests/tuning/lives.py, because a process with threads of its own must not be forked."""
    arguments["rounds"] = rounds
    command = [sys.executable, "-m", "tests.tuning.lives", what, str(folder), json.dumps(arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("given", "last_commits"),
    [
        # at birth; while drawing; between scores; while being closed, queued again and taken; while scored again
        ({"trials": 12, "grid": False, "which": [0, 1]}, [1, 4, 12, 15, 19, 9, 11, 61, 70, 8]),
        ({"trials": 9, "rescore": 2, "which": [0]}, [50, 200, 11, 180]),  # with the first look at all shares
    ],
)
def test_a_search_that_was_killed_chooses_as_if_it_had_not_been(
    tmp_path: Path, given: dict[str, Any], last_commits: list[int]
) -> None:
    (resumed,) = lives("killed", tmp_path, given=given, last_commits=last_commits)
    whole = json.loads(json.dumps(outcome(**given)))
    assert resumed["chosen"] == whole["chosen"]
    assert resumed == whole  # all trials and their order, all scores, the choice of each split


@pytest.mark.parametrize(("trials", "grid", "rounds"), [(12, False, 1), (2, True, 1)])
def test_searches_that_begin_at_once_on_a_new_file_share_it(
    tmp_path: Path, trials: int, grid: bool, rounds: int
) -> None:
    given = {"trials": trials, "grid": grid, "rescore": 1, "which": [0]}
    for number, found in enumerate(lives("at-once", tmp_path, rounds, given=given, processes=4)):
        folder = tmp_path / str(number)
        studies = optuna.get_all_study_names(f"sqlite:///{folder}/study.db")
        assert len(studies) == 1 + grid
        for name in studies:
            study = optuna.load_study(study_name=name, storage=f"sqlite:///{folder}/study.db")
            assert len(study.trials) == (36 if name.endswith("/grid") else trials)  # none lost, none too many
            assert {trial.state for trial in study.trials} <= set(FINISHED)
            assert len({json.dumps(trial.params) for trial in study.trials}) == len(study.trials)  # none doubled
        assert [one["chosen"] for one in found] == [found[0]["chosen"]] * 4
        assert {file.name for file in folder.iterdir()} == {"study.db", *(f"out{p}.json" for p in range(4))}
