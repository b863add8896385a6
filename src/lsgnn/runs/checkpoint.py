"""A `Run` on disk: a folder of plain files that any tool can open and that executes nothing when loaded.

`model.safetensors` weights (those of member m named `m.…`) · `config.toml` settings · `metrics.json` scores, times,
temperature, metric, decision, environment · `history.jsonl` one line per member and epoch · `graph.npz` the graph with
its ids, classes and the split used · `digests.json` the SHA-256 of each of them. Nothing is read from a folder unless
all of them are what was written, together.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from lsgnn import zoo
from lsgnn.digests import DIGESTS, verify_digests, write_digests
from lsgnn.errors import InputError
from lsgnn.files import plain, require_name, undo_exchange, write_folder_atomically
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split, Splits
from lsgnn.runs.blend import NAME as BLEND
from lsgnn.runs.blend import Blend, BoardRow, Part
from lsgnn.runs.member_weights import flat_weights, weights_by_member
from lsgnn.runs.run import Run
from lsgnn.runs.tried import Tried
from lsgnn.train.decision import decision_of
from lsgnn.train.metrics import about
from lsgnn.train.saved_history import at_least_zero, read_history, write_history
from lsgnn.train.selection import BestEpoch
from lsgnn.train.trained import Epoch, Trained

CONTENT = ("model.safetensors", "config.toml", "metrics.json", "history.jsonl", "graph.npz")
FILES = (*CONTENT, DIGESTS)


def save_run(run: Run, folder: Path) -> None:
    """Writes the files of the run into `folder`, all or none; files that are not of a run stay there."""
    require_place(folder)
    split = run.split
    graph = replace(run.graph, splits=Splits(split.train, split.val, split.test), notes=())
    summary = run.summary() | {"member_seconds": [member.seconds for member in run.members]}
    with write_folder_atomically(folder) as new:
        # with the user's umask, unlike `save_file`
        (new / "model.safetensors").write_bytes(save(flat_weights(run.members)))
        _write(new / "config.toml", run.settings_toml())
        _write(new / "metrics.json", json.dumps(plain(summary), indent=2, ensure_ascii=False, allow_nan=False) + "\n")
        _write(new / "history.jsonl", write_history([member.history for member in run.members]))
        graph.save(new / "graph.npz")
        write_digests(new, CONTENT)


def require_place(folder: Path) -> None:
    """Raises unless a run may be written there: into a new or empty folder, or over another run."""
    require_name(folder)
    if folder.exists() and any(folder.iterdir() if folder.is_dir() else [folder]) and not is_run(folder):
        raise InputError(f"{folder} exists and is not a run: choose another folder or remove it first")


def read_config(text: str) -> tuple[str, Any]:
    """The model's name and its settings, from a table that may leave the model out where it is LSGNN.

    The settings of an ensemble of several models are those of each: (model, configuration, share).
    """
    table = tomllib.loads(text)
    model = str(table.pop("model", "lsgnn"))
    if model != BLEND:
        return model, zoo.get(model).config.from_dict(table)
    parts = [
        (str(own["model"]), zoo.get(str(own["model"])).config.from_dict(own["config"]), at_least_zero(own["share"]))
        for own in table["members"]
    ]
    if not parts:
        raise ValueError("the ensemble has no member")
    return model, parts


def is_run(folder: Path) -> bool:
    undo_exchange(folder)
    return all((folder / name).is_file() for name in CONTENT)


def load_run(folder: Path) -> Run:
    """Reads a folder written by `save_run`."""
    require_name(folder)
    undo_exchange(folder)
    if (folder / "stored_run.json").is_file():
        raise InputError(f"{folder} is a run on a store, which has the graph: predict a store with it")
    if missing := [name for name in CONTENT if not (folder / name).is_file()]:
        raise InputError(f"{folder} is not a run: it has no {missing[0]}; pass a folder in which a run was saved")
    verify_digests(folder, CONTENT)
    weights = _read_weights(folder)
    name = "config.toml"
    try:
        model, config = read_config(_read(folder / name))
        name = "metrics.json"
        summary: dict[str, Any] = json.loads(_read(folder / name), parse_constant=_refuse)
        seconds = {str(what): at_least_zero(value) for what, value in summary["seconds"].items()}
        member_seconds = [at_least_zero(value) for value in summary["member_seconds"]]
        temperature = _temperature(summary["temperature"])
        metric, decision = about(summary["metric"]).name, decision_of(summary["decision"])
        environment = {str(what): str(value) for what, value in summary["environment"].items()}
        notes, title = tuple(summary["notes"]), summary["graph"]
        if not all(isinstance(text, str) for text in (title, *notes)):
            raise TypeError("its notes and the name of the graph must be text")
        name = "history.jsonl"
        history = read_history(_read(folder / name), len(member_seconds))
        models = [(name, own) for name, own, _ in config] if model == BLEND else [(model, config)] * len(history)
        best = [
            _best(epochs, own) if zoo.get(whose).learns else 0
            for (whose, own), epochs in zip(models, history, strict=True)
        ]
        tried = tuple(Tried.of(row) for row in summary["tried"])
        board = tuple(BoardRow.of(row) for row in summary.get("board", ()))
        name = "model.safetensors"
        states = weights_by_member(weights, len(member_seconds))
    # what broken text makes readers raise
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError, OSError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{folder / name} is damaged ({reason.splitlines()[0]}): restore it or train again") from error
    graph = replace(Graph.load(folder / "graph.npz"), name=title, notes=())
    members = tuple(map(Trained, states, best, history, member_seconds))
    shared: dict[str, Any] = dict(
        graph=graph,
        split=graph.splits[0] if graph.splits is not None else _no_split(graph.num_nodes),
        members=members,
        seconds=seconds,
        environment=environment,
        notes=notes,
        known_temperature=temperature,
        metric=metric,
        decision=decision,
        tried=tried,
    )
    run = Run(model=model, config=config, **shared) if model != BLEND else _blend(config, board, shared)
    _require_fit(run, folder)
    return run


def _blend(settings: list[tuple[str, Any, float]], board: tuple[BoardRow, ...], shared: dict[str, Any]) -> Blend:
    parts = tuple(
        Part(model, config, trained, share)
        for (model, config, share), trained in zip(settings, shared["members"], strict=True)
    )
    return Blend(config=parts[0].config, parts=parts, board=board, **shared)


def _read_weights(folder: Path) -> dict[str, Tensor]:
    file = folder / "model.safetensors"
    try:
        weights = load_file(file)
    except (SafetensorError, ValueError, OSError) as error:
        raise InputError(f"{file} is damaged or unreadable ({error}): restore it or train again") from error
    for name, tensor in weights.items():
        if tensor.is_floating_point() and not bool(tensor.isfinite().all()):
            raise InputError(f"{file} is damaged ({name} holds no finite numbers): restore it or train again")
    return weights


def _require_fit(run: Run, folder: Path) -> None:
    """The files of a run belong together: weights, settings and graph must be of the same shape."""
    try:
        modules = run.modules
    except (RuntimeError, KeyError, IndexError, AttributeError) as error:
        raise InputError(f"the weights of {folder} do not fit its config.toml: restore it or train again") from error
    if any(parameter.dtype != torch.float32 for module in modules for parameter in module.parameters()):
        raise InputError(f"{folder / 'model.safetensors'} is damaged (it is not of single precision): train again")
    if run.decision is not None and run.graph.num_classes != 2:
        raise InputError(
            f"the decision of {folder} does not fit the classes of its graph.npz: restore it or train again"
        )
    # LSGNN's shape is that of its weights; other models are built after the graph, and weights that differ do not load
    if run.model != "lsgnn":
        return
    shape = (run.inputs.x.shape[1], run.graph.num_classes)
    if any((m.in_channels, m.out_channels) != shape for m in modules):
        raise InputError(f"the weights of {folder} do not fit its graph.npz: restore it or train again")


def _best(history: list[Epoch], config: Any) -> int:
    """The best epoch follows from the history by the selection rule."""
    best = BestEpoch(config.select_by)
    for epoch in history:
        best.improved(epoch)
    if not best.epoch:
        raise ValueError("no epoch has a loss")
    return best.epoch


def _temperature(value: Any) -> float:
    if not at_least_zero(value) > 0:
        raise ValueError(f"the temperature is {value}")
    return float(value)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _no_split(n: int) -> Split:
    return Split(*np.zeros((3, n), dtype=bool))
