"""Settings per dataset: `released` as in the authors' code, `paper` as in the text, `tuned` by us on validation nodes,
`default` for any graph.

One file per dataset under `presets/` holds the tables (the repository's `paper/scripts/write_presets.py` writes those
tuned by us), so that no code branches on a dataset's name. A preset also says on which splits it was meant to be run;
`preset_splits` makes those for a loaded graph.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from lsgnn.config import LSGNNConfig
from lsgnn.datasets.registry import info
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Splits, authors_splits, stratified_splits

SplitRule = Literal["official", "authors", "stratified"]


@dataclass(frozen=True)
class Preset:
    """Settings, the splits they belong to, and where they come from.

    `splits`: "official" are the graph's own masks, "authors" the released code's stratified splitter (numpy seed 28),
    "stratified" ours, for graphs without masks; the last two draw `num_splits` with the given shares.
    """

    config: LSGNNConfig
    splits: SplitRule
    num_splits: int = 10
    train: float = 0.48
    val: float = 0.32
    notes: str = ""


def preset(dataset: str, kind: str = "default") -> Preset:
    """The settings of a dataset; `kind` is one of `preset_kinds(dataset)`.

    >>> preset("chameleon", "released").config.direction
    'out'
    """
    tables = _tables(dataset)
    if kind in tables:
        return _preset(dataset, kind, tables[kind])
    if kind == "default":
        return Preset(
            LSGNNConfig(), "official" if info(dataset).splits else "stratified", notes="the package's defaults"
        )
    raise InputError(
        f"dataset {dataset!r} has no preset {kind!r}: choose {' or '.join(map(repr, preset_kinds(dataset)))}"
    )


def has_preset(dataset: str, kind: str) -> bool:
    """True if the dataset's file holds such a preset (`default` is the package's own where it holds none)."""
    return kind in _tables(dataset)


def preset_kinds(dataset: str) -> tuple[str, ...]:
    """The presets of a dataset; `default` always exists."""
    return tuple(dict.fromkeys((*_tables(dataset), "default")))


def preset_splits(graph: Graph, preset: Preset) -> Splits:
    """The train/validation/test divisions a preset is meant for."""
    match preset.splits:
        case "official":
            if graph.splits is None:
                raise InputError(
                    f"{graph.name} has no official splits: use the 'stratified' rule or pass masks of your own"
                )
            return graph.splits
        case "authors":
            graph.require_classes()
            return authors_splits(graph.y, preset.num_splits, preset.train, preset.val)
        case "stratified":
            return stratified_splits(graph.y, preset.num_splits, preset.train, preset.val)


def _preset(dataset: str, kind: str, table: Mapping[str, Any]) -> Preset:
    own = {field: table[field] for field in ("splits", "num_splits", "train", "val", "notes") if field in table}
    if own.get("splits") not in get_args(SplitRule):
        raise InputError(
            f"{dataset}.toml, table {kind!r}, has splits={own.get('splits')!r}: use one of {get_args(SplitRule)}"
        )
    return Preset(LSGNNConfig.from_dict({field: table[field] for field in table if field not in own}), **own)


@cache
def _tables(dataset: str) -> dict[str, dict[str, Any]]:
    file = files("lsgnn.datasets") / "presets" / f"{info(dataset).name}.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
