"""LSGNN as a scikit-learn estimator: its contract, cross-validation over labels, and the row classifier's checks."""

import inspect
import pickle
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from lsgnn import InputError, LSGNNConfig
from lsgnn.estimators.classifier import ABOUT_FITTING, LSGNNClassifier
from lsgnn.estimators.inputs import hold_out, seed_of
from lsgnn.estimators.row_classifier import LSGNNRowClassifier
from lsgnn.graph.node_folds import NodeKFold
from lsgnn.runs.stages import LSGNN_OPEN
from tests import trained  # noqa: F401  # one thread
from tests.graphs import two_blocks

QUICK = {"epochs": 25, "lr": 0.05, "K": 2, "hidden_channels": 4, "engine": "torch", "random_state": 0}
DECIDED = {name: getattr(LSGNNConfig(), name) for name in (*LSGNN_OPEN, "select_by")}  # so that nothing is tried first
GRAPH = two_blocks()


def half_known(seed: int = 0) -> np.ndarray:
    return np.where(np.random.default_rng(seed).random(80) < 0.5, GRAPH.y, -1)


def classifier(**parameters) -> LSGNNClassifier:
    return LSGNNClassifier(**DECIDED | QUICK | parameters)


def test_every_setting_of_the_method_is_a_parameter_with_its_default():
    parameters = inspect.signature(LSGNNClassifier.__init__).parameters
    config = LSGNNConfig().to_dict() | dict.fromkeys((*LSGNN_OPEN, "select_by"), "auto")
    assert {name: parameters[name].default for name in config if name != "seed"} == {
        name: value for name, value in config.items() if name != "seed"
    }
    assert set(parameters) == {"self", *config, *ABOUT_FITTING} - {"seed"}


def test_what_is_auto_the_held_out_nodes_choose_and_what_is_named_stays():
    wide = replace(GRAPH, x=GRAPH.x * 1000.0 ** np.arange(GRAPH.num_features))
    chosen = LSGNNClassifier(**QUICK).fit(wide).run_
    assert chosen.config.feature_norm == "standard"
    assert {row.stage for row in chosen.tried} >= {"features", "structure", "links", "weights"}
    named = LSGNNClassifier(**QUICK, feature_norm="l1").fit(wide).run_
    assert named.config.feature_norm == "l1"
    assert "features" not in {row.stage for row in named.tried}


def test_parameters_are_stored_untouched_and_cloned():
    estimator = LSGNNClassifier(graph=GRAPH, K=7).set_params(beta=0.3)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    assert copy.graph is GRAPH
    assert (copy.K, copy.beta) == (7, 0.3)
    assert not hasattr(copy, "classes_")


def test_features_labels_and_edges_follow_the_contract_of_label_propagation():
    y = half_known()
    estimator = classifier().fit(GRAPH.x, y, edges=GRAPH.edge_index)
    assert estimator.classes_.tolist() == [0, 1]
    assert estimator.transduction_.shape == (80,)
    assert estimator.label_distributions_.shape == (80, 2)
    assert estimator.n_features_in_ == 6
    np.testing.assert_array_equal(estimator.predict(GRAPH.x), estimator.transduction_)
    np.testing.assert_array_equal(estimator.predict_proba(), estimator.label_distributions_)
    unknown = y == -1
    assert (estimator.transduction_ == GRAPH.y)[unknown].mean() > 0.8


def test_labels_keep_their_type():
    named = np.array(["red", "blue"])[GRAPH.y]
    named[half_known() == -1] = "-1"
    estimator = classifier().fit(GRAPH.x, named, edges=GRAPH.edge_index)
    assert estimator.classes_.tolist() == ["blue", "red"]
    assert set(estimator.transduction_) == {"blue", "red"}
    odd = classifier().fit(GRAPH.x, np.where(GRAPH.y == 1, 30, 7), edges=GRAPH.edge_index)
    assert set(odd.predict([3, 4])) <= {7, 30}


