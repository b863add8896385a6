"""All models of a board read nodes alike, unless something was published or said."""

from dataclasses import replace

import numpy as np
import pytest

from lsgnn import Graph, LSGNNConfig, zoo
from lsgnn.benchmark import configurations as module
from lsgnn.benchmark.configurations import changes_for_fit, configurations, probed_inputs
from lsgnn.graph.splits import stratified_splits
from lsgnn.runs.fit import fit
from lsgnn.runs.stages import BASELINE_OPEN
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.presets import zoo_preset
from tests.fraud import fraud_graph
from tests.graphs import two_blocks

GRAPH = two_blocks()
SPLITS = dict(enumerate(stratified_splits(GRAPH.y, 3)))


@pytest.fixture
def probed(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Splits 0 and 2 prefer standardised columns and degrees, split 1 neither; what they were asked for."""
    asked: list[list[str]] = []

    def probe(prepared, split, metric, open_to):
        asked.append(list(open_to))
        norm, structure = ("none", "none") if (split.train == SPLITS[1].train).all() else ("standard", "degrees")
        settings = {"feature_norm": norm, "structure_features": structure, "class_weight": "balanced"}
        return settings, f"feature_norm={norm!r} chosen"

    monkeypatch.setattr(module, "probed_inputs", probe)
    return asked


def test_all_models_share_the_reading_that_each_split_prefers(probed: list[list[str]]) -> None:
    models = {"mlp": None, "gcn": None, "majority": None, "trees": None, "lsgnn": None}
    found, notes = configurations(GRAPH, models, SPLITS)
    for name in ("mlp", "gcn", "lsgnn"):
        assert [found[name][s].feature_norm for s in SPLITS] == ["standard", "none", "standard"]
        assert [found[name][s].structure_features for s in SPLITS] == ["degrees", "none", "degrees"]
    assert {found["trees"][s].class_weight for s in SPLITS} == {"balanced"}  # they scale nothing
    assert probed == [sorted(BASELINE_OPEN)] * 3
    for_whom = "mlp, gcn, trees (structure_features, class_weight), lsgnn"
    assert notes == (
        f"feature_norm='standard' chosen on split 0, and on split 2; for {for_whom}",
        f"feature_norm='none' chosen on split 1; for {for_whom}",
        module.UNPROBED,
    )
    assert module.UNPROBED not in configurations(GRAPH, models, SPLITS, tuned=True)[1]


def test_what_is_named_of_lsgnn_leaves_the_rest_as_by_default(probed: list[list[str]]) -> None:
    named = dict.fromkeys(BASELINE_OPEN, "none")
    assert configurations(GRAPH, {"lsgnn": None}, SPLITS, changes={"lsgnn": named})[1] == (module.UNPROBED,)
    assert configurations(GRAPH, {"lsgnn": LSGNNConfig()}, SPLITS)[1] == ()


def test_inputs_are_read_by_all_models_as_a_small_mlp_prefers() -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 400)
    mixed = np.column_stack([random.normal(3.0 * y), random.lognormal(10, 1, 400)])
    split = stratified_splits(y)[0]
    graph = Graph(x=mixed, edge_index=np.zeros((2, 0), int), y=y)
    settings, note = probed_inputs(Prepared(graph), split)
    assert (settings["feature_norm"], settings["class_weight"]) == ("standard", "none")
    assert "by a small MLP" in note
    scrambled = replace(graph, y=np.where(split.test, 1 - y, y))
    assert probed_inputs(Prepared(scrambled), split) == (settings, note)


def test_a_board_reads_nodes_as_fit_does() -> None:
    graph, _ = fraud_graph(n=4_000)
    split = stratified_splits(graph.y)[0]
    found, _ = configurations(graph, {"gcn": None}, {0: split}, metric="average_precision")
    fitted = fit(graph, model="gcn", split=split, metric="average_precision", epochs=1).config
    assert found["gcn"][0].structure_features == fitted.structure_features == "degrees"
    assert found["gcn"][0].replace(epochs=1) == fitted


def test_what_was_given_or_named_stays(probed: list[list[str]]) -> None:
    given = {"mlp": zoo.get("mlp").config(), "gcn": None}
    named = {"feature_norm": "l2", "lr": 0.5, "structure_features": "none", "class_weight": "none"}
    found, notes = configurations(GRAPH, given, SPLITS, changes={"gcn": named})
    assert {config.feature_norm for config in found["mlp"].values()} == {"l1"}
    assert {(config.feature_norm, config.lr) for config in found["gcn"].values()} == {("l2", 0.5)}
    assert (notes, probed) == ((), [])


def test_a_published_preset_stays_and_defaults_do_not(probed: list[list[str]]) -> None:
    texas = replace(GRAPH, name="texas")
    found, _ = configurations(texas, {"gcnii": None, "trees": None, "lsgnn": None}, SPLITS)
    assert found["gcnii"][0] == zoo_preset("gcnii", "texas")
    assert found["lsgnn"][0] == zoo_preset("lsgnn", "texas")
    assert probed == [["class_weight", "structure_features"]] * 3  # of the trees
    found, _ = configurations(texas, {"gcnii": None}, SPLITS, presets=False)
    assert found["gcnii"][0].feature_norm == "standard"


def test_fit_needs_to_be_told_what_its_defaults_do_not_say() -> None:
    config = zoo.get("gcn").config(epochs=2, lr=0.5)
    changes = changes_for_fit(GRAPH, "gcn", config)
    assert changes["lr"] == 0.5
    assert fit(GRAPH, model="gcn", **changes).config == config
    probed = fit(GRAPH, model="gcn", epochs=1).config
    left_open = {name: getattr(probed, name) for name in BASELINE_OPEN}  # `fit` might choose otherwise
    assert changes_for_fit(GRAPH, "gcn", probed) == {"epochs": 1} | left_open
