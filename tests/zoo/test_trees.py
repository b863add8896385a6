from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.ensemble import HistGradientBoostingClassifier

import lsgnn
from lsgnn import Graph, zoo
from lsgnn.digests import write_digests
from lsgnn.errors import InputError
from lsgnn.graph.splits import Split, stratified_splits
from lsgnn.runs.checkpoint import CONTENT
from lsgnn.train.metrics import measure
from lsgnn.zoo.neighbour_columns import Columns, TableInputs, neighbour_means
from lsgnn.zoo.tree_ensemble import NEVER, TreeEnsemble, grown, no_trees, tensors
from tests.graphs import random_graph, two_blocks
from tests.zoo.test_every_model import FirstChoice

TREES = zoo.get("trees")
SMALL = {"min_samples_leaf": 2, "epochs": 12}


def noisy_table(seed: int, classes: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of single precision, some of which decide the class and one in five of which is missing."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, 6)).astype(np.float32)
    y = (x[:, 0] + x[:, 1] * x[:, 2] > 0).astype(int) + (classes > 2) * (x[:, 3] > 0)
    x[random.random(x.shape) < 0.2] = np.nan
    return x, y


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_our_tensors_score_as_scikit_learn_does(classes: int, seed: int) -> None:
    x, y = noisy_table(seed, classes)
    model = HistGradientBoostingClassifier(max_iter=30, early_stopping=False, max_features=0.5, random_state=seed)
    model.fit(x, y)
    other = noisy_table(seed + 10, classes)[0]
    other[:30] = x[:30]
    scores = TreeEnsemble(tensors(*grown(model, 0, classes)))(torch.from_numpy(other)).numpy()
    theirs = model.decision_function(other)
    if classes == 2:
        theirs = np.stack([np.zeros(len(theirs)), theirs], axis=1)
    np.testing.assert_allclose(scores, theirs, atol=1e-6)
    assert np.abs(theirs).max() > 1


def test_a_value_at_the_threshold_goes_left_as_in_double_precision() -> None:
    x = np.array([[0.1], [0.1], [0.3], [0.3]], dtype=np.float32).repeat(20, axis=0)
    model = HistGradientBoostingClassifier(max_iter=1, early_stopping=False, min_samples_leaf=1).fit(x, x[:, 0] > 0.2)
    (threshold,) = model._predictors[0][0].nodes["num_threshold"][:1]
    near = np.float32(threshold)
    table = np.array([[np.nextafter(near, np.float32(s * np.inf))] for s in (-1, 1)] + [[near]], dtype=np.float32)
    ours = TreeEnsemble(tensors(*grown(model, 0, 2)))(torch.from_numpy(table))[:, 1]
    np.testing.assert_allclose(ours.numpy(), model.decision_function(table), atol=1e-12)


def test_a_class_without_training_nodes_is_never_predicted() -> None:
    x, y = noisy_table(0, classes=2)
    model = HistGradientBoostingClassifier(max_iter=2, early_stopping=False).fit(x, 2 * y + 1)  # classes 1 and 3 of 5
    _, baseline, added = grown(model, 0, 5)
    assert baseline[[0, 2, 4]].tolist() == [NEVER] * 3
    assert baseline[1] == 0
    assert added.tolist() == [3]


def test_other_versions_of_scikit_learn_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = noisy_table(0, classes=2)
    model = HistGradientBoostingClassifier(max_iter=2, early_stopping=False).fit(x, y)
    model._trees = model.__dict__.pop("_predictors")
    with pytest.raises(InputError, match=r"scikit-learn \d.* keeps its trees in another way .*: install one of those"):
        grown(model, 0, 2)
    model._predictors = [[type("Tree", (), {"nodes": np.zeros(3, dtype=[("value", float)])})()]]
    with pytest.raises(InputError, match="a field of the nodes is missing"):
        grown(model, 0, 2)


def test_columns_are_own_values_neighbours_means_and_degrees() -> None:
    # 0 → 1 → 2, 0 → 2 and 3 alone; one column
    graph = Graph(x=[[1.0], [2.0], [4.0], [8.0]], edge_index=[[0, 1, 0, 3], [1, 2, 2, 3]], y=[0, 1, 0, 1])
    inputs = TREES.prepare(graph, TREES.config())
    table = inputs.table(inputs.columns, hops=2).numpy()
    log, nan = np.log1p([0.0, 1.0, 2.0]), np.nan
    own = np.stack([[1, 2, 4, 8], log[[2, 1, 0, 0]], log[[0, 1, 2, 0]]], axis=1)
    out = np.stack([(own[1] + own[2]) / 2, own[2], [nan] * 3, [nan] * 3])
    out_out = np.stack([own[2], [nan] * 3, [nan] * 3, [nan] * 3])  # of 0's neighbours only 1 has one
    into = np.stack([[nan] * 3, own[0], (own[0] + own[1]) / 2, [nan] * 3])
    into_into = np.stack([[nan] * 3, [nan] * 3, own[0], [nan] * 3])
    np.testing.assert_allclose(table, np.hstack([own, out, out_out, into, into_into]), rtol=1e-6)
    assert inputs.columns.count(2) == table.shape[1] == 15


def test_an_undirected_graph_is_read_one_way() -> None:
    edges = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    inputs = TREES.prepare(Graph(x=np.eye(3), edge_index=edges, y=[0, 1, 0]), TREES.config())
    assert not inputs.columns.two_ways
    assert inputs.table(inputs.columns, hops=1).shape == (3, 2 * (3 + 1)) == (3, inputs.columns.count(1))


def test_missing_values_stay_missing_and_means_leave_them_out() -> None:
    h = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, 5.0]], dtype=np.float32)
    A = sp.csr_array(np.array([[0, 1, 1], [1, 0, 1], [1, 2, 0]], dtype=np.float32))
    expected = [[3, 5], [1, 5], [7 / 3, np.nan]]
    np.testing.assert_allclose(neighbour_means(A, h), expected, rtol=1e-6)


