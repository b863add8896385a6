"""Presets: the authors' settings and the text's, per dataset, with the splits they belong to."""

import dataclasses
from importlib.resources import files

import numpy as np
import pytest

from lsgnn import datasets
from lsgnn.config import LSGNNConfig
from lsgnn.datasets import info, names, preset, preset_kinds, preset_splits
from lsgnn.errors import InputError
from tests.graphs import two_blocks

FILES = sorted(path.name.removesuffix(".toml") for path in (files("lsgnn.datasets") / "presets").iterdir())
REAL = [name for name in FILES if "released" in preset_kinds(name)]


def test_every_dataset_of_the_paper_has_a_preset() -> None:
    assert set(names()[:11]) <= set(REAL)
    assert set(FILES) <= set(names())


@pytest.mark.parametrize("name", REAL)
def test_released_and_paper_differ_only_in_what_the_text_says_otherwise(name: str) -> None:
    released, paper = preset(name, "released").config, preset(name, "paper").config
    assert (
        released.replace(
            direction="undirected", degree="plain", euclid_sign=-1, localsim_direction="same", localsim_self_loops=False
        )
        == paper
    )
    assert released.degree == "with_self_loop"
    assert released.euclid_sign == 1
    assert released.localsim_self_loops
    assert released.localsim_direction == ("undirected" if released.direction == "undirected" else "in")
    assert (released.seed, released.K, released.select_by) == (28, 5, "val_loss")
    assert preset(name, "paper").splits == "official"


@pytest.mark.parametrize(
    ("name", "direction", "lr", "weight_decay", "dropout", "beta", "gamma", "similarity"),
    [
        ("cora", "undirected", 0.01, 0, 0.9, 1.0, 0.7, "euclidean"),
        ("citeseer", "undirected", 0.01, 5e-4, 0.3, 1.0, 1.0, "euclidean"),
        ("pubmed", "undirected", 0.001, 0.01, 0.9, 1.0, 0.7, "euclidean"),
        ("chameleon", "out", 5e-4, 5e-4, 0.1, 1.0, 0.5, "euclidean"),
        ("squirrel", "out", 5e-4, 1e-5, 0.3, 1.0, 0.5, "euclidean"),
        ("actor", "in", 0.05, 1e-5, 0.9, 1.0, 0.9, "euclidean"),
        ("cornell", "out", 0.05, 0.01, 0.8, 0.1, 0.3, "euclidean"),
        ("texas", "out", 0.01, 0.01, 0.5, 0.3, 0.3, "cosine"),
        ("wisconsin", "out", 0.05, 0.01, 0.1, 0.1, 1.0, "euclidean"),
        ("ogbn-arxiv", "undirected", 0.01, 5e-4, 0.7, 1.0, 0.0, "euclidean"),
        ("arxiv-year", "in", 0.01, 1e-5, 0.8, 0.1, 0.9, "cosine"),
    ],
)
def test_released_settings_are_the_authors(
    name: str,
    direction: str,
    lr: float,
    weight_decay: float,
    dropout: float,
    beta: float,
    gamma: float,
    similarity: str,
) -> None:
    config = preset(name, "released").config
    assert (config.direction, config.lr, config.weight_decay) == (direction, lr, weight_decay)
    assert (config.dropout, config.beta, config.gamma, config.similarity) == (dropout, beta, gamma, similarity)


def test_the_large_graphs_have_their_own_model() -> None:
    arxiv, year = preset("ogbn-arxiv", "released").config, preset("arxiv-year", "released").config
    assert (arxiv.hidden_channels, arxiv.epochs, arxiv.optimizer, arxiv.propagation) == (64, 500, "adamw", "power")
    assert (year.hidden_channels, year.reduce_layers, year.head, year.adjacency_embedding) == (32, 2, "mlp", True)
    assert not arxiv.out_norm
    assert not year.out_norm


@pytest.mark.parametrize(
    ("cleaned", "of"),
    [("cornell-fixed", "cornell"), ("chameleon-filtered", "chameleon"), ("squirrel-filtered", "squirrel")],
)
def test_cleaned_graphs_take_the_settings_of_the_published_ones(cleaned: str, of: str) -> None:
    for kind in ("released", "paper"):
        assert preset(cleaned, kind).config == preset(of, kind).config
        assert preset(cleaned, kind).splits == "official"


@pytest.mark.parametrize("name", REAL)
def test_the_authors_own_splits_are_named(name: str) -> None:
    own = name in ("cora", "citeseer", "pubmed", "arxiv-year")
    assert preset(name, "released").splits == ("authors" if own else "official")


def test_a_dataset_without_a_file_gets_the_defaults() -> None:
    assert preset("questions") == preset("questions", "default")
    assert preset("questions").config == LSGNNConfig()
    assert preset("questions").splits == "official"
    assert preset_kinds("questions") == ("default",)
    assert preset_kinds("texas") == ("released", "paper", "tuned", "default")


def test_unknown_kind_names_the_choices() -> None:
    with pytest.raises(
        InputError, match="dataset 'texas' has no preset 'best': choose 'released' or 'paper' or 'tuned' or 'default'"
    ):
        preset("texas", "best")
    with pytest.raises(InputError, match="dataset 'debian' has no preset 'released': choose 'default'"):
        preset("debian", "released")
    with pytest.raises(InputError, match="there is no dataset 'texass'"):
        preset("texass", "paper")


def test_one_dimensional_features_keep_their_length() -> None:
    assert preset("fsbm").config.feature_norm == "none"
    assert preset("fsbm", "paper").config.weights == "localsim_naive"


def test_splits_follow_the_rule() -> None:
    graph = datasets.load("fsbm")
    official = dataclasses.replace(preset("fsbm"), splits="official")
    assert preset_splits(graph, official) is graph.splits
    authors = preset_splits(graph, preset("cora", "released"))
    assert authors.train.sum(axis=1).tolist() == [480] * 10
    year = preset_splits(graph, preset("arxiv-year", "released"))
    assert [(int(s.train.sum()), int(s.val.sum()), int(s.test.sum())) for s in year] == [(500, 250, 250)] * 5
    stratified = preset_splits(graph, dataclasses.replace(official, splits="stratified"))
    assert (stratified.train | stratified.val | stratified.test).all()


def test_official_splits_must_exist() -> None:
    with pytest.raises(InputError, match="two-blocks has no official splits"):
        preset_splits(two_blocks(), preset("texas", "released"))


@pytest.mark.dataset
@pytest.mark.parametrize("name", ["cora", "citeseer", "pubmed"])
def test_authors_splits_equal_their_published_masks(name: str, data_dir) -> None:  # type: ignore[no-untyped-def]
    graph = datasets.load(name, data_dir=data_dir)
    splits = preset_splits(graph, preset(name, "released"))
    with np.load(data_dir / f"{name}.npz") as file:
        for part in ("train", "val", "test"):
            assert np.array_equal(getattr(splits, part), file[f"ref_{part}_masks"])


def test_registry_and_default_preset_agree_on_splits() -> None:
    for name in names():
        assert preset(name, "default").splits == ("official" if info(name).splits else "stratified")
