import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import optuna
import pytest

from lsgnn import InputError, LSGNNConfig, stratified_splits, zoo
from lsgnn.benchmark.evaluate import evaluate
from lsgnn.errors import TrainingDiverged
from lsgnn.tuning import tune
from lsgnn.tuning.choice import best_on_split
from lsgnn.tuning.pruning import HopelessPruner
from lsgnn.tuning.scorer import Scorer
from lsgnn.tuning.study import FINISHED, _take, open_study, recover, search, worker_is_gone, worker_mark
from lsgnn.zoo.lsgnn import MODEL
from lsgnn.zoo.lsgnn_space import SPACES, paper_space
from lsgnn.zoo.prepared import Prepared
from tests.graphs import two_blocks

GRAPH = two_blocks(n=60)
SPLITS = stratified_splits(GRAPH.y, 3)
BASE = LSGNNConfig(epochs=5, K=2, hidden_channels=8)


def test_a_search_chooses_settings_by_their_validation_score_on_fresh_seeds() -> None:
    tuning = tune(GRAPH, trials=6, base=BASE, splits=SPLITS, grid=False, prune=False)
    assert len(tuning.trials) == 6
    assert all(len(trial["val"]) == 3 for trial in tuning.trials)
    assert [r["rounds"] for r in tuning.rescored] == [2, 2, 2, 1, 1, 1]
    best = max(tuning.rescored[:3], key=lambda r: r["val"])
    assert tuning.settings == best["settings"]
    assert tuning.config == BASE.replace(**best["settings"])
    assert {r["trial"] for r in tuning.rescored} <= {t["trial"] for t in tuning.trials}


def test_fewer_settings_may_be_scored_again_where_a_training_is_long() -> None:
    given = dict(trials=4, base=BASE, splits=SPLITS, grid=False, prune=False)
    tuning, more = tune(GRAPH, rescore=2, **given), tune(GRAPH, **given)
    assert [r["rounds"] for r in tuning.rescored] == [2, 1]
    best = sorted(more.rescored, key=lambda r: -r["search_val"])[:2]  # the same trials: they do not depend on it
    assert {r["trial"] for r in tuning.rescored} == {r["trial"] for r in best}
    with pytest.raises(InputError, match="rescore=0"):
        tune(GRAPH, rescore=0, **given)


def test_trials_are_pruned_by_what_so_many_validation_nodes_can_tell() -> None:
    pruners = []
    for prune in (True, False):
        tune(
            GRAPH,
            trials=1,
            base=BASE,
            splits=SPLITS,
            grid=False,
            prune=prune,
            on_trial=lambda s: pruners.append(s.pruner),
        )
    assert isinstance(pruners[0], HopelessPruner)
    assert pruners[0].num_val == min(SPLITS[s].val.sum() for s in range(3))
    assert not isinstance(pruners[1], HopelessPruner)


def test_each_split_may_choose_by_its_own_validation_nodes() -> None:
    tuning = tune(GRAPH, trials=6, base=BASE, splits=SPLITS, grid=False, prune=False)
    for s, settings in enumerate(tuning.per_split):
        chosen = next(t for t in tuning.trials if t["settings"] == settings)
        assert chosen["val"][s] == max(t["val"][s] for t in tuning.trials)


def test_every_split_is_trained_with_a_seed_of_its_own() -> None:
    scores = list(Scorer(Prepared(GRAPH), SPLITS, MODEL, BASE, workers=2).scores({"dropout": 0.1}, [0, 1, 2], seed=5))
    alone = [
        evaluate(GRAPH, BASE.replace(dropout=0.1, seed=5 + s), splits=SPLITS, which=[s], workers=1).val[0]
        for s in range(3)
    ]
    assert scores == pytest.approx(alone)


def test_the_committee_is_led_by_the_chosen_settings() -> None:
    tuning = tune(GRAPH, trials=4, base=BASE, splits=SPLITS, grid=False, prune=False)
    committee = tuning.committee(3)
    assert committee[0] == tuning.config
    assert len({config.lr for config in committee}) == 3
    with pytest.raises(InputError, match="size=5 is out of range: 4 settings"):
        tuning.committee(5)


def test_equal_scores_on_a_split_are_not_told_apart_by_other_splits() -> None:
    tried = [
        optuna.trial.create_trial(value=v, user_attrs={"val": val}) for v, val in ((1.0, [5.0, 0.0]), (9.0, [5.0, 9.0]))
    ]
    first, second = (replace_number(trial, n) for n, trial in enumerate(tried))
    assert best_on_split([second, first], 0) is first
    assert best_on_split([second, first], 1) is second
    pruned = replace_number(
        optuna.trial.create_trial(state=optuna.trial.TrialState.PRUNED, user_attrs={"val": [6.0]}), 2
    )
    assert best_on_split([first, second, pruned], 0) is pruned
    assert best_on_split([first, second, pruned], 1) is second


