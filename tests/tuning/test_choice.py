"""The choice after a search: what luck won with the search's own seeds does not count."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from lsgnn import LSGNNConfig, stratified_splits, zoo
from lsgnn.train.metrics import Metric
from lsgnn.tuning import tune
from lsgnn.tuning.choice import choose
from lsgnn.tuning.scorer import Scorer
from lsgnn.tuning.study import open_study, search
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.protocol import Model
from tests.graphs import two_blocks

GRAPH = two_blocks(n=60)
SPLITS = stratified_splits(GRAPH.y, 3)


@dataclass
class Lucky:
    """A scorer whose setting x scores x, and more with seed 5: the smaller x, the more."""

    base: LSGNNConfig = field(default_factory=LSGNNConfig)
    seeds: list[int] = field(default_factory=list)
    metric: Metric = "accuracy"

    def scores(self, settings: dict[str, Any], splits: Sequence[int], seed: int) -> Iterator[float]:
        self.seeds.append(seed)
        return iter([settings["x"] + (10 * (4 - settings["x"]) if seed == 5 else s) for s in splits])


def test_settings_that_won_by_the_searchs_own_seed_are_not_chosen() -> None:
    scorer, study = Lucky(), open_study("s", None)
    for x in range(4):
        study.enqueue_trial({"x": x})
    search(study, scorer, lambda trial: {"x": trial.suggest_int("x", 0, 3)}, [0, 2], 4, seed=5)
    assert max(study.trials, key=lambda t: t.value).params == {"x": 0}
    tuning = choose(study, scorer, [0, 2], seed=5)
    assert tuning.settings == {"x": 3}
    assert [(r["settings"]["x"], r["val"], r["rounds"]) for r in tuning.rescored] == [
        (3, 4.0, 2),
        (2, 3.0, 2),
        (1, 2.0, 1),
        (0, 1.0, 1),
    ]
    assert scorer.seeds == [5] * 4 + [1005] * 4 + [2005] * 2


@pytest.mark.parametrize("model", ["lsgnn", "gcn"])
def test_no_training_of_the_choice_uses_a_seed_of_the_search(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first look at β and γ included: every training draws with its split's own seed, never seen before."""
    used: list[tuple[int, int]] = []

    def scores(self: Any, settings: dict[str, Any], splits: Sequence[int], seed: int) -> Iterator[float]:
        for s in splits:
            used.append((s, seed + s))
            yield 50.0

    monkeypatch.setattr(Scorer, "scores", scores)
    in_search: list[int] = []
    given = dict(splits=SPLITS, trials=4, seed=3, prune=False)
    tune(GRAPH, model=model, on_trial=lambda _: in_search.append(len(used)), **given)
    before, after = ({seed for _, seed in part} for part in (used[: in_search[-1]], used[in_search[-1] :]))
    assert before == {3, 4, 5}
    assert len(after) == 3 * 2  # three splits, two rounds: each round has seeds of its own
    assert not before & after


def test_each_split_is_trained_with_a_seed_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds, honest = [], Model.train

    def train(self: Any, graph: Any, inputs: Any, split: Any, config: Any, **how: Any) -> Any:
        seeds.append(config.seed)
        return honest(self, graph, inputs, split, config, **how)

    monkeypatch.setattr(Model, "train", train)
    gcn = zoo.get("gcn")
    list(Scorer(Prepared(GRAPH), SPLITS, gcn, gcn.config(epochs=1)).scores({}, [0, 2], seed=7))
    assert seeds == [7, 9]
