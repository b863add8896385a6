"""Whatever happens to a file of a store or of a run on it: an error names it, or the result is the right one."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import LSGNNConfig
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.fitting import fit_stored
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.stored_run import StoredRun
from tests.fuzz.cases import cases
from tests.graphs import two_blocks
from tests.out_of_core.damage import DAMAGES, Damage, flip, is_refusal, outcome

CONFIG = LSGNNConfig(K=2, hidden_channels=4, epochs=2, feature_norm="standard")


def predict(folder: Path) -> bytes:
    StoredRun.load(folder / "run").predict(Store(folder / "store"), folder / "predictions.csv")
    return (folder / "predictions.csv").read_bytes()


def train(folder: Path) -> object:
    return fit_stored(Store(folder / "store"), CONFIG).metrics


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, object]:
    """A folder with a store and a run on it, and what `lsgnn predict` and `lsgnn fit` make of them."""
    folder = tmp_path_factory.mktemp("whole")
    store = precompute(two_blocks(n=40), folder / "store", CONFIG)
    fit_stored(store, CONFIG).save(folder / "run")
    right = predict(folder), train(folder)
    (folder / "predictions.csv").unlink()
    return folder, *right


@cases(20)
@given(
    number=st.integers(0, 10**6),
    damage=st.sampled_from([flip, *DAMAGES]),
    where=st.floats(0, 1, allow_nan=False),
)
def test_damage_is_named_or_does_no_harm(
    whole: tuple[Path, bytes, object],
    tmp_path_factory: pytest.TempPathFactory,
    number: int,
    damage: Damage,
    where: float,
) -> None:
    folder = tmp_path_factory.getbasetemp() / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    original, predictions, metrics = whole
    shutil.copytree(original, folder)
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != ".lock")
    file = files[number % len(files)]
    damage(file, where)
    for action, right in ((predict, predictions), (train, metrics)):
        found = outcome(action, folder)
        assert found == right or is_refusal(found, folder)
