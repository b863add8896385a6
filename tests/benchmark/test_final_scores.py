"""`lsgnn.benchmark.final_scores`: the test nodes, read by each rule of choice."""

from lsgnn import LSGNNConfig, stratified_splits
from lsgnn.benchmark.evaluate import evaluate
from lsgnn.benchmark.final_scores import UNSEEN, final_scores
from lsgnn.tuning import tune
from tests.graphs import two_blocks

GRAPH = two_blocks(n=60)
SPLITS = stratified_splits(GRAPH.y, 2)
BASE = LSGNNConfig(epochs=3, K=2, hidden_channels=8)


def test_every_rule_is_read_with_seeds_of_its_own() -> None:
    tuning = tune(GRAPH, trials=3, base=BASE, splits=SPLITS, grid=False, prune=False)
    found = final_scores(GRAPH, tuning, members=2, splits=SPLITS)
    one, own, seeds, settings = found.values()
    assert list(found) == [
        "one configuration for all splits",
        "each split its own",
        "one configuration, ensemble of 2 seeds",
        "ensemble of the 2 best configurations",
    ]
    assert one.test == evaluate(GRAPH, tuning.config.replace(seed=UNSEEN), splits=SPLITS).test
    assert [config.lr for config in own.configs] == [s["lr"] for s in tuning.per_split]
    assert (seeds.members, settings.members) == (2, 2)
    assert seeds.test == evaluate(GRAPH, one.configs[0], splits=SPLITS, members=2).test  # nothing known beforehand
    assert settings.test == evaluate(GRAPH, voters=settings.voters, splits=SPLITS).test
    assert [config.seed for config in settings.voters] == [UNSEEN, UNSEEN + 1]


def test_what_is_not_asked_for_is_not_read() -> None:
    tuning = tune(GRAPH, trials=1, base=BASE, splits=SPLITS, grid=False)
    assert list(final_scores(GRAPH, tuning, per_split=False, splits=SPLITS)) == ["one configuration for all splits"]