def test_a_graph_alone_brings_its_own_labels():
    numbered = classifier().fit(GRAPH)
    assert numbered.classes_.tolist() == [0, 1]
    y = half_known()
    named = classifier().fit(replace(GRAPH, y=y, class_names=("z", "a")))
    assert named.classes_.tolist() == ["a", "z"]
    assert (named.transduction_ == np.array(["z", "a"])[GRAPH.y]).mean() > 0.8
    given = classifier().fit(GRAPH, y)
    assert given.run_.graph.y.tolist() == y.tolist()


def test_rows_of_node_ids_learn_from_these_labels_and_no_others():
    nodes = np.arange(0, 80, 2)
    wrong = replace(GRAPH, y=1 - GRAPH.y)  # were the graph's own labels read, they would mislead
    labels = np.where(GRAPH.y == 1, "x", "y")
    nodes = np.concatenate([nodes, [1, 3, 5, 7, 9, 11, 13]])
    estimator = classifier(graph=wrong).fit(nodes.reshape(-1, 1), labels[nodes])
    assert np.flatnonzero(estimator.run_.graph.labelled).tolist() == sorted(nodes.tolist())
    rest = np.setdiff1d(np.arange(80), nodes)
    assert (estimator.predict(rest) == labels[rest]).mean() > 0.7
    np.testing.assert_array_equal(estimator.predict(rest.reshape(-1, 1)), estimator.transduction_[rest])


def test_cross_validation_holds_labels_out_of_a_graph_that_stays_whole():
    y = GRAPH.y.copy()
    y[:10] = -1
    scores = cross_val_score(classifier(graph=GRAPH), GRAPH.node_ids, y, cv=NodeKFold(3))
    assert scores.shape == (3,)
    assert scores.mean() > 0.8
    ids = replace(GRAPH, node_ids=np.array([f"n{i}" for i in range(80)]))
    named = cross_val_score(classifier(graph=ids), ids.node_ids.reshape(-1, 1), y, cv=NodeKFold(3))
    np.testing.assert_array_equal(named, scores)


def test_a_held_out_label_cannot_be_read():
    """With random labels nothing can be learned: were held-out labels visible, scores would be far above chance."""
    y = np.random.default_rng(0).integers(0, 2, 80)
    leaky = replace(GRAPH, y=y, x=np.random.default_rng(1).random((80, 6)))
    scores = cross_val_score(classifier(graph=leaky), leaky.node_ids, y, cv=NodeKFold(4))
    assert scores.mean() < 0.7


def test_grid_search_and_cross_val_predict_work_too():
    search = GridSearchCV(classifier(graph=GRAPH), {"K": np.array([1, 2]), "weights": ["graph"]}, cv=NodeKFold(2))
    search.fit(GRAPH.node_ids, GRAPH.y)
    assert search.best_params_["K"] in (1, 2)
    assert cross_val_predict(classifier(graph=GRAPH), GRAPH.node_ids, GRAPH.y, cv=3).shape == (80,)


def test_another_graph_can_be_predicted():
    other = two_blocks(seed=4, n=30)
    estimator = classifier().fit(GRAPH.x, GRAPH.y, edges=GRAPH.edge_index)
    by_edges = estimator.predict_proba(other.x, edges=other.edge_index)
    np.testing.assert_array_equal(estimator.predict_proba(other), by_edges)
    np.testing.assert_array_equal(estimator.predict_proba(other.to_pyg()), by_edges)
    assert (by_edges.argmax(1) == other.y).mean() > 0.7


def test_sparse_features_are_recognised_when_they_come_back():
    x = sp.csr_array(GRAPH.x * (GRAPH.x > 0))
    estimator = classifier().fit(x, GRAPH.y, edges=GRAPH.edge_index)
    np.testing.assert_array_equal(estimator.predict(x), estimator.transduction_)


