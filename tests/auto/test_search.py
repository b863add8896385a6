"""The plan of a search, with workers that answer at once: it ends when more trials stop paying, or with its budget."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lsgnn import stratified_splits, zoo
from lsgnn.auto.budget import Budget
from lsgnn.auto.families import Family
from lsgnn.auto.journal import Journal
from lsgnn.auto.search import FRESH, SEEDS, Searched, search
from lsgnn.auto.settled import PATIENCE, Patience
from lsgnn.auto.trial import Outcome, Task
from tests.graphs import two_blocks

GRAPH = two_blocks()
SPLIT = stratified_splits(GRAPH.y)[0]
Score = Callable[[Task], float]


class Answers:
    """Workers that train nothing: a trial scores what a function says."""

    def __init__(self, score: Score) -> None:
        self.score, self.asked = score, list[Task]()

    def submit(self, task: Task) -> None:
        self.asked.append(task)

    def wait(self, key: str) -> Outcome:
        task = next(task for task in self.asked if task.key == key)
        return Outcome(key, (self.score(task),), 1.0)


def family(model: str, tunable: bool = True) -> Family:
    return Family(
        model,
        (zoo.get(model).config(patience=60),),
        lambda trial: {"dropout": trial.suggest_float("dropout", 0.0, 0.9)},
        tunable,
    )


def searched(
    folder: Path,
    score: Score,
    *,
    trials: int = 400,
    stop_early: bool = True,
    share: float = 1.0,
    slack: float = 1.0,
    **budget: float,
) -> tuple[Searched, Answers]:
    workers = Answers(score)
    journal = Journal(folder, GRAPH, [SPLIT], "accuracy", 1)
    patience = Patience(0.01, deals=1, share=share) if stop_early else None
    found = [family("mlp"), family("gcn"), family("twin_lookup", tunable=False)]
    done = search(found, journal, workers, Budget(trials, **budget), lambda best: slack, patience)  # type: ignore[arg-type]
    return done, workers


def constant(task: Task) -> float:
    return {"mlp": 0.5, "gcn": 0.6, "twin_lookup": 0.4}[task.model]


def test_it_ends_when_no_model_improves_and_only_then_tries_seeds(tmp_path: Path) -> None:
    done, _ = searched(tmp_path / "s", constant)
    assert done.ended_early
    by_model = {
        name: [t for t in done.trials if t.model == name and t.phase != "fresh seeds"] for name in ("mlp", "gcn")
    }
    lag = 4  # trials that were under way when the last one was told
    assert all(PATIENCE[-1] < len(trials) <= PATIENCE[-1] + lag + 1 for trials in by_model.values())
    assert sum(t.phase == "fresh seeds" for t in done.trials) == SEEDS * FRESH


def test_a_model_that_improves_goes_on_while_others_are_left_alone(tmp_path: Path) -> None:
    counts = dict[str, int]()

    def rising(task: Task) -> float:
        counts[task.model] = counts.get(task.model, 0) + 1
        return 0.1 + 0.02 * min(30, counts[task.model]) if task.model == "gcn" else 0.3

    done, _ = searched(tmp_path / "s", rising)
    tuned = [t.model for t in done.trials if t.phase != "fresh seeds"]
    assert done.ended_early
    assert tuned.count("gcn") >= 30 + PATIENCE[-1]
    assert tuned.count("mlp") <= PATIENCE[-1] + 5


def test_where_nodes_are_few_it_ends_with_fewer_trials_and_seeds(tmp_path: Path) -> None:
    done, _ = searched(tmp_path / "s", constant, share=0.3)
    assert done.ended_early
    assert sum(t.model == "gcn" and t.phase != "fresh seeds" for t in done.trials) <= 0.3 * PATIENCE[-1] + 5
    assert sum(t.phase == "fresh seeds" for t in done.trials) == round(0.3 * SEEDS) * round(0.3 * FRESH)


def test_a_model_beyond_hope_is_left_alone_although_it_improves(tmp_path: Path) -> None:
    counts = dict[str, int]()

    def rising(task: Task) -> float:
        counts[task.model] = counts.get(task.model, 0) + 1
        return 0.9 if task.model == "gcn" else 0.1 + 0.02 * min(30, counts[task.model])

    done, _ = searched(tmp_path / "s", rising, slack=0.2)
    tuned = [t.model for t in done.trials if t.phase != "fresh seeds"]
    assert done.ended_early
    assert tuned.count("mlp") <= PATIENCE[-1] // 2 + 5


def test_without_early_stopping_the_whole_budget_is_used(tmp_path: Path) -> None:
    done, _ = searched(tmp_path / "s", constant, trials=120, stop_early=False)
    assert len(done.trials) == 120
    assert not done.ended_early


def test_a_budget_that_ends_first_is_no_early_end(tmp_path: Path) -> None:
    done, _ = searched(tmp_path / "s", constant, trials=30)
    assert len(done.trials) == 30
    assert not done.ended_early


@pytest.mark.parametrize("trials", [1, 2])
def test_a_budget_of_few_trials_is_kept(tmp_path: Path, trials: int) -> None:
    done, _ = searched(tmp_path / "s", constant, trials=trials)
    assert len(done.trials) == trials


def test_a_finished_search_is_repeated_from_the_journal_without_a_trial(tmp_path: Path) -> None:
    first, _ = searched(tmp_path / "s", constant)
    again, workers = searched(tmp_path / "s", constant)
    assert again == first
    assert not workers.asked


def test_by_the_cores_a_search_ends_with_the_cpu_time_of_its_trials(tmp_path: Path) -> None:
    done, _ = searched(tmp_path / "s", constant, stop_early=False, seconds=40.0, clock="cores")  # type: ignore[arg-type]
    assert len(done.trials) == pytest.approx(40, abs=4)  # of a second each, by what they say
