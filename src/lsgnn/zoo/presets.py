"""Settings per model and dataset, from the papers and their released code: `presets/<model>.toml`.

A file has a table per dataset and one called `default`, whose settings hold wherever a dataset's table is silent.
A variant of a dataset (`cornell-fixed`, `chameleon-filtered`) uses the table of the one it comes from. Where a paper
publishes the better of two variants of its model in one row, `variants.<name>` holds what the second one changes, in
tables of the same kind.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from lsgnn import datasets, zoo
from lsgnn.config import LSGNNConfig, TrainingConfig
from lsgnn.errors import InputError


def zoo_preset(model: str, dataset: str, variant: str = "") -> Any:
    """The settings of a model (or of a variant of it) for a dataset; for one that no file knows, the model's defaults.

    >>> zoo_preset("gcnii", "texas").num_layers
    32
    >>> zoo_preset("gcnii", "texas", "star").star
    True
    """
    config: type[TrainingConfig] = zoo.get(model).config
    if variant not in zoo_variants(model):
        raise InputError(
            f"{model} has no variant {variant!r}: choose one of {', '.join(map(repr, zoo_variants(model)))}"
        )
    if model == "lsgnn":
        return _of_lsgnn(dataset)
    tables, variants = _tables(model)
    settings = _settings(tables, dataset) | _settings(variants.get(variant, {}), dataset)
    try:
        return config.from_dict(settings)
    except InputError as error:
        raise InputError(f"{model}.toml, table {dataset!r}: {error}") from error


def has_preset(model: str, dataset: str) -> bool:
    """True if something is known for the model on this very dataset, beyond what holds for all.

    >>> has_preset("gcnii", "texas"), has_preset("gcnii", "debian")
    (True, False)
    """
    if dataset not in datasets.names():
        return False
    if model == "lsgnn":
        return any(datasets.has_preset(dataset, kind) for kind in ("released", "default"))
    return not {dataset, _family(dataset)}.isdisjoint(_tables(model)[0])


def zoo_variants(model: str) -> tuple[str, ...]:
    """The variants of a model that have settings of their own, after "", the model itself.

    >>> zoo_variants("glognn")
    ('', 'plus_plus')
    """
    return ("", *_tables(model)[1])


def _settings(tables: dict[str, Any], dataset: str) -> dict[str, Any]:
    return {**tables.get("default", {}), **tables.get(dataset, tables.get(_family(dataset), {}))}


def _family(dataset: str) -> str:
    return dataset.rsplit("-", 1)[0]


def _of_lsgnn(dataset: str) -> TrainingConfig:
    """LSGNN's presets come with the datasets; the released ones are the nearest to what the baselines' presets are."""
    if dataset not in datasets.names():
        return LSGNNConfig()
    kind = "released" if "released" in datasets.preset_kinds(dataset) else "default"
    return datasets.preset(dataset, kind).config


@cache
def _tables(model: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables of the model itself, and those of each variant."""
    file = files("lsgnn.zoo") / "presets" / f"{model}.toml"
    tables = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
    variants = tables.pop("variants", {})
    return tables, variants
