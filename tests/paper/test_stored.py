"""The results in the repository are still those that a run would ask for: nothing of it would be computed again."""

import shutil
from pathlib import Path

import pytest

from lsgnn.benchmark.compare import compare
from lsgnn.datasets import info, load
from lsgnn.zoo.presets import zoo_preset
from paper import get, names
from paper.frame import Plan, Results
from paper.places import RESULTS
from paper.running import is_finished


@pytest.mark.parametrize("name", names())
def test_every_stored_unit_of_an_experiment_is_one_that_a_run_asks_for(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LSGNN_DATA", str(tmp_path))  # the large graphs of the paper would replace their stand-ins
    monkeypatch.setenv("LSGNN_CACHE", str(tmp_path))
    results = Results(RESULTS, name)
    finished = [unit.name for unit in get(name).units(Plan(), results) if is_finished(unit, results)]
    assert sorted(finished) == results.finished()


@pytest.mark.dataset
@pytest.mark.parametrize("model", ["gcn", "lsgnn"])
def test_compare_finds_the_stored_units_of_the_zoo(model: str, tmp_path: Path, data_dir: Path) -> None:
    file = tmp_path / "wisconsin" / f"{model}.jsonl"
    file.parent.mkdir()
    shutil.copy(RESULTS / "zoo" / "wisconsin" / file.name, file)
    before = file.read_bytes()
    card = {model: zoo_preset(model, "wisconsin")}
    done = compare(load("wisconsin", data_dir), [model], metric=info("wisconsin").metric, configs=card, store=tmp_path)
    assert len(done.rows[0].units) == 10
    assert file.read_bytes() == before  # nothing was trained and added
