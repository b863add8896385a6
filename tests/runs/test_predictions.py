"""Predictions: of known nodes, of new nodes, of another graph; keyed by the user's ids and written to files."""

import csv
import sys
from dataclasses import replace

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
import scipy.sparse as sp

from lsgnn import Graph, InputError, LSGNNWarning, Predictions, fit
from tests.graphs import random_graph, two_blocks
from tests.trained import small_run

NAMED = replace(two_blocks(), node_ids=np.array([f"n{i}" for i in range(80)]), class_names=("red", "blue"))


@pytest.fixture(scope="module")
def run():
    return small_run(NAMED, epochs=30, lr=0.05)


def new_rows(m: int = 3, d: int = 12) -> np.ndarray:
    return np.random.default_rng(5).random((m, d))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame_holds_the_same_as_the_table(run, library):
    pytest.importorskip(library)
    predictions = run.predict()
    frame = getattr(predictions, f"to_{library}")()
    assert type(frame).__module__.startswith(library)
    assert list(frame.columns) == predictions.to_table().column_names
    assert frame["id"].to_list() == predictions.node_ids.tolist()
    assert frame["prediction"].to_list() == predictions.labels
    np.testing.assert_array_equal(frame["p(blue)"].to_numpy(), predictions.probabilities[:, 1])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_missing_is_named_with_its_extra(run, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=rf"pip install 'lsgnn\[{library}\]'"):
        getattr(run.predict(), f"to_{library}")()


def test_a_table_has_the_ids_the_classes_and_their_probabilities(run, tmp_path):
    predictions = run.predict()
    table = predictions.to_table()
    assert table.column_names == ["id", "prediction", "confidence", "p(red)", "p(blue)"]
    assert table["id"][3].as_py() == "n3"
    assert set(table["prediction"].to_pylist()) == {"red", "blue"}
    for name, read in (("p.csv", pyarrow.csv.read_csv), ("p.parquet", pyarrow.parquet.read_table)):
        predictions.save(tmp_path / name)
        again = read(tmp_path / name)
        assert again["prediction"].to_pylist() == predictions.labels
        np.testing.assert_allclose(again["p(red)"], predictions.probabilities[:, 0], atol=1e-6)
    with pytest.raises(InputError, match=r"must end in \.csv or \.parquet"):
        predictions.save(tmp_path / "p.xlsx")


RISKY = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\tx", "\rx"]
HARMLESS = ["a=b", "x", "'=1", " =1", "1-2", "é"]


def predictions_of(ids, classes=("red", "blue")):
    probabilities = np.tile(np.array([[0.25, 0.75]], np.float32), (len(ids), 1))
    return Predictions(np.array(ids), classes, probabilities)


def read_ids(path):
    with path.open(newline="", encoding="utf-8") as file:
        return [row["id"] for row in csv.DictReader(file)]


@pytest.mark.parametrize("id", RISKY)
def test_text_that_is_a_formula_in_a_spreadsheet_is_noticed_and_quoted_if_asked(tmp_path, id):
    predictions = predictions_of(["x", id])
    with pytest.warns(LSGNNWarning, match=r"for a formula, and 0 more: before you open .* spreadsheet-safe"):
        predictions.save(tmp_path / "p.csv")
    assert read_ids(tmp_path / "p.csv") == ["x", id]  # what was asked for, as it is
    predictions.save(tmp_path / "safe.csv", spreadsheet_safe=True)
    assert read_ids(tmp_path / "safe.csv") == ["x", f"'{id}"]
    predictions.save(tmp_path / "p.parquet", spreadsheet_safe=True)  # no spreadsheet
    assert pyarrow.parquet.read_table(tmp_path / "p.parquet")["id"].to_pylist() == ["x", id]


def test_text_that_is_no_formula_and_numbers_are_left_alone(tmp_path):
    for ids in (HARMLESS, [-1, 5], [0, 2**62]):
        for safe in (False, True):
            predictions_of(ids).save(tmp_path / "p.csv", spreadsheet_safe=safe)
            assert read_ids(tmp_path / "p.csv") == [str(id) for id in ids]


def test_classes_can_be_formulas_too(tmp_path):
    predictions = predictions_of([-1, 2], classes=("red", "=blue"))
    with pytest.warns(LSGNNWarning, match=r"takes '=blue' \(prediction\) for a formula, and 1 more"):
        predictions.save(tmp_path / "p.csv")
    predictions.save(tmp_path / "p.csv", spreadsheet_safe=True)
    assert pyarrow.csv.read_csv(tmp_path / "p.csv")["prediction"].to_pylist() == ["'=blue"] * 2
    assert (tmp_path / "p.csv").read_text().startswith('"id","prediction","confidence","p(red)","p(=blue)"')