@pytest.mark.parametrize("wide", [False, True])
def test_nan_in_the_features_breaks_nothing(wide: bool) -> None:
    graph = two_blocks()
    if wide:
        graph = replace(graph, x=np.random.default_rng(0).normal(size=(80, 200)))
    x = np.array(graph.x)
    x[::3, 2], x[5], x[:, 4] = np.nan, np.nan, np.nan
    inputs = TableInputs(x, TREES.prepare(graph, TREES.config()).out, limit=128)
    split, config = stratified_splits(graph.y)[0], TREES.config(**SMALL)
    trained = TREES.train(graph, inputs, split, config)
    assert torch.isfinite(TREES.module(graph, inputs, config, trained.state_dict)(inputs)).all()
    if not wide:
        assert np.isnan(inputs.table(inputs.columns, 0).numpy()[::3, 2]).all()
        assert trained.history[-1]["train_loss"] < 0.5


def words(n: int = 300, d: int = 400) -> sp.csr_array:
    """Words of which the first are the most frequent."""
    random = np.random.default_rng(0)
    return sp.csr_array((random.random((n, d)) < 0.3 / (1 + np.arange(d) / 10)).astype(np.float32))


def test_wide_tables_of_words_keep_the_most_frequent_and_mix_all() -> None:
    x = words()
    columns = Columns.fitted(x, 64, two_ways=True)
    counts = np.asarray((x != 0).sum(axis=0)).ravel()
    assert columns.kept.shape == (16,)
    assert counts[columns.kept.numpy()].min() >= np.delete(counts, columns.kept.numpy()).max()
    assert columns.mixed.shape == (400, 16)
    made = columns.of(x)
    np.testing.assert_array_equal(made[:, :16], x.toarray()[:, columns.kept.numpy()])
    # the mixtures are the best 16 columns: no other ones leave less of the table unexplained
    mixed = made[:, 16:].astype(np.float64)
    left = x.toarray() - mixed @ np.linalg.lstsq(mixed, x.toarray(), rcond=None)[0]
    best = np.linalg.svd(x.toarray(), compute_uv=False)[16:]
    assert np.linalg.norm(left) == pytest.approx(np.linalg.norm(best), rel=0.02)
    again, dense = Columns.fitted(x, 64, two_ways=True), Columns.fitted(x.toarray(), 64, two_ways=True)
    assert torch.equal(columns.mixed, again.mixed)
    torch.testing.assert_close(dense.mixed, columns.mixed)