def replace_number(trial: optuna.trial.FrozenTrial, number: int) -> optuna.trial.FrozenTrial:
    trial.number = number
    return trial


def test_a_study_made_with_other_settings_or_another_space_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = dict(trials=1, splits=SPLITS, grid=False, storage=tmp_path / "study.db")
    tune(GRAPH, base=BASE, **given)
    for change in ({"base": BASE.replace(K=1)}, {"base": BASE, "which": [0, 1]}, {"base": BASE, "metric": "macro_f1"}):
        with pytest.raises(InputError, match="holds a search of two-blocks/lsgnn/paper on other data"):
            tune(GRAPH, **given | change)
    monkeypatch.setitem(SPACES, "paper", lambda trial: {"K": trial.suggest_categorical("K", (1, 2))})
    with pytest.raises(InputError, match=r"the study 'two-blocks/lsgnn/paper' searched '\w+' in another space"):
        tune(GRAPH, base=BASE, **given)


def test_settings_that_diverge_do_not_end_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Scorer.scores

    def scores(self: Scorer, settings: dict, splits: list[int], seed: int) -> Iterator[float]:
        for number, score in enumerate(honest(self, settings, splits, seed)):
            if settings["similarity"] == "cosine" and number == 1:
                raise TrainingDiverged("training diverged")
            yield score

    monkeypatch.setattr(Scorer, "scores", scores)
    tuning = tune(GRAPH, trials=8, base=BASE, splits=SPLITS, grid=False, prune=False)
    assert len(tuning.trials) == 8
    diverged = [t for t in tuning.trials if t["settings"]["similarity"] == "cosine"]
    assert 0 < len(diverged) < 8
    assert all(t["state"] == "pruned" and len(t["val"]) == 1 for t in diverged)
    assert tuning.settings["similarity"] == "euclidean"


@pytest.mark.parametrize("model", ["lsgnn", "cpgnn"])  # CPGNN reads labels as an input
def test_the_search_does_not_depend_on_test_labels(model: str) -> None:
    from dataclasses import replace

    from lsgnn import Splits

    one = Splits(SPLITS.train[:1], SPLITS.val[:1], SPLITS.test[:1])
    poisoned = replace(GRAPH, y=np.where(one.test[0], 1 - GRAPH.y, GRAPH.y))
    base = BASE if model == "lsgnn" else zoo.get(model).config(epochs=5, pretrain_epochs=3)
    a, b = (tune(g, model=model, trials=4, base=base, splits=one, grid=False) for g in (GRAPH, poisoned))
    assert a.trials == b.trials
    assert a.settings == b.settings


def test_the_first_look_at_all_shares_starts_the_search_with_the_best_cells(tmp_path: Path) -> None:
    tune(GRAPH, trials=9, base=BASE, splits=SPLITS, storage=tmp_path / "study.db", prune=False)
    grid = optuna.load_study(study_name="two-blocks/lsgnn/paper/grid", storage=f"sqlite:///{tmp_path}/study.db")
    cells = {(t.params["beta"], t.params["gamma"]) for t in grid.trials}
    assert len(grid.trials) == len(cells) == 36
    study = optuna.load_study(study_name="two-blocks/lsgnn/paper", storage=f"sqlite:///{tmp_path}/study.db")
    best = sorted(grid.trials, key=lambda t: -t.value)[:8]
    started = [(t.params["beta"], t.params["gamma"]) for t in study.trials[:8]]
    assert started == [(t.params["beta"], t.params["gamma"]) for t in best]
    others = {name: getattr(BASE, name) for name in ("lr", "weight_decay", "dropout", "similarity")}
    assert all(t.params.items() >= others.items() for t in study.trials[:8])  # as they were looked at


def test_the_first_look_gives_up_hopeless_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HopelessPruner, "margin", lambda self, score, num_splits: 0.0)  # whatever is behind is hopeless
    tune(GRAPH, trials=1, base=BASE, splits=SPLITS, storage=tmp_path / "study.db")
    grid = optuna.load_study(study_name="two-blocks/lsgnn/paper/grid", storage=f"sqlite:///{tmp_path}/study.db")
    states = [trial.state.name for trial in grid.trials]
    assert len(states) == 36
    assert {"COMPLETE", "PRUNED"} == set(states)


def test_a_stopped_search_goes_on_and_a_finished_one_is_only_read(tmp_path: Path) -> None:
    settings = dict(base=BASE, splits=SPLITS, grid=False, storage=tmp_path / "study.db")
    first = tune(GRAPH, trials=3, **settings)
    more = tune(GRAPH, trials=5, **settings)
    assert more.trials[:3] == first.trials
    assert len(more.trials) == 5
    assert len({json.dumps(t["settings"]) for t in more.trials}) == 5  # a resumed search draws new settings
    again = tune(GRAPH, trials=5, **settings)
    assert again.trials == more.trials
    assert again.settings == more.settings
    assert again.seconds > more.seconds > first.seconds > 0  # all calls together


