"""Labels that walk along edges: by hand on a path, with a chosen α, to new nodes, and never from test nodes."""

import numpy as np
import pytest

import lsgnn
from lsgnn import zoo
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split

MODEL = zoo.get("label_propagation")


def path(n: int = 6) -> tuple[Graph, Split]:
    """0 – 1 – 2 – 3 – 4 – 5; the ends are labelled 0 and 1, their neighbours validate, the middle is to be told."""
    ends = np.arange(n - 1)
    graph = Graph(x=np.zeros((n, 1)), edge_index=np.array([ends, ends + 1]), y=[0, 0, 0, 1, 1, 1])
    position = np.arange(n)
    train, val = np.isin(position, [0, n - 1]), np.isin(position, [1, n - 2])
    return graph, Split(train, val, ~train & ~val)


def test_one_step_on_a_path_by_hand() -> None:
    graph, split = path()
    config = MODEL.config(search=False, alpha=0.5, K=1)
    shares = np.exp(MODEL.solve(graph, split, config).logits)
    assert shares[0] == pytest.approx([(0.5 + 5e-4) / 0.501, 5e-4 / 0.501], abs=1e-6)  # its own label, half of it
    passed_on = 0.5 / np.sqrt(1 * 2)  # α over the roots of the degrees 1 and 2
    assert shares[1, 0] == pytest.approx((passed_on + 5e-4) / (passed_on + 1e-3), abs=1e-6)
    assert shares[2] == pytest.approx([0.5, 0.5])  # nothing has arrived: the classes' shares


def test_labels_reach_the_middle_in_more_steps() -> None:
    graph, split = path()
    solution = MODEL.solve(graph, split, MODEL.config())
    assert solution.logits.argmax(axis=1).tolist() == [0, 0, 0, 1, 1, 1]
    assert len(solution.trained.history) == 6
    assert solution.num_parameters == 0


def test_validation_nodes_choose_alpha_and_test_labels_play_no_part() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    edges = np.array(
        [(i, j) for i in range(120) for j in rng.integers(0, 120, 8) if y[i] == y[j] or rng.random() < 0.3]
    )
    graph = Graph(x=np.zeros((120, 1)), edge_index=edges.T, y=y)
    part = rng.integers(0, 3, 120)
    split = Split(part == 0, part == 1, part == 2)
    trained = MODEL.train(graph, MODEL.prepare(graph, MODEL.config()), split, MODEL.config())
    best = max(line["val_accuracy"] for line in trained.history)
    assert trained.history[trained.best_epoch - 1]["val_accuracy"] == best
    y[part == 2] = rng.permutation(y[part == 2])
    scrambled = Graph(x=np.zeros((120, 1)), edge_index=edges.T, y=y)
    again = MODEL.train(scrambled, MODEL.prepare(scrambled, MODEL.config()), split, MODEL.config())
    assert all((again.state_dict[name] == tensor).all() for name, tensor in trained.state_dict.items())


def test_a_new_node_reads_the_labels_it_links_to(tmp_path) -> None:
    graph, split = path()
    run = lsgnn.fit(graph, model="label_propagation", split=split)
    run.save(tmp_path / "run")
    loaded = lsgnn.Run.load(tmp_path / "run")
    found = loaded.predict_new(np.zeros((2, 1)), np.array([[6, 5], [7, 0]]))
    assert found.probabilities.argmax(axis=1).tolist() == [1, 0]


@pytest.mark.parametrize(("settings", "named"), [({"alpha": 1.0}, "alpha"), ({"K": 0}, "K")])
def test_settings_out_of_range_are_refused(settings: dict[str, float], named: str) -> None:
    with pytest.raises(InputError, match=named):
        MODEL.config(**settings)
