"""Arguments that several commands share: which graph, and which settings."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsgnn.cli.show import progress, say
from lsgnn.errors import InputError
from lsgnn.files import require_name

if TYPE_CHECKING:
    from lsgnn.config import LSGNNConfig
    from lsgnn.graph.graph import Graph
    from lsgnn.graph.splits import Split, Splits
    from lsgnn.runs.defaults import Draft

GraphName = Annotated[
    str | None,
    typer.Argument(
        metavar="[GRAPH]", help="A dataset name, a .npz, .mat, GraphML or edge list, or a folder.", show_default=False
    ),
]
Edges = Annotated[Path | None, typer.Option(help="Edge table (CSV, Parquet) for GRAPH.", rich_help_panel="Tables")]
Nodes = Annotated[Path | None, typer.Option(help="Node table with ids, features, labels.", rich_help_panel="Tables")]
Label = Annotated[str | None, typer.Option(help="Column of the class.", rich_help_panel="Tables")]
Id = Annotated[str | None, typer.Option(help="Column of the node id.", rich_help_panel="Tables")]
Column = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ROLE=NAME",
        help="Column that is source, target, weight or split; those of features, joined by commas; or those that are "
        "taken for the wrong thing: number, category, date, text, or id and constant, which are left out; repeatable.",
        rich_help_panel="Tables",
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        help="Missing numbers and dates: impute (the median, and a 0/1 feature that says where) or error.",
        rich_help_panel="Tables",
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(help="What separates columns: , ; tab | (default: detected).", rich_help_panel="Tables"),
]
Name = Annotated[
    str | None, typer.Option(help="The graph's name (default: that of its folder).", rich_help_panel="Tables")
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
    graph: str | None,
    edges: Path | None = None,
    nodes: Path | None = None,
    label: str | None = None,
    id: str | None = None,
    columns: Sequence[str] | None = None,
    data_dir: Path | None = None,
    *,
    missing: str = "impute",
    delimiter: str | None = None,
    name: str | None = None,
    like: Graph | None = None,
) -> Graph:
    """The graph a command was asked to work on; tables are read as those of `like` were, if it is given."""
    if (graph is None) == (edges is None):
        raise InputError(
            "which graph? pass a dataset name, a file or a folder, or else --edges TABLE (and --nodes TABLE)"
        )
    if graph is not None and (tables := tables_of(graph)):
        edges, nodes = tables[0], nodes or tables[1]
    if edges is not None:
        from lsgnn.graph.io.tables import read_tables

        checked_choice("--missing", missing, ("impute", "error"))
        named: dict[str, Any] = dict(label=label, id=id, missing=missing, delimiter=delimiter, like=like)
        with progress(f"reading {edges.name}", None):
            read = read_tables(edges, nodes, name=name, **named, **parse_columns(columns or ()))
        if like is None:
            tell_columns(read)
        return read
    given = {"--nodes": nodes, "--label": label, "--id": id, "--column": columns or None, "--delimiter": delimiter}
    given["--missing"] = missing if missing != "impute" else None
    if stray := [option for option, value in given.items() if value is not None]:
        raise InputError(f"{stray[0]} goes with --edges TABLE, but the graph is {graph!r}: drop one of them")
    assert graph is not None
    with progress(f"reading {graph}", None):
        return opened(graph, name, data_dir)


def tables_of(graph: str) -> tuple[Path, Path | None] | None:
    """The edge and node tables of a folder, if that is what the graph is."""
    from lsgnn.datasets import names
    from lsgnn.graph.paths import expanded, is_folder

    folder = expanded(graph)
    if graph in names() or not is_folder(folder):
        return None
    from lsgnn.graph.io.ogb_folder import is_ogb_folder
    from lsgnn.graph.io.table_folder import find_tables

    return None if is_ogb_folder(folder) else find_tables(folder)


def opened(graph: str, name: str | None, data_dir: Path | None) -> Graph:
    """A graph by its dataset name or by its path."""
    from lsgnn.datasets import load, names
    from lsgnn.datasets.open_path import TABLE_SUFFIXES, open_path
    from lsgnn.graph.paths import expanded, is_file, is_folder

    path = expanded(graph)
    if graph not in names() and (graph.endswith((".npz", *TABLE_SUFFIXES)) or is_file(path) or is_folder(path)):
        return open_path(path, name)
    if name is not None:
        raise InputError(f"--name is for tables and files, but {graph!r} is a dataset: drop it")
    return load(graph, data_dir)


def tell_columns(graph: Graph) -> None:
    """Says what the columns of a table were taken for, unless all are plain numbers."""
    from lsgnn.cli.column_table import is_plain, lines_of

    if graph.columns is not None and not all(map(is_plain, graph.columns.rows())):
        for line in lines_of(graph.columns):
            say(line)


def as_typed(
    graph: str | None,
    edges: Path | None,
    nodes: Path | None,
    label: str | None,
    id: str | None,
    columns: Sequence[str] | None,
    missing: str = "impute",
    delimiter: str | None = None,
    name: str | None = None,
    data_dir: Path | None = None,
) -> str:
    """The same graph as words of a command line, for a command that is suggested to the user."""
    given = {"--edges": edges, "--nodes": nodes, "--label": label, "--id": id}
    given |= {"--missing": missing if missing != "impute" else None, "--delimiter": delimiter, "--name": name}
    words = [word for option, value in given.items() if value for word in (option, str(value))]
    words += [word for column in columns or () for word in ("--column", column)]
    words += ["--data-dir", str(data_dir)] if data_dir is not None else []
    return shlex.join([*([graph] if graph else []), *words])


def parse_columns(columns: Sequence[str]) -> dict[str, Any]:
    """`["source=from", "features=age,size", "date=born"]` → arguments of `read_tables`."""
    from lsgnn.graph.io.roles import ROLES

    places = ("source", "target", "weight", "split")
    found: dict[str, Any] = {}
    for column in columns:
        role, separator, name = column.partition("=")
        known = (*places, "features", "categories", *ROLES)
        if not separator or not name or role not in known:
            raise InputError(
                f"--column {column!r} names no column: write ROLE=NAME with ROLE one of {', '.join(known)}"
            )
        if role in ("features", "categories"):
            found[role] = [*found.get(role, ()), *name.split(",")]
        elif role in ROLES:
            found["roles"] = found.get("roles", {}) | dict.fromkeys(name.split(","), role)
        elif role in found:
            raise InputError(f"--column {column!r} names a second {role}: there is one, {found[role]!r}; drop either")
        else:
            found[role] = name
    return found


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
