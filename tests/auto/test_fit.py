"""`model="auto"`: an ordinary run, deterministic for a number of trials, resumable, blind to test labels."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lsgnn
from lsgnn import InputError, Run
from lsgnn.cli.main import run as run_command
from lsgnn.graph.splits import stratified_splits
from lsgnn.runs.blend import Blend
from tests.auto.at_hand import AtHand
from tests.graphs import random_graph, two_blocks

GRAPH = two_blocks()
TRIALS = 6
NAMES = ("lsgnn", "mlp", "linkx", "fsgnn")  # quick ones


@pytest.fixture(autouse=True, scope="module")
def quick_models() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lsgnn.auto.families.NAMES", NAMES)
        yield


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("auto") / "search"


@pytest.fixture(scope="module")
def run(storage: Path) -> Blend:
    found = lsgnn.fit(GRAPH, model="auto", trials=TRIALS, storage=storage)
    assert isinstance(found, Blend)
    return found


def test_it_is_a_run_with_a_leader_board(run: Blend) -> None:
    assert run.metrics["val_accuracy"] > 0.6
    assert len({row.model for row in run.board}) >= 4
    assert [row.val for row in run.board] == sorted((row.val for row in run.board), reverse=True)
    assert sum(row.share for row in run.board) == pytest.approx(1)
    assert sum(row.trials for row in run.board) <= TRIALS
    assert any(f"{TRIALS} trials" in note for note in run.notes)
    assert run.summary()["board"][0]["model"] == run.board[0].model


def test_saved_and_loaded_it_is_the_same(run: Blend, tmp_path: Path) -> None:
    run.save(tmp_path / "run")
    again = Run.load(tmp_path / "run")
    assert isinstance(again, Blend)
    np.testing.assert_array_equal(again.logits, run.logits)
    assert again.board == run.board
    assert again.tried == run.tried
    assert [(p.model, p.config, p.share) for p in again.parts] == [(p.model, p.config, p.share) for p in run.parts]
    assert again.predict().labels == run.predict().labels


def test_new_nodes_and_other_graphs_are_classified(run: Blend) -> None:
    new = run.predict_new(GRAPH.x[:2], [(80, 0), (81, 1)])
    assert new.probabilities.shape == (2, 2)
    np.testing.assert_allclose(new.probabilities.sum(axis=1), 1, rtol=1e-5)
    assert len(run.predict(two_blocks(seed=1))) == 80


def test_its_page_is_written(run: Blend, tmp_path: Path) -> None:
    from lsgnn.report import write_run_page

    write_run_page(run, tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text("utf-8")
    assert run.board[0].title in page
    assert "Auto" in page


def test_a_number_of_trials_gives_the_same_answer_for_any_workers_and_from_the_journal(
    run: Blend, storage: Path, tmp_path: Path
) -> None:
    lines = (storage / "trials.jsonl").read_text("utf-8")
    again = lsgnn.fit(GRAPH, model="auto", trials=TRIALS, storage=storage)
    assert (storage / "trials.jsonl").read_text("utf-8") == lines  # nothing was trained
    alone = lsgnn.fit(GRAPH, model="auto", trials=TRIALS, storage=tmp_path / "one", workers=1)
    for other in (again, alone):
        np.testing.assert_array_equal(other.logits, run.logits)
        assert [(row.model, row.val) for row in other.board] == [(row.model, row.val) for row in run.board]


def test_killed_in_the_middle_it_goes_on_to_the_same_answer(run: Blend, tmp_path: Path) -> None:
    code = (
        "import sys, lsgnn, lsgnn.auto.families; from tests.graphs import two_blocks\n"
        f"lsgnn.auto.families.NAMES = {NAMES}\n"
        f"lsgnn.fit(two_blocks(), model='auto', trials={TRIALS}, storage=sys.argv[1], workers=1)"
    )
    folder = tmp_path / "search"
    process = subprocess.Popen([sys.executable, "-c", code, folder], cwd=Path(__file__).parents[2])
    journal = folder / "trials.jsonl"
    end = time.monotonic() + 120
    while time.monotonic() < end and not (journal.is_file() and journal.read_bytes().count(b"\n") >= 2):
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert 2 <= journal.read_bytes().count(b"\n") < TRIALS
    again = lsgnn.fit(GRAPH, model="auto", trials=TRIALS, storage=folder, workers=1)
    np.testing.assert_array_equal(again.logits, run.logits)


def test_scrambled_test_labels_change_nothing(run: Blend, storage: Path) -> None:
    split = stratified_splits(GRAPH.y)[0]
    scrambled = replace(GRAPH, y=np.where(split.test, 1 - GRAPH.y, GRAPH.y))
    # the journal is known by what the search can see, and that is the same
    again = lsgnn.fit(scrambled, model="auto", split=split, trials=TRIALS, storage=storage)
    np.testing.assert_array_equal(again.logits, run.logits)
    kept = lsgnn.Graph.load(storage / "graph.npz")
    assert (kept.y[split.test] == -1).all()


def test_it_ends_early_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsgnn.auto.best_answer.TrialWorkers", AtHand)
    monkeypatch.setattr("lsgnn.auto.families.NAMES", ("mlp",))
    monkeypatch.setattr("lsgnn.auto.search.FRESH", 1)
    monkeypatch.setattr("lsgnn.auto.search.PATIENCE", (3, 6))
    monkeypatch.setattr("lsgnn.auto.settled.GAIN", 100.0)  # so that nothing is a gain
    found = lsgnn.fit(GRAPH, model="auto", trials=200, workers=1)
    assert isinstance(found, Blend)
    assert any("ended after" in note and "before the budget was used up" in note for note in found.notes)
    assert 6 < sum(row.trials for row in found.board) < 20


def test_a_folder_of_another_search_is_refused(storage: Path, run: Blend, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds a search on other data or splits"):
        lsgnn.fit(random_graph(), model="auto", trials=4, storage=storage)
    (tmp_path / "diary.txt").write_text("dear diary")
    with pytest.raises(InputError, match="holds other files"):
        lsgnn.fit(GRAPH, model="auto", trials=4, storage=tmp_path)
    assert (tmp_path / "diary.txt").read_text() == "dear diary"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"model": "auto", "K": 3}, "K is for a single model, but model='auto' chooses"),
        ({"model": "auto", "config": lsgnn.LSGNNConfig()}, "config is for a single model"),
        ({"model": "auto", "minutes": 0}, "minutes=0 is out of range"),
        ({"model": "auto", "trials": -1}, "trials=-1 is out of range"),
        ({"model": "gcn", "minutes": 3}, "minutes is for a search over models"),
        ({"model": "gcn", "stop_early": False}, "stop_early is for a search over models"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lsgnn.fit(GRAPH, **wrong)


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lsgnn.auto.best_answer.TrialWorkers", AtHand)
    GRAPH.save(tmp_path / "g.npz")
    command = ["lsgnn", "fit", str(tmp_path / "g.npz"), "--model", "auto", "--trials", "2"]
    for words, code in (["--out", str(tmp_path / "run"), "--json"], 0), (["--set", "K=2"], 2):
        monkeypatch.setattr(sys, "argv", [*command, *words])
        with pytest.raises(SystemExit) as stop:
            run_command()
        assert int(stop.value.code or 0) == code
        told = capsys.readouterr()
        if code:
            assert "--set is for a single model" in told.err
        else:
            assert json.loads(told.out)["model"] == "auto"
    assert Run.load(tmp_path / "run").model == "auto"
