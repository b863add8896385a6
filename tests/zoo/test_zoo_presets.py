import tomllib
from pathlib import Path

import pytest

import lsgnn.zoo
from lsgnn import zoo
from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.zoo.gcnii import GCNIIConfig
from lsgnn.zoo.presets import has_preset, zoo_preset, zoo_variants

FILES = sorted((Path(lsgnn.zoo.__file__).parent / "presets").glob("*.toml"))
NINE = {"cora", "citeseer", "pubmed", "chameleon", "squirrel", "actor", "cornell", "texas", "wisconsin"}
OURS = ["mlp", "gcn", "sgc", "gat", "mixhop", "gcnii", "appnp", "gprgnn", "dagnn", "h2gcn", "fagcn", "linkx"]


@pytest.mark.parametrize("model", OURS)
def test_every_table_holds_valid_settings_of_a_known_dataset(model: str) -> None:
    (file,) = [file for file in FILES if file.stem == model]
    tables = tomllib.loads(file.read_text("utf-8"))
    assert set(tables) <= NINE | {"default", "variants"}
    for dataset in NINE:
        assert isinstance(zoo_preset(model, dataset), zoo.get(model).config)


def test_a_variant_changes_what_its_tables_say() -> None:
    assert zoo_variants("gcnii") == ("", "star")
    assert zoo_preset("gcnii", "cora", "star") == zoo_preset("gcnii", "cora").replace(star=True)
    assert zoo_variants("glognn") == ("", "plus_plus")
    for dataset in NINE:
        assert zoo_preset("glognn", dataset, "plus_plus").plus_plus
    assert zoo_preset("glognn", "squirrel", "plus_plus").delta == 0.0
    with pytest.raises(InputError, match="gcn has no variant 'star': choose one of ''"):
        zoo_preset("gcn", "cora", "star")


def test_a_datasets_table_comes_before_the_default_one() -> None:
    texas = zoo_preset("gcnii", "texas")
    assert texas == GCNIIConfig(
        direction="out", num_layers=32, alpha=0.5, theta=1.5, weight_decay=1e-4, epochs=1500, patience=100
    )


def test_variants_use_the_settings_of_the_dataset_they_come_from() -> None:
    for variant, origin in {"cornell-fixed": "cornell", "chameleon-filtered": "chameleon"}.items():
        assert zoo_preset("gprgnn", variant) == zoo_preset("gprgnn", origin)


def test_an_unknown_graph_gets_the_defaults() -> None:
    assert zoo_preset("gprgnn", "my-graph") == zoo_preset("gprgnn", "another")
    assert zoo_preset("majority", "texas") == zoo.get("majority").config()
    assert zoo_preset("lsgnn", "my-graph") == LSGNNConfig()


def test_lsgnns_own_presets_come_with_the_datasets() -> None:
    assert zoo_preset("lsgnn", "chameleon").direction == "out"


def test_a_preset_of_a_dataset_is_told_from_what_holds_for_all() -> None:
    assert has_preset("gcnii", "texas")
    assert has_preset("gcnii", "cornell-fixed")  # by the table of cornell
    assert not has_preset("gcnii", "debian")
    assert not has_preset("gcnii", "default")  # a graph of the user's own may be called anything
    assert has_preset("lsgnn", "texas")
    assert not has_preset("lsgnn", "mine.csv")
