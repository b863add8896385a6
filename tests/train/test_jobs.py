import numpy as np
import pytest
import torch

from lsgnn import LSGNN, InputError, LSGNNConfig, stratified_splits
from lsgnn.benchmark.evaluate import evaluate
from lsgnn.nn.rows import make_rows
from lsgnn.train.jobs import Job, SharedPrecompute, structural_key, train_many
from lsgnn.train.trained import Trained
from tests.graphs import two_blocks

GRAPH = two_blocks()
SPLITS = stratified_splits(GRAPH.y, 3)
QUICK = LSGNNConfig(epochs=15, K=2, hidden_channels=8, lr=0.05)
JOBS = [Job(QUICK.replace(gamma=gamma), split) for split in SPLITS for gamma in (0.1, 0.9)]


def test_results_do_not_depend_on_workers_or_order() -> None:
    one = train_many(SharedPrecompute(GRAPH), JOBS, workers=1)
    two = train_many(SharedPrecompute(GRAPH), JOBS[::-1], workers=2)[::-1]
    for a, b in zip(one, two, strict=True):
        assert a.history == b.history
        assert all(torch.equal(a.state_dict[name], b.state_dict[name]) for name in a.state_dict)


def test_depth_and_shares_do_not_need_a_new_precompute_but_direction_does() -> None:
    assert structural_key(QUICK) == structural_key(QUICK.replace(beta=0.1, gamma=0.1, K=4, lr=0.5, seed=9))
    assert structural_key(QUICK) != structural_key(QUICK.replace(direction="out"))
    shared = SharedPrecompute(GRAPH)
    assert shared(QUICK) is shared(QUICK.replace(gamma=0.2))


def test_labels_of_test_nodes_are_never_read_in_training() -> None:
    from dataclasses import replace

    split = SPLITS[0]
    poisoned = replace(GRAPH, y=np.where(split.test, 1 - GRAPH.y, GRAPH.y))
    for engine in ("cpu", "torch"):
        a, b = (train_many(SharedPrecompute(g), [Job(QUICK, split)], engine)[0] for g in (GRAPH, poisoned))
        assert a.history == b.history


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
    shared = SharedPrecompute(GRAPH)
    for s, split in enumerate(SPLITS):
        jobs = [Job(weak.replace(seed=seed), split) for seed in range(3)]
        models = [LSGNN.from_weights(weak, t.state_dict, GRAPH.num_nodes) for t in train_many(shared, jobs)]
        rows = make_rows(shared(weak), weak)
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
