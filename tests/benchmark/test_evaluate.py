import numpy as np
import pytest
import torch

from lsgnn import LSGNN, InputError, LSGNNConfig, stratified_splits
from lsgnn.benchmark.evaluate import evaluate
from lsgnn.nn.rows import make_rows
from lsgnn.train.trained import Trained
from lsgnn.zoo.jobs import Job, train_many
from lsgnn.zoo.lsgnn import MODEL
from lsgnn.zoo.prepared import Prepared
from tests.graphs import two_blocks

GRAPH = two_blocks()
SPLITS = stratified_splits(GRAPH.y, 3)
QUICK = LSGNNConfig(epochs=15, K=2, hidden_channels=8, lr=0.05)


def test_evaluation_reports_every_split_and_its_spread() -> None:
    result = evaluate(GRAPH, QUICK, splits=SPLITS)
    document = result.to_dict()
    assert document["splits"] == [0, 1, 2]
    assert document["test_accuracy"]["per_split"] == list(result.test)
    assert document["test_accuracy"]["mean"] == np.mean(result.test)
    assert document["config"]["K"] == 2


def test_each_split_may_have_settings_of_its_own() -> None:
    configs = [QUICK, QUICK.replace(gamma=0.9), QUICK]
    result = evaluate(GRAPH, configs, splits=SPLITS)
    assert [c["gamma"] for c in result.to_dict()["configs"]] == [0.5, 0.9, 0.5]
    alone = evaluate(GRAPH, configs[1], splits=SPLITS, which=[1])
    assert alone.test[0] == result.test[1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"members": 0}, "members=0 is out of range"),
        ({"workers": 0}, "workers=0 is out of range"),
        ({"config": []}, "config is an empty list"),
        ({"voters": [QUICK]}, "voters take the place of config and members"),
        ({"metric": "f1"}, "metric='f1' is not a choice: use one of 'accuracy'"),
    ],
)
def test_bad_requests_are_refused(wrong: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(GRAPH, **{"config": QUICK, "splits": SPLITS} | wrong)


def test_known_trainings_are_not_run_again() -> None:
    known: dict[tuple[LSGNNConfig, int], Trained] = {}
    new: list[int] = []
    evaluate(GRAPH, QUICK, splits=SPLITS, which=[1], known=known)
    assert list(known) == [(QUICK, 1)]
    two = evaluate(
        GRAPH, QUICK, splits=SPLITS, members=2, known=known, on_done=lambda number, trained: new.append(number)
    )
    assert len(new) == 2 * len(two.splits) - 1
    assert two.test == evaluate(GRAPH, QUICK, splits=SPLITS, members=2).test


def test_members_are_averaged_before_they_are_scored() -> None:
    weak = QUICK.replace(epochs=2)  # so that members disagree
    together = evaluate(GRAPH, weak, splits=SPLITS, members=3)
    shared = Prepared(GRAPH)
    for s, split in enumerate(SPLITS):
        jobs = [Job(MODEL, weak.replace(seed=seed), split) for seed in range(3)]
        models = [LSGNN.from_weights(weak, t.state_dict, GRAPH.num_nodes) for t in train_many(shared, jobs)]
        rows = make_rows(shared(MODEL, weak), weak)
        probabilities = sum(torch.softmax(model(rows).detach(), dim=-1) for model in models).numpy()
        right = probabilities.argmax(axis=1) == GRAPH.y
        assert together.test[s] == pytest.approx(100 * right[split.test].mean())
    assert together.test != evaluate(GRAPH, weak, splits=SPLITS).test


def test_voters_are_members_with_settings_of_their_own() -> None:
    weak = QUICK.replace(epochs=2)
    seeds = evaluate(GRAPH, weak, splits=SPLITS, members=2)
    voted = evaluate(GRAPH, voters=[weak, weak.replace(seed=1)], splits=SPLITS)
    assert (voted.test, voted.members) == (seeds.test, 2)
    other = evaluate(GRAPH, voters=[weak, weak.replace(beta=0.1, dropout=0.9)], splits=SPLITS)
    assert other.val != voted.val
    assert [v["beta"] for v in other.to_dict()["voters"]] == [weak.beta, 0.1]


def test_any_model_can_be_evaluated_and_auto_is_decided_split_by_split() -> None:
    result = evaluate(GRAPH, model="gcn", splits=SPLITS, which=[0, 1])
    assert (result.model, len(result.test)) == ("gcn", 2)
    chosen = evaluate(GRAPH, QUICK.replace(weights="auto"), splits=SPLITS)
    assert all(config.weights in ("localsim", "graph") for config in chosen.configs)
    with pytest.raises(InputError, match="config is of type LSGNNConfig: gcn takes GCNConfig"):
        evaluate(GRAPH, QUICK, model="gcn")