def test_the_metric_chooses_epochs_and_the_threshold_decides():
    nodes = np.arange(80)
    dear = classifier(graph=GRAPH, select_by="auto", metric="average_precision", cost="50:1").fit(nodes, GRAPH.y)
    assert dear.run_.config.select_by == "val_average_precision"
    assert dear.run_.decision.rule == "cost=50:1"
    positive = classifier(graph=GRAPH, threshold=0.0).fit(nodes, GRAPH.y).predict(nodes)
    assert (positive == 1).all()
    with pytest.raises(InputError, match="both choose a threshold"):
        clone(dear).set_params(threshold=0.5).fit(nodes, GRAPH.y)


def test_the_seed_decides_and_a_pickle_predicts_the_same():
    first, same = (classifier().fit(GRAPH, half_known()) for _ in range(2))
    np.testing.assert_array_equal(first.label_distributions_, same.label_distributions_)
    again = pickle.loads(pickle.dumps(first))
    np.testing.assert_array_equal(again.predict_proba(), first.predict_proba())
    assert seed_of(np.int64(3)) == 3
    assert seed_of(np.random.RandomState(0)) == seed_of(np.random.RandomState(0))


def test_validation_nodes_are_held_out_class_by_class():
    y = np.repeat([0, 1, 2, -1], [10, 5, 1, 4])
    split = hold_out(y, 0.2, seed=0)
    assert np.bincount(y[split.val], minlength=3).tolist() == [2, 1, 0]
    assert np.bincount(y[split.train], minlength=3).tolist() == [8, 4, 1]
    assert not split.test.any()
    single = hold_out(np.array([0, 1, -1]), 0.2, seed=0)
    assert single.val.tolist() == single.train.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: classifier().fit(GRAPH.x, edges=GRAPH.edge_index), "there is no y"),
        (lambda: classifier().fit(GRAPH.x, GRAPH.y[:5], edges=GRAPH.edge_index), r"y has shape \(5,\)"),
        (lambda: classifier(graph=GRAPH).fit(GRAPH.node_ids), "the estimator holds a graph"),
        (lambda: classifier(graph=GRAPH).fit(GRAPH.x, GRAPH.y), r"node ids have shape \(80, 6\)"),
        (lambda: classifier(graph=GRAPH).fit([999], [1]), "has no node 999"),
        (lambda: classifier(K=0).fit(GRAPH), "K=0 is out of range"),
        (lambda: classifier(validation_fraction=1.0).fit(GRAPH), "validation_fraction=1.0"),
        (lambda: classifier().fit(GRAPH, np.zeros(80, int)), "two or more classes"),
        (lambda: classifier().fit(GRAPH.x, GRAPH.y, edges=GRAPH.edge_index).predict(GRAPH.x + 1), "not the features"),
    ],
)
def test_misuse_is_refused_with_the_fix(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_nothing_is_predicted_before_fit():
    with pytest.raises(NotFittedError):
        classifier().predict()


def test_the_row_classifier_passes_every_check_of_scikit_learn():
    results = check_estimator(LSGNNRowClassifier(epochs=30, lr=0.05), on_skip=None, on_fail="raise")
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # needs an environment variable set before scipy is imported
    assert len(results) > 40


def test_the_row_classifier_learns_and_is_calibrated():
    from sklearn.datasets import load_wine
    from sklearn.model_selection import train_test_split

    X, y = load_wine(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    rows = LSGNNRowClassifier(lr=0.03, epochs=100, random_state=0).fit(train, y_train)
    assert rows.score(test, y_test) > 0.9
    np.testing.assert_allclose(rows.predict_proba(test).sum(axis=1), 1)
    single = np.concatenate([rows.predict_proba(row[None]) for row in test])
    np.testing.assert_allclose(single, rows.predict_proba(test), atol=1e-12)


def test_the_row_classifier_is_as_sure_as_its_run():
    X, y = GRAPH.x.astype(np.float64), GRAPH.y
    rows = LSGNNRowClassifier(lr=0.05, epochs=40, random_state=0).fit(X, y)
    rows.run_ = replace(rows.run_, known_temperature=2.0)  # or a wrong use of it would not show
    np.testing.assert_allclose(rows.predict_proba(X), rows.run_.predict().probabilities, atol=1e-5)
