"""The configuration that a command was asked for: presets, single hyperparameters, the metric that epochs follow."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsgnn.cli.options import checked_choice
from lsgnn.errors import InputError
from lsgnn.files import require_name

if TYPE_CHECKING:
    from lsgnn.config import LSGNNConfig
    from lsgnn.graph.graph import Graph
    from lsgnn.graph.splits import Split, Splits
    from lsgnn.runs.defaults import Draft


def draft_and_splits(graph: Graph, kind: str, changes: Sequence[str], model: str = "lsgnn") -> tuple[Draft, Splits]:
    """The preset of a graph (a draft that the validation nodes complete, if it is the user's own) with changes, and
    the splits that go with it."""
    from lsgnn import zoo
    from lsgnn.datasets import preset, preset_splits
    from lsgnn.datasets.registry import dataset_of
    from lsgnn.graph.split_checks import default_splits
    from lsgnn.runs.defaults import Draft, draft

    known = dataset_of(graph) and model == "lsgnn"
    if kind.endswith(".toml"):
        drafted, splits = Draft(load_preset(Path(kind), model)), default_splits(graph)
    elif known:
        chosen = preset(graph.name, kind)
        splits = preset_splits(graph, chosen)
        drafted = draft(graph, zoo.get(model)) if kind == "default" else Draft(chosen.config)
    elif kind == "default":
        drafted, splits = draft(graph, zoo.get(model)), default_splits(graph)
    elif model != "lsgnn":
        raise InputError(f"--preset {kind} is for LSGNN, not for {model!r}: drop it, or use --set")
    else:
        raise InputError(f"--preset {kind} is for known datasets, not for {graph.name!r}: use default and --set")
    return drafted.replace(**parse_settings(changes)), splits


def settings_for_arrays(kind: str, changes: Sequence[str], base: LSGNNConfig | None = None) -> LSGNNConfig:
    """Settings for a graph that is arrays on disk: `base`, or those of a .toml file, with changes."""
    from lsgnn.config import LSGNNConfig

    if kind != "default" and not kind.endswith(".toml"):
        raise InputError(f"--preset {kind} is for known datasets, not for arrays on disk: use default or a .toml")
    config = load_preset(Path(kind)) if kind != "default" else base or LSGNNConfig()
    return config.replace(**parse_settings(changes))


def model_name(model: str | None, preset: str) -> str:
    """The model asked for; else the one whose settings a preset file holds; else LSGNN."""
    from lsgnn import zoo

    name = model or (str(_preset_table(Path(preset)).get("model", "lsgnn")) if preset.endswith(".toml") else "lsgnn")
    return zoo.get(name).name


def load_preset(path: Path, model: str = "lsgnn") -> Any:
    """Settings of a model from a file written by `lsgnn tune --export`."""
    from lsgnn import zoo

    table = _preset_table(path)
    if (whose := table.pop("model", "lsgnn")) != model:
        raise InputError(f"{path} holds settings of {whose!r}, not of {model!r}: pass --model {whose}, or another file")
    return zoo.get(model).config.from_dict(table)


def _preset_table(path: Path) -> dict[str, Any]:
    require_name(path)
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot read the preset {path}: {error}") from error


def parse_settings(changes: Sequence[str]) -> dict[str, Any]:
    """`["K=3", "direction=out"]` → {"K": 3, "direction": "out"}; values as TOML writes them, bare words as strings."""
    settings = {}
    for change in changes:
        name, separator, value = change.partition("=")
        if not separator:
            raise InputError(f"--set {change!r} has no '=': write NAME=VALUE, for example --set K=3")
        try:
            settings[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except ValueError:  # no TOML, or a number of thousands of digits
            settings[name.strip()] = value.strip()
    return settings


def metric_and_settings(
    graph: Graph, splits: Sequence[Split], metric: str | None, drafted: Draft, preset: str, changes: Sequence[str]
) -> tuple[Any, Draft, list[str]]:
    """What is scored (`lsgnn.runs.defaults.chosen_metric`), the draft with epochs selected by it, and notes.

    They keep their own rule where `--set select_by` names one, or where it is that of a preset and no metric is named.
    """
    from lsgnn.runs.defaults import chosen_metric, following

    chosen, notes = chosen_metric(graph, splits, checked_metric(metric))
    follows = "select_by" not in parse_settings(changes) and (metric is not None or preset == "default")
    return chosen, following(drafted, chosen) if follows else drafted, notes


def checked_metric(metric: str | None) -> Any:
    from lsgnn.train.metrics import METRICS

    return metric if metric is None else checked_choice("--metric", metric, tuple(METRICS))