def test_narrow_tables_are_read_as_they_are_and_embeddings_are_mixed() -> None:
    x = np.random.default_rng(0).normal(size=(50, 20)).astype(np.float32)
    narrow, wide = Columns.fitted(x, 20, two_ways=False), Columns.fitted(x, 10, two_ways=False)
    np.testing.assert_array_equal(narrow.of(x), x)
    assert wide.kept.shape == (0,)
    assert wide.of(x).shape == (50, 5)


def test_new_nodes_get_the_columns_of_the_graph_trained_on() -> None:
    graph = replace(two_blocks(n=300), x=words())
    config = TREES.config(max_columns=32, **SMALL)
    run = lsgnn.fit(graph, config, model="trees")
    assert not run.module.two_ways
    x = words(n=2)
    # one-way edges would make the enlarged graph a directed one, of twice as many columns
    new = run.predict_new(x, edges=[(300, 0), (1, 301)])
    whole = Graph(
        x=sp.vstack([graph.x, x], format="csr"), edge_index=np.hstack([graph.edge_index, [[300, 1], [0, 301]]])
    )
    np.testing.assert_array_equal(new.probabilities, run.predict(whole).probabilities[300:])


def test_the_history_has_an_entry_per_iteration_and_the_best_one_is_kept() -> None:
    graph = two_blocks(n=200)
    split, seen = stratified_splits(graph.y)[0], []
    config = TREES.config(min_samples_leaf=2, epochs=45, patience=0, lr=0.3)
    inputs = TREES.prepare(graph, config)
    trained = TREES.train(graph, inputs, split, config, on_epoch=seen.append)
    assert [epoch["epoch"] for epoch in trained.history] == list(range(1, 46))
    assert seen == trained.history
    losses = [epoch["val_loss"] for epoch in trained.history]
    assert trained.best_epoch == 1 + int(np.argmin(losses)) < 45
    logits = TREES.module(graph, inputs, config, trained.state_dict)(inputs)
    val = torch.nn.functional.cross_entropy(logits[split.val], torch.from_numpy(graph.y[split.val]))
    assert float(val) == pytest.approx(min(losses), abs=1e-6)
    assert measure("accuracy", logits[split.val].numpy(), graph.y[split.val]) == pytest.approx(
        trained.history[trained.best_epoch - 1]["val_accuracy"]
    )
    patient = TREES.train(graph, inputs, split, config.replace(patience=5))
    assert len(patient.history) < 45
    assert patient.history == trained.history[: len(patient.history)]


def test_the_seed_decides_everything() -> None:
    graph = random_graph()
    split, config = stratified_splits(graph.y)[0], TREES.config(**SMALL)
    first, second, other = (TREES.solve(graph, split, config.replace(seed=seed)).logits for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)


def test_labels_of_test_nodes_are_not_read() -> None:
    graph = random_graph()
    split, config = stratified_splits(graph.y)[0], TREES.config(**SMALL)
    y = np.where(split.test, (graph.y + 1) % 3, graph.y)
    np.testing.assert_array_equal(
        TREES.solve(graph, split, config).logits, TREES.solve(replace(graph, y=y), split, config).logits
    )


