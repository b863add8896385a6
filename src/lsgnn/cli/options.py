"""Arguments that several commands share: which graph, and which settings."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsgnn.cli.show import progress
from lsgnn.errors import InputError
from lsgnn.files import require_name

if TYPE_CHECKING:
    from lsgnn.config import LSGNNConfig
    from lsgnn.graph.graph import Graph
    from lsgnn.graph.splits import Split, Splits
    from lsgnn.runs.defaults import Draft

GraphName = Annotated[
    str | None, typer.Argument(metavar="[GRAPH]", help="A dataset name or a .npz file.", show_default=False)
]
Edges = Annotated[Path | None, typer.Option(help="Edge table (CSV, Parquet) for GRAPH.", rich_help_panel="Tables")]
Nodes = Annotated[Path | None, typer.Option(help="Node table with ids, features, labels.", rich_help_panel="Tables")]
Label = Annotated[str | None, typer.Option(help="Column of the class.", rich_help_panel="Tables")]
Id = Annotated[str | None, typer.Option(help="Column of the node id.", rich_help_panel="Tables")]
Column = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ROLE=NAME",
        help="Column that is source, target, weight or split, or those of features or categories, joined by commas; "
        "repeatable.",
        rich_help_panel="Tables",
    ),
]
DataDir = Annotated[Path | None, typer.Option(help="Folder of .npz graphs (default: $LSGNN_DATA).")]
Preset = Annotated[
    str, typer.Option(help="released (the authors' code), paper (the text), tuned (by us), default, or a .toml.")
]
Model = Annotated[
    str | None,
    typer.Option(help="Which model: lsgnn, or any that `lsgnn models` lists."),
]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a hyperparameter; repeatable.")]
SpreadsheetSafe = Annotated[
    bool, typer.Option("--spreadsheet-safe", help="In a .csv, put a ' before text that spreadsheets take for formulas.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Metric = Annotated[
    str | None,
    typer.Option(
        help="accuracy, balanced_accuracy, macro_f1, log_loss, or for two classes roc_auc, average_precision, "
        "recall_at_k; epochs are selected by it (default: the dataset's own; accuracy, unless one class holds over "
        "90 % of the labels)."
    ),
]
Engine = Annotated[str, typer.Option(help="auto, cpu (fused) or torch.")]


def open_graph(
    name: str | None,
    edges: Path | None = None,
    nodes: Path | None = None,
    label: str | None = None,
    id: str | None = None,
    columns: Sequence[str] | None = None,
    data_dir: Path | None = None,
) -> Graph:
    """The graph a command was asked to work on."""
    from lsgnn.datasets import load
    from lsgnn.graph.graph import Graph
    from lsgnn.graph.io.tables import read_tables

    if (name is None) == (edges is None):
        raise InputError("which graph? pass a dataset name or .npz file, or else --edges TABLE (and --nodes TABLE)")
    if edges is not None:
        with progress(f"reading {edges.name}", None):
            # the whole file name: a table called texas.csv is not the dataset `texas`
            return read_tables(edges, nodes, label=label, id=id, name=edges.name, **parse_columns(columns or ()))
    given = {"--nodes": nodes, "--label": label, "--id": id, "--column": columns or None}
    if stray := [option for option, value in given.items() if value is not None]:
        raise InputError(f"{stray[0]} goes with --edges TABLE, but the graph is {name!r}: drop one of them")
    assert name is not None
    with progress(f"reading {name}", None):
        return Graph.load(name) if name.endswith(".npz") else load(name, data_dir)


def as_typed(
    name: str | None,
    edges: Path | None,
    nodes: Path | None,
    label: str | None,
    id: str | None,
    columns: Sequence[str] | None,
) -> str:
    """The same graph as words of a command line, for a command that is suggested to the user."""
    given = {"--edges": edges, "--nodes": nodes, "--label": label, "--id": id}
    words = [name] if name else [word for option, value in given.items() if value for word in (option, str(value))]
    return shlex.join([*words, *(word for column in columns or () for word in ("--column", column))])


def parse_columns(columns: Sequence[str]) -> dict[str, Any]:
    """`["source=from", "features=age,size"]` → arguments of `read_tables`."""
    roles = ("source", "target", "weight", "split", "features", "categories")
    found: dict[str, Any] = {}
    for column in columns:
        role, separator, name = column.partition("=")
        if not separator or not name or role not in roles:
            raise InputError(
                f"--column {column!r} names no column: write ROLE=NAME with ROLE one of {', '.join(roles)}"
            )
        if role in ("features", "categories"):
            found[role] = [*found.get(role, ()), *name.split(",")]
        elif role in found:
            raise InputError(f"--column {column!r} names a second {role}: there is one, {found[role]!r}; drop either")
        else:
            found[role] = name
    return found


def draft_and_splits(graph: Graph, kind: str, changes: Sequence[str], model: str = "lsgnn") -> tuple[Draft, Splits]:
    """The preset of a graph (a draft that the validation nodes complete, if it is the user's own) with changes, and
    the splits that go with it."""
    from lsgnn import zoo
    from lsgnn.datasets import names, preset, preset_splits
    from lsgnn.graph.split_checks import default_splits
    from lsgnn.runs.defaults import Draft, draft

    known = graph.name in names() and model == "lsgnn"
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


def check_places(*places: tuple[Path | None, tuple[str, ...]]) -> None:
    """Raises before any work is done if an output file could not be written: (path, endings it may have)."""
    for path, endings in places:
        if path is None:
            continue
        if endings and path.suffix not in endings:
            raise InputError(f"cannot write {path.name!r}: the name must end in {' or '.join(endings)}")
        require_name(path)
        if not path.expanduser().resolve().parent.is_dir():
            raise InputError(f"cannot write {path}: the folder {path.parent} does not exist; create it first")
        if endings and path.is_dir():
            raise InputError(f"cannot write {path}: it is a folder; name a file in it")


def parse_splits(text: str, count: int) -> list[int]:
    """`all`, `3` or `0,2,5` → split numbers."""
    if text == "all":
        return list(range(count))
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--splits {text!r} is not 'all' or numbers such as 0,2,5") from None
    if bad := [s for s in numbers if not 0 <= s < count]:
        raise InputError(f"--splits {bad[0]}: the graph has splits 0..{count - 1}")
    if len(set(numbers)) < len(numbers):
        raise InputError(f"--splits {text} names a split twice: name each once")
    return numbers


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


def checked_choice(option: str, value: str, choices: Sequence[str]) -> Any:
    if value not in choices:
        raise InputError(f"{option} {value!r} is not a choice: use one of {', '.join(choices)}")
    return value