def test_a_table_by_hand_and_its_file_named_by_a_string(tmp_path):
    logits = np.log(np.array([[0.7, 0.2, 0.1], [0.2, 0.3, 0.5]], dtype=np.float32))
    predictions = Predictions.of_logits(logits, np.array(["u", "v"]), ("a", "b", "c"))
    assert (predictions.labels, len(predictions)) == (["a", "c"], 2)
    np.testing.assert_allclose(predictions.confidence, [0.7, 0.5], rtol=1e-6)
    predictions.save(str(tmp_path / "p.csv"))
    (first, second) = pyarrow.csv.read_csv(tmp_path / "p.csv").to_pylist()
    assert (first["id"], first["prediction"], second["id"], second["prediction"]) == ("u", "a", "v", "c")
    values = [second[name] for name in ("confidence", "p(a)", "p(b)", "p(c)")]
    assert values == pytest.approx([0.5, 0.2, 0.3, 0.5], rel=1e-5)


def test_logits_are_divided_by_the_temperature():
    logits = np.array([[0.0, 2 * np.log(3.0)]], dtype=np.float32)  # odds of 1 to 9, which a temperature of 2 roots
    for temperature, expected in ((1.0, [0.1, 0.9]), (2.0, [0.25, 0.75]), (0.5, [1 / 82, 81 / 82])):
        p = Predictions.of_logits(logits, np.arange(1), ("a", "b"), temperature)
        np.testing.assert_allclose(p.probabilities, [expected], rtol=1e-6)


def test_a_temperature_never_changes_the_most_probable_class():
    logits = np.random.default_rng(0).standard_normal((500, 5)).astype(np.float32)
    for temperature in (0.05, 1.0, 20.0):
        p = Predictions.of_logits(logits, np.arange(500), tuple("abcde"), temperature)
        np.testing.assert_array_equal(p.probabilities.argmax(axis=1), logits.argmax(axis=1))


def test_the_same_graph_given_again_gets_the_same_answer(run):
    np.testing.assert_allclose(run.predict(NAMED).probabilities, run.predict().probabilities, atol=1e-6)


def test_a_new_graph_is_classified_with_its_own_ids(run):
    other = two_blocks(seed=7, n=30)
    predictions = run.predict(other)
    assert predictions.node_ids.tolist() == list(range(30))
    right = predictions.probabilities.argmax(axis=1) == other.y
    assert right.mean() > 0.7


def test_another_graph_must_have_the_same_features(run):
    with pytest.raises(InputError, match="has 12 features, but the model was trained on 6"):
        run.predict(random_graph())


@pytest.mark.parametrize("setting", [{"weights": "free"}, {"weights": "random"}, {"adjacency_embedding": True}])
def test_models_with_parameters_of_each_node_refuse_other_graphs(setting):
    run = small_run(**setting)
    assert len(run.predict()) == 40
    with pytest.raises(InputError, match="keeps parameters of each node"):
        run.predict(random_graph())


@pytest.mark.parametrize("setting", [{"weights": "free"}, {"weights": "random", "adjacency_embedding": True}])
def test_models_with_weights_of_each_node_refuse_new_ones(setting):
    with pytest.raises(InputError, match="keeps parameters of each node, and cannot be applied to new nodes"):
        small_run(**setting).predict_new(new_rows(), [])


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("model", ["lsgnn", "linkx"])
def test_an_embedding_of_links_serves_a_copy_of_a_known_node_as_the_node_itself(model, exact):
    """A node that reads what node 5 reads, and that nobody reads, is classified as node 5 is, where nothing counts who
    reads it."""
    graph = random_graph()
    only = {"structure_features": "none"}
    only |= {"adjacency_embedding": True} if model == "lsgnn" else {}
    run = fit(graph, model=model, epochs=5, direction="out", **only)
    edges = [(40, int(target)) for target in graph.edge_index[1, graph.edge_index[0] == 5]]
    assert (40, 5) not in edges
    again = run.predict_new(np.asarray(graph.x)[5:6], edges, exact=exact).probabilities
    np.testing.assert_allclose(again[0], run.predict().probabilities[5], atol=1e-5)


def test_a_link_of_an_undirected_graph_counts_whichever_way_it_is_given():
    graph = two_blocks()
    both = replace(graph, edge_index=np.unique(np.hstack([graph.edge_index, graph.edge_index[::-1]]), axis=1))
    run = fit(both, epochs=5, direction="undirected", adjacency_embedding=True)
    there, back = (run.predict_new(both.x[:1], pairs).probabilities for pairs in ([(80, 1)], [(1, 80)]))
    np.testing.assert_array_equal(there, back)
    assert np.abs(there - run.predict_new(both.x[:1], []).probabilities).max() > 1e-6


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("degree", ["plain", "with_self_loop"])
@pytest.mark.parametrize("direction", ["out", "in"])
def test_new_nodes_that_only_read_are_classified_exactly(direction, degree, sparse):
    """No known node reads a new one, so nothing that the local way leaves out exists."""
    run = small_run(random_graph(sparse=sparse), direction=direction, degree=degree, beta=0.3)
    edges = [(40, 0), (40, 1), (41, 5), (41, 40), (42, 41), (42, 7)]
    if direction == "in":
        edges = [(target, source) for source, target in edges]
    x = sp.csr_array(new_rows()) if sparse else new_rows()
    local, exact = (run.predict_new(x, edges, exact=exact).probabilities for exact in (False, True))
    np.testing.assert_allclose(local, exact, atol=1e-6)