def test_balanced_classes_find_the_rare_one() -> None:
    random = np.random.default_rng(0)
    y = (random.random(400) < 0.1).astype(int)
    x = random.normal(size=(400, 2)) + y[:, None]
    graph = Graph(x=x, edge_index=np.zeros((2, 0), np.int64), y=y)
    split = stratified_splits(y)[0]
    found = {}
    for kind in ("none", "balanced"):
        logits = TREES.solve(graph, split, TREES.config(class_weight=kind)).logits
        found[kind] = (logits[split.test & (y == 1)].argmax(axis=1) == 1).mean()
    assert found["balanced"] > found["none"]


def test_weights_of_another_table_do_not_load(tmp_path) -> None:
    graph = random_graph()
    run = lsgnn.fit(graph, model="trees", **SMALL)
    run.save(tmp_path / "run")
    config = tmp_path / "run" / "config.toml"
    config.write_text(config.read_text().replace("hops = 2", "hops = 0"))
    write_digests(tmp_path / "run", CONTENT)  # as if all had been written together
    with pytest.raises(InputError, match=r"the weights of .* do not fit"):
        lsgnn.Run.load(tmp_path / "run")
    state = dict(run.trained.state_dict)
    loop = state["trees.child"].clone()
    loop[1] = 0  # back to the root
    for broken in ({"trees.child": loop}, {"trees.value": state["trees.value"][:-1]}, {"trees.root": loop[:, 0] - 1}):
        with pytest.raises(RuntimeError, match="trees"):
            TREES.module(graph, run.inputs, run.config, state | broken)


def test_boosting_begins_without_a_tree() -> None:
    graph = random_graph()
    config = TREES.config()
    inputs = TREES.prepare(graph, config)
    assert not TREES.build(config, graph, inputs)(inputs).any()
    assert TreeEnsemble(no_trees(3))(torch.zeros(2, 5)).shape == (2, 3)


def test_settings_are_checked_and_searched() -> None:
    with pytest.raises(InputError, match=r"hops=-1 is out of range: it must be at least 0"):
        TREES.config(hops=-1)
    with pytest.raises(InputError, match=r"column_share=0.0 is out of range: it must be above 0 and at most 1"):
        TREES.config(column_share=0.0)
    suggested = TREES.space(FirstChoice())
    assert {"lr", "max_leaf_nodes", "min_samples_leaf", "l2_regularization", "epochs", "hops"} <= set(suggested)
    TREES.config(**suggested)
    assert TREES.config(hops=1, lr=0.3).input_settings == TREES.config().input_settings


def test_a_split_of_its_own_is_honoured() -> None:
    graph = two_blocks()
    masks = np.arange(80) % 4
    run = lsgnn.fit(graph, model="trees", split=Split(masks < 2, masks == 2, masks == 3), **SMALL)
    assert run.metrics["test_accuracy"] > 0.5


def test_the_best_iteration_may_be_selected_by_any_score() -> None:
    graph = two_blocks(n=200)
    split = stratified_splits(graph.y)[0]
    config = TREES.config(min_samples_leaf=2, epochs=25, patience=0, lr=0.3, select_by="val_roc_auc")
    inputs = TREES.prepare(graph, config)
    trained = TREES.train(graph, inputs, split, config)
    scores = [epoch["val_roc_auc"] for epoch in trained.history]
    assert scores[trained.best_epoch - 1] == max(scores) > min(scores)
    logits = TREES.module(graph, inputs, config, trained.state_dict)(inputs)[split.val].numpy()
    assert measure("roc_auc", logits, graph.y[split.val]) == pytest.approx(max(scores), abs=1e-3)


def test_a_tiny_graph_grows_trees_too() -> None:
    """Ten nodes in each leaf, the default, would leave a dozen training nodes in one."""
    y = np.arange(20) % 2
    graph = Graph(x=np.column_stack([3.0 * y, np.ones(20)]), edge_index=np.zeros((2, 0), int), y=y)
    split = stratified_splits(y)[0]
    solution = zoo.get("trees").solve(graph, split, zoo.get("trees").config())
    assert (solution.logits.argmax(axis=1) == y).all()
