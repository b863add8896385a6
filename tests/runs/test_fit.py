import numpy as np
import pytest
import torch
from scipy.special import softmax

import lsgnn
from lsgnn import Graph, InputError, LSGNNConfig, LSGNNWarning, Split
from tests.graphs import random_graph, two_blocks

QUICK = LSGNNConfig(epochs=20, K=2, hidden_channels=8, lr=0.05)


@pytest.mark.parametrize("engine", ["cpu", "torch"])
def test_fit_returns_a_run_with_predictions_for_every_node(engine: str) -> None:
    run = lsgnn.fit(two_blocks(), QUICK, engine=engine)
    assert len(run.trained.history) == 20
    assert run.metrics["test_accuracy"] > 0.7
    assert len(run.predict()) == 80
    assert np.allclose(run.predict().probabilities.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("engine", ["cpu", "torch"])
def test_the_same_seed_repeats_a_fit_exactly_and_the_callers_random_stream_is_untouched(engine: str) -> None:
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    runs = [lsgnn.fit(two_blocks(), QUICK, engine=engine, seed=3) for _ in range(2)]
    assert np.array_equal(runs[0].logits, runs[1].logits)
    assert torch.equal(before, torch.random.get_rng_state())


def test_settings_can_be_given_by_name() -> None:
    assert lsgnn.fit(two_blocks(), QUICK, gamma=0.9).config.gamma == 0.9
    with pytest.raises(InputError, match="no setting 'gama'"):
        lsgnn.fit(two_blocks(), gama=0.9)


def test_members_vote_with_their_mean_probability() -> None:
    alone = [softmax(lsgnn.fit(two_blocks(), QUICK, seed=s).logits, axis=1) for s in (0, 1)]
    together = lsgnn.fit(two_blocks(), QUICK, members=2)
    assert len(together.members) == 2
    scores = [lsgnn.fit(two_blocks(), QUICK.replace(seed=seed)).metrics["val_accuracy"] for seed in (0, 1)]
    assert together.metrics["val_accuracy_one_member"] == pytest.approx(np.mean(scores))
    assert "val_accuracy_one_member" not in lsgnn.fit(two_blocks(), QUICK).metrics
    assert np.allclose(softmax(together.logits, axis=1), np.mean(alone, axis=0), atol=1e-5)
    with pytest.raises(InputError, match="members=0"):
        lsgnn.fit(two_blocks(), members=0)


def test_a_configuration_left_open_trains_a_few_seeds_and_a_named_hyperparameter_one() -> None:
    said: list[str] = []
    run = lsgnn.fit(two_blocks(), epochs=10, on_stage=said.append)
    assert len(run.members) == 5
    assert [stage for stage in said if stage.startswith("seed")] == [f"seed {n} of 5" for n in range(1, 6)]
    assert len(lsgnn.fit(two_blocks(), epochs=10, K=2).members) == 1


def part(n: int, *nodes: int) -> np.ndarray:
    return np.isin(np.arange(n), nodes)


def test_graphs_that_cannot_be_learned_from_are_refused() -> None:
    graph = random_graph()
    with pytest.raises(InputError, match="has no labels"):
        lsgnn.fit(Graph(x=graph.x, edge_index=graph.edge_index))
    with pytest.raises(InputError, match="every labelled node of graph is of class '0'"):
        lsgnn.fit(Graph(x=graph.x, edge_index=graph.edge_index, y=np.zeros(40, int)))
    whole = Split(part(40, *range(20)), part(40, *range(20, 30)), part(40, *range(30, 40)))
    with pytest.raises(InputError, match="the training mask is empty"):
        lsgnn.fit(graph, split=Split(part(40), whole.val, whole.test))
    with pytest.raises(InputError, match="the validation mask is empty"):
        lsgnn.fit(graph, split=Split(whole.train, part(40), whole.test))
    with pytest.raises(InputError, match="every training node is of class"):
        lsgnn.fit(graph, split=Split(part(40, 0), whole.val, whole.test))
    with pytest.raises(InputError, match="split 10 does not exist"):
        lsgnn.fit(graph, split=10)
    unlabelled = Graph(x=graph.x, edge_index=graph.edge_index, y=np.where(np.arange(40) == 5, -1, graph.y))
    with pytest.raises(InputError, match="node 5 is in the training mask but has no label"):
        lsgnn.fit(unlabelled, split=whole)


def test_a_class_missing_from_training_is_reported() -> None:
    y = np.array([0, 1, 2, 0, 1, 0, 1, 0, 1, 2])
    graph = Graph(x=np.eye(10), edge_index=[[0, 1], [1, 2]], y=y, class_names=("a", "b", "rare"))
    split = Split(part(10, 0, 1, 3, 4), part(10, 5, 6, 2), part(10, 7, 8, 9))
    with pytest.warns(LSGNNWarning, match="no training node of class rare"):
        run = lsgnn.fit(graph, QUICK, split=split)
    assert any("rare" in note for note in run.notes)


def test_settings_the_fused_engine_cannot_train_fall_back_to_torch() -> None:
    assert lsgnn.fit(two_blocks(), QUICK, weights="node").metrics["val_accuracy"] > 0.5
    with pytest.raises(InputError, match="engine='cpu' cannot train on device='cuda'"):
        lsgnn.fit(two_blocks(), QUICK, engine="cpu", device="cuda")
    with pytest.raises(InputError, match="engine='cpu' cannot train with weights='node'"):
        lsgnn.fit(two_blocks(), QUICK, weights="node", engine="cpu")
    with pytest.raises(InputError, match="engine='gpu' is not a choice"):
        lsgnn.fit(two_blocks(), QUICK, engine="gpu")


def test_callbacks_hear_of_every_epoch_from_either_engine() -> None:
    for engine in ("cpu", "torch"):
        heard: list[int] = []
        lsgnn.fit(two_blocks(), QUICK, engine=engine, on_epoch=lambda e, heard=heard: heard.append(e["epoch"]))
        assert heard == list(range(1, 21))


def test_weights_that_somebody_named_are_kept_and_only_directions_are_tried() -> None:
    graph = two_blocks(n=60)
    directed = Graph(x=graph.x, edge_index=graph.edge_index[:, :100], y=graph.y)
    run = lsgnn.fit(directed, QUICK.replace(weights="node"), direction="auto")
    (note,) = [note for note in run.notes if "chosen by validation accuracy" in note]
    assert run.config.weights == "node"
    assert note.startswith(f"direction={run.config.direction!r} chosen")
    assert [row.candidate for row in run.tried] == ["undirected", "out", "in"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"config": {"K": 2}}, "config is of type dict: pass an LSGNNConfig"),
        ({"members": "2"}, "members='2' is out of range"),
        ({"split": "a"}, "split='a' is of type str"),
        ({"device": "cuda:99", "engine": "torch"}, "device='cuda:99' cannot be used"),
    ],
)
def test_arguments_of_the_wrong_kind_are_named(wrong: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lsgnn.fit(two_blocks(), **{"config": QUICK} | wrong)
