"""Settings per model and dataset, from the papers and their released code: `presets/<model>.toml`.

A file has a table per dataset and one called `default`, whose settings hold wherever a dataset's table is silent.
A variant of a dataset (`cornell-fixed`, `chameleon-filtered`) uses the table of the one it comes from.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from lsgnn import datasets, zoo
from lsgnn.config import LSGNNConfig, TrainingConfig
from lsgnn.errors import InputError


def zoo_preset(model: str, dataset: str) -> Any:
    """The settings of a model for a dataset; for one that no file knows, the model's defaults.

    >>> zoo_preset("gcnii", "texas").num_layers
    32
    """
    config: type[TrainingConfig] = zoo.get(model).config
    if model == "lsgnn":
        return _of_lsgnn(dataset)
    tables = _tables(model)
    family = dataset.rsplit("-", 1)[0]
    own = tables.get(dataset, tables.get(family, {}))
    try:
        return config.from_dict({**tables.get("default", {}), **own})
    except InputError as error:
        raise InputError(f"{model}.toml, table {dataset!r}: {error}") from error


def _of_lsgnn(dataset: str) -> TrainingConfig:
    """LSGNN's presets come with the datasets; the released ones are the nearest to what its peers' cards are."""
    if dataset not in datasets.names():
        return LSGNNConfig()
    kind = "released" if "released" in datasets.preset_kinds(dataset) else "default"
    return datasets.preset(dataset, kind).config


@cache
def _tables(model: str) -> dict[str, dict[str, Any]]:
    file = files("lsgnn.zoo") / "presets" / f"{model}.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
