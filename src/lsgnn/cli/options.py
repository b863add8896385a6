"""Arguments that several commands share, and checks of what is given for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from lsgnn.errors import InputError
from lsgnn.files import require_name

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


def checked_choice(option: str, value: str, choices: Sequence[str]) -> Any:
    if value not in choices:
        raise InputError(f"{option} {value!r} is not a choice: use one of {', '.join(choices)}")
    return value
