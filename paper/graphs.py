"""Graphs for the experiments: loaded once, with the settings and splits of the authors' released code."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from lsgnn.config import LSGNNConfig
from lsgnn.datasets import load, preset, preset_kinds, preset_splits
from lsgnn.datasets.presets import Preset
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Splits

SPLITS = {
    "official": "the dataset's own ten 48/32/20 splits",
    "authors": "ten stratified 48/32/20 splits by the released code's splitter (numpy seed 28)",
}


@lru_cache(maxsize=2)
def graph_of(dataset: str, data_dir: Path | None) -> Graph:
    """Units come dataset by dataset, so that keeping the last two spares most of the loading."""
    return load(dataset, data_dir)


def released(dataset: str) -> Preset:
    """The settings of the authors' code, or the package's defaults for a dataset it does not know."""
    return preset(dataset, "released" if "released" in preset_kinds(dataset) else "default")


def released_config(dataset: str) -> LSGNNConfig:
    return released(dataset).config.replace(seed=28)


def released_splits(dataset: str, data_dir: Path | None) -> Splits:
    return preset_splits(graph_of(dataset, data_dir), released(dataset))
