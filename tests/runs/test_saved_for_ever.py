"""Runs that earlier versions saved load and predict as they did then (`python -m scripts.save_runs_for_ever`)."""

from pathlib import Path

import numpy as np
import pyarrow.csv
import pytest

from lsgnn import Run
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.stored_run import StoredRun

FIXTURES = Path(__file__).parents[1] / "fixtures" / "runs"
RUNS = sorted(file.with_suffix("") for file in FIXTURES.glob("*/*.csv"))


def test_this_version_has_saved_runs() -> None:
    assert len(RUNS) >= 7
    executable = {".py", ".pkl", ".pt", ".pth", ".so"}
    assert not [file for file in FIXTURES.rglob("*") if file.suffix in executable]


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_a_run_of_an_earlier_version_predicts_as_it_did_then(folder: Path, tmp_path: Path) -> None:
    new = tmp_path / "predictions.csv"
    if folder.name.startswith("stored-"):
        StoredRun.load(folder).predict(Store(folder.parent / "store"), new)
    else:
        Run.load(folder).predict().save(new)
    then, now = (pyarrow.csv.read_csv(file) for file in (folder.with_name(f"{folder.name}.csv"), new))
    assert then.column_names == now.column_names
    for name in ("id", "prediction"):
        assert then[name].to_pylist() == now[name].to_pylist()
    for name in then.column_names[2:]:
        np.testing.assert_allclose(then[name], now[name], atol=1e-5)