def test_settings_that_suited_another_graph_are_tried_first() -> None:
    good = {"lr": 0.02, "weight_decay": 1e-4, "dropout": 0.5, "beta": 1.0, "gamma": 0.5, "similarity": "cosine"}
    tuning = tune(GRAPH, trials=2, base=BASE, splits=SPLITS, grid=False, start=[good])
    assert tuning.trials[0]["settings"] == good
    assert tuning.trials[1]["settings"] != good


def test_what_the_settings_to_try_first_leave_open_is_as_in_the_base() -> None:
    tuning = tune(GRAPH, trials=1, space="extended", base=BASE, splits=SPLITS, grid=False, start=[{"lr": 0.02}])
    assert tuning.trials[0]["settings"]["lr"] == 0.02
    assert tuning.trials[0]["settings"]["direction"] == BASE.direction
    assert tuning.trials[0]["settings"]["dropout"] == BASE.dropout


def test_a_search_out_of_time_ends_with_at_least_one_trial_and_goes_on_later(tmp_path: Path) -> None:
    settings = dict(base=BASE, splits=SPLITS, grid=False, storage=tmp_path / "study.db")
    assert len(tune(GRAPH, trials=5, timeout=1e-9, **settings).trials) == 1
    quick = tune(GRAPH, trials=5, timeout=1e-9, base=BASE, splits=SPLITS)
    assert len(quick.trials) == 1  # the first look at β and γ ends in time as well
    assert len(tune(GRAPH, trials=3, **settings).trials) == 3
    with pytest.raises(InputError, match="timeout=0"):
        tune(GRAPH, trials=1, timeout=0)


def test_any_model_of_the_zoo_can_be_tuned_in_its_own_space() -> None:
    tuning = tune(GRAPH, model="sgc", trials=2, splits=SPLITS)
    assert len(tuning.trials) == 2
    assert "lr" in tuning.settings


KILLED = """
import os, signal, sys
from lsgnn.tuning import tune
from lsgnn.tuning.scorer import Scorer
from tests.tuning.test_tune import BASE, GRAPH, SPLITS

storage, trial, split = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
score, trials = Scorer.scores, []

def killed_on_the_way(self, *given):
    trials.append(given)
    for s, one in enumerate(score(self, *given)):
        if (len(trials) - 1, s) == (trial, split):
            os.kill(os.getpid(), signal.SIGKILL)
        yield one

Scorer.scores = killed_on_the_way
tune(GRAPH, trials=30, base=BASE, splits=SPLITS, grid=False, prune=False, storage=storage)
"""


@pytest.mark.parametrize(("trial", "split"), [(0, 0), (2, 0), (3, 2)])
def test_after_sigkill_no_trial_is_lost_and_none_is_doubled(tmp_path: Path, trial: int, split: int) -> None:
    storage, root = tmp_path / "study.db", Path(__file__).parents[2]
    child = subprocess.run([sys.executable, "-c", KILLED, str(storage), str(trial), str(split)], cwd=root)
    assert child.returncode == -signal.SIGKILL
    study = optuna.load_study(study_name="two-blocks/lsgnn/paper", storage=f"sqlite:///{storage}")
    (interrupted,) = (t.params for t in study.trials if t.state.name == "RUNNING")
    before = study.get_trials(states=FINISHED)
    assert len(before) == trial
    total = trial + 3
    tuning = tune(GRAPH, trials=total, base=BASE, splits=SPLITS, grid=False, prune=False, storage=storage)
    settings = [t["settings"] for t in tuning.trials]
    assert [t["trial"] for t in tuning.trials[:trial]] == [t.number for t in before]
    assert interrupted in settings[trial:]  # tried again, not lost
    assert len({json.dumps(s, sort_keys=True) for s in settings}) == len(settings) == total  # nor doubled


def test_a_living_process_is_not_taken_for_dead() -> None:
    assert not worker_is_gone(worker_mark())
    assert worker_is_gone(worker_mark().rpartition(":")[0] + ":0")
    assert not worker_is_gone("elsewhere:1:1")
    study = open_study("s", None)
    trial = study.ask()
    trial.set_user_attr("worker", worker_mark())
    recover(study)
    assert study.trials[0].state.name == "RUNNING"


