"""Every model reads features scaled alike, unless something was published or said."""

from dataclasses import replace

import pytest

from lsgnn import zoo
from lsgnn.benchmark import configurations as module
from lsgnn.benchmark.configurations import changes_for_fit, configurations
from lsgnn.graph.splits import stratified_splits
from lsgnn.runs.fit import fit
from lsgnn.runs.stages import BASELINE_OPEN
from lsgnn.zoo.presets import zoo_preset
from tests.graphs import two_blocks

GRAPH = two_blocks()
SPLITS = dict(enumerate(stratified_splits(GRAPH.y, 3)))


@pytest.fixture
def probed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Splits 0 and 2 prefer standardised columns, split 1 none; what is asked for is counted by training nodes."""
    asked: list[int] = []

    def probe(graph, split, metric):
        asked.append(int(split.train.sum()))
        norm = "none" if (split.train == SPLITS[1].train).all() else "standard"
        return norm, f"feature_norm={norm!r} chosen"

    monkeypatch.setattr(module, "probed_feature_norm", probe)
    return asked


def test_all_models_share_the_scaling_that_each_split_prefers(probed: list[int]) -> None:
    found, notes = configurations(GRAPH, {"mlp": None, "gcn": None, "majority": None, "lsgnn": None}, SPLITS)
    for name in ("mlp", "gcn", "lsgnn"):
        assert [found[name][s].feature_norm for s in SPLITS] == ["standard", "none", "standard"]
    assert len(probed) == 3
    assert notes == (
        "feature_norm='standard' chosen on split 0, and on split 2; for mlp, gcn, lsgnn",
        "feature_norm='none' chosen on split 1; for mlp, gcn, lsgnn",
        module.UNPROBED,
    )


def test_what_was_given_or_named_stays(probed: list[int]) -> None:
    given = {"mlp": zoo.get("mlp").config(), "gcn": None}
    found, notes = configurations(GRAPH, given, SPLITS, changes={"gcn": {"feature_norm": "l2", "lr": 0.5}})
    assert {config.feature_norm for config in found["mlp"].values()} == {"l1"}
    assert {(config.feature_norm, config.lr) for config in found["gcn"].values()} == {("l2", 0.5)}
    assert (notes, probed) == ((), [])


def test_a_published_preset_stays_and_defaults_do_not(probed: list[int]) -> None:
    texas = replace(GRAPH, name="texas")
    found, _ = configurations(texas, {"gcnii": None, "trees": None, "lsgnn": None}, SPLITS)
    assert found["gcnii"][0] == zoo_preset("gcnii", "texas")
    assert found["lsgnn"][0] == zoo_preset("lsgnn", "texas")
    assert probed == []
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