def test_new_nodes_that_are_read_too_are_classified_closely(run):
    """Undirected: known neighbours would change with the new node, but most of its evidence stays the same."""
    other = two_blocks(seed=3, n=20)
    random = np.random.default_rng(0)
    ids = [f"new{i}" for i in range(20)]
    edges = [(id, f"n{2 * j + c}") for id, c in zip(ids, other.y, strict=True) for j in random.integers(0, 40, 4)]
    local, exact = (run.predict_new(other.x, edges, ids, exact=exact) for exact in (False, True))
    assert np.abs(local.probabilities - exact.probabilities).mean() < 0.05
    assert (local.probabilities.argmax(1) == exact.probabilities.argmax(1)).mean() >= 0.9
    assert (local.probabilities.argmax(1) == other.y).mean() > 0.7


@pytest.mark.parametrize(
    "settings",
    [
        {"filter": "self_loop"},
        {"filter": "self_loop", "degree": "plain"},
        {"K": 18},
        {"localsim_direction": "in", "localsim_self_loops": True},
        {"propagation": "power", "similarity": "euclidean"},
        {"weights": "graph"},
    ],
)
def test_every_setting_agrees_with_recomputing(settings):
    run = small_run(direction="out", epochs=2, **settings)
    edges = [(40, 0), (40, 3), (41, 9), (41, 41), (42, 1)]
    local, exact = (run.predict_new(new_rows(), edges, exact=exact).probabilities for exact in (False, True))
    np.testing.assert_allclose(local, exact, atol=2e-5)


def test_weights_of_edges_count():
    graph = replace(random_graph(), edge_weight=np.linspace(0.5, 2, random_graph().num_edges))
    run = small_run(graph, direction="out")
    edges, weight = [(40, 0), (40, 1), (41, 2), (42, 2)], [3.0, 0.1, 1.0, 2.0]
    local, exact = (
        run.predict_new(new_rows(), edges, edge_weight=weight, exact=exact).probabilities for exact in (False, True)
    )
    np.testing.assert_allclose(local, exact, atol=1e-6)
    with pytest.raises(InputError, match="pass edge_weight"):
        run.predict_new(new_rows(), edges)


def test_attaching_a_batch_equals_attaching_one_by_one(run):
    x = new_rows(2, 6)
    both = run.predict_new(x, [("a", "n1"), ("b", "n2"), ("b", "n7")], ["a", "b"])
    alone = run.predict_new(x[1:], [("b", "n2"), ("b", "n7")], ["b"])
    np.testing.assert_allclose(both.probabilities[1], alone.probabilities[0], atol=1e-6)


def test_powers_are_the_same_however_few_nodes_are_walked_from_at_once(run, monkeypatch):
    from lsgnn.nn import attached_rows as attach

    whole = attach.powers_at(run.inputs, np.arange(80), 3)
    monkeypatch.setattr(attach, "MAX_REACHED", 1)
    np.testing.assert_array_equal(attach.powers_at(run.inputs, np.arange(80), 3), whole)
    dense = np.asarray(run.inputs.adj.toarray(), np.float64)
    np.testing.assert_allclose(whole[2], dense @ dense @ run.inputs.x, atol=1e-6)


def test_a_new_node_without_edges_is_classified_by_its_features(run):
    local, exact = (run.predict_new(new_rows(1, 6), [], exact=exact) for exact in (False, True))
    np.testing.assert_allclose(local.probabilities, exact.probabilities, atol=1e-6)
    assert local.node_ids.tolist() == ["new-0"]
    assert small_run(epochs=1).predict_new(new_rows(2), np.zeros((0, 2))).node_ids.tolist() == [40, 41]


@pytest.mark.parametrize(
    ("edges", "node_ids", "message"),
    [
        ([("a", "n99")], ["a"], "has no node 'n99': did you mean"),
        ([("n1", "n2")], ["a"], "joins two known nodes"),
        ([("a", "n1")], ["n5"], "'n5' is in two-blocks already"),
        ([("a", "n1", "n2")], ["a"], "must be pairs"),
        (["ab"], ["a"], "must be pairs"),
    ],
)
def test_what_cannot_be_attached_is_refused(run, edges, node_ids, message):
    with pytest.raises(InputError, match=message):
        run.predict_new(new_rows(1, 6), edges, node_ids)


def test_new_nodes_must_have_the_same_features(run):
    with pytest.raises(InputError, match="the new nodes have 5 features, but those of two-blocks have 6"):
        run.predict_new(new_rows(1, 5), [])


def test_a_graph_of_any_kind_can_be_predicted(run, tmp_path):
    two_blocks(seed=2, n=10).save(tmp_path / "g.npz")
    assert len(run.predict(tmp_path / "g.npz")) == 10
    assert len(run.predict(Graph(x=new_rows(4, 6), edge_index=np.zeros((2, 0), int)))) == 4