def test_another_search_is_refused_while_the_first_has_no_trial_yet(tmp_path: Path) -> None:
    study = open_study("s", tmp_path / "study.db", decides="seed 0")
    open_study("s", tmp_path / "study.db", decides="seed 1")  # the same process has changed its mind
    study.set_user_attr("opened", "elsewhere:1:1")  # another process, and it lives
    with pytest.raises(InputError, match="holds a search of s on other data"):
        open_study("s", tmp_path / "study.db", decides="seed 0")
    study.set_user_attr("opened", worker_mark().rpartition(":")[0] + ":0")  # it is gone
    open_study("s", tmp_path / "study.db", decides="seed 0")


def test_no_two_trials_draw_in_one_place_however_many_die() -> None:
    study = open_study("s", None)
    for place in range(3):
        trial = study.ask()
        trial.set_user_attr("place", place)
        trial.set_user_attr("worker", "elsewhere:1:1" if place else "")  # the first died before it drew anything
    taken = [_take(study, 5, []) for _ in range(3)]
    assert [trial.user_attrs["place"] for trial in taken if trial] == [0, 3, 4]
    assert study.trials[0].state.name == "FAIL"


def test_processes_that_share_a_new_study_draw_different_settings(tmp_path: Path) -> None:
    studies = [open_study("s", tmp_path / "study.db") for _ in range(2)]
    scorer = Scorer(Prepared(GRAPH), SPLITS, MODEL, BASE)
    for number, study in enumerate(studies, start=1):  # both were opened before either has a trial
        search(study, scorer, paper_space, [0], number, seed=0)
    first, second = studies[0].trials
    assert first.params != second.params


def test_an_interrupted_trial_is_tried_again_by_the_same_process(monkeypatch: pytest.MonkeyPatch) -> None:
    study, scorer = open_study("s", None), Scorer(Prepared(GRAPH), SPLITS, MODEL, BASE)
    study.enqueue_trial({"beta": 0.3})
    with monkeypatch.context() as patch:
        patch.setattr(Scorer, "scores", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            search(study, scorer, paper_space, [0], 1, seed=0)
    search(study, scorer, paper_space, [0], 1, seed=0)
    stopped, again = study.trials
    assert (stopped.state.name, again.state.name) == ("FAIL", "COMPLETE")
    assert again.params == stopped.params
    assert again.params["beta"] == 0.3


def test_a_trial_of_another_machine_does_not_hold_a_search_up_for_ever() -> None:
    study, scorer = open_study("s", None), Scorer(Prepared(GRAPH), SPLITS, MODEL, BASE)
    study.ask().set_user_attr("worker", "elsewhere:1:1")
    search(study, scorer, paper_space, [0], 2, seed=0, deadline=time.monotonic() + 1)  # returns, one trial short
    assert [t.state.name for t in study.trials] == ["RUNNING", "COMPLETE"]
    study._storage.set_trial_user_attr(study.trials[0]._trial_id, "seen", 0.0)  # silent since 1970
    search(study, scorer, paper_space, [0], 2, seed=0)
    assert [t.state.name for t in study.trials] == ["FAIL", "COMPLETE", "COMPLETE"]


def test_a_first_look_that_ran_out_of_time_goes_on(tmp_path: Path) -> None:
    given = dict(base=BASE, splits=SPLITS, prune=False, storage=tmp_path / "study.db", start=[{"beta": 0.5}])
    tune(GRAPH, trials=1, timeout=1e-9, **given)
    tune(GRAPH, trials=2, **given)
    grid = optuna.load_study(study_name="two-blocks/lsgnn/paper/grid", storage=f"sqlite:///{tmp_path}/study.db")
    assert sum(t.state.name == "COMPLETE" for t in grid.trials) == 36


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"space": "foo"}, "space='foo' is not a choice: use one of 'paper', 'extended'"),
        ({"workers": 0}, "workers=0 is out of range"),
        ({"start": [{"beta": 0.4}]}, "start has beta=0.4, outside the search space: it must be one of 0.1"),
        ({"start": [{"lr": 5.0}]}, "start has lr=5.0, outside the search space: it must be from 0.001 to 0.1"),
        ({"start": [{"betta": 0.5}]}, "start has 'betta', which is not searched: use lr"),
        ({"model": "majority"}, "majority has no settings to tune"),
        ({"model": "gcn", "base": LSGNNConfig()}, "config is of type LSGNNConfig: pass an GCNConfig"),
        ({"which": []}, "which is empty"),
    ],
)
def test_requests_that_make_no_sense_are_refused(given: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tune(GRAPH, trials=1, splits=SPLITS, grid=False, **given)


def test_bad_requests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="trials=0"):
        tune(GRAPH, trials=0)
    (tmp_path / "notes.txt").write_text("not a database, but long enough to look at")
    with pytest.raises(InputError, match="is not a study database"):
        tune(GRAPH, trials=1, storage=tmp_path / "notes.txt")
    with pytest.raises(InputError, match="does not exist; create it first"):
        tune(GRAPH, trials=1, storage=tmp_path / "none" / "study.db")
