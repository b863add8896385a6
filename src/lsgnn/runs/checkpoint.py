"""A `Run` on disk: a folder of plain files that any tool can open and that executes nothing when loaded.

`model.safetensors` weights (those of member m named `m.…`) · `config.toml` settings · `metrics.json` scores, times,
temperature, environment · `history.jsonl` one line per member and epoch · `graph.npz` the graph with its ids, classes
and the split used.
"""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from lsgnn import zoo
from lsgnn.errors import InputError
from lsgnn.files import write_folder_atomically
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split, Splits
from lsgnn.runs.run import Run
from lsgnn.train.selection import BestEpoch
from lsgnn.train.trained import Epoch, Trained

FILES = ("model.safetensors", "config.toml", "metrics.json", "history.jsonl", "graph.npz")


def save_run(run: Run, folder: Path) -> None:
    """Writes the run beside `folder` and renames it into place; refuses to replace anything but a run."""
    if folder.exists() and any(folder.iterdir() if folder.is_dir() else [folder]) and not is_run(folder):
        raise InputError(f"{folder} exists and is not a run: choose another folder or remove it first")
    split = run.split
    graph = replace(run.graph, splits=Splits(split.train, split.val, split.test), notes=())
    summary = run.summary() | {"member_seconds": [member.seconds for member in run.members]}
    with write_folder_atomically(folder) as new:
        (new / "model.safetensors").write_bytes(save(_flat(run)))  # with the user's umask, unlike `save_file`
        _write(new / "config.toml", f"model = {json.dumps(run.model)}\n" + run.config.to_toml())
        _write(new / "metrics.json", json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
        lines = ({"member": m} | epoch for m, member in enumerate(run.members) for epoch in member.history)
        _write(new / "history.jsonl", "".join(json.dumps(_null_for_nan(line)) + "\n" for line in lines))
        graph.save(new / "graph.npz")


def read_config(text: str) -> tuple[str, Any]:
    """The model's name and its settings, from a table that may leave the model out where it is LSGNN."""
    table = tomllib.loads(text)
    model = str(table.pop("model", "lsgnn"))
    return model, zoo.get(model).config.from_dict(table)


def is_run(folder: Path) -> bool:
    return all((folder / name).is_file() for name in FILES)


def load_run(folder: Path) -> Run:
    """Reads a folder written by `save_run`."""
    missing = [name for name in FILES if not (folder / name).is_file()]
    if (folder / "stored_run.json").is_file():
        raise InputError(f"{folder} is a run on a store, which has the graph: use `lsgnn predict {folder} STORE`")
    if missing:
        raise InputError(f"{folder} is not a run: it has no {missing[0]}; pass a folder written by `lsgnn fit --out`")
    weights = _read_weights(folder)
    name = "config.toml"
    try:
        model, config = read_config(_read(folder / name))
        name = "metrics.json"
        summary: dict[str, Any] = json.loads(_read(folder / name))
        seconds = {str(what): float(value) for what, value in summary["seconds"].items()}
        member_seconds = [float(value) for value in summary["member_seconds"]]
        temperature = _positive(summary["temperature"])
        environment = {str(what): str(value) for what, value in summary["environment"].items()}
        notes = tuple(map(str, summary["notes"]))
        title = str(summary["graph"])
        name = "history.jsonl"
        history = [_nan_for_null(json.loads(line)) for line in _read(folder / name).splitlines()]
        members = _members(weights, history, member_seconds, config)
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:  # what broken text makes readers raise
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{folder / name} is damaged ({reason.splitlines()[0]}): restore it or train again") from error
    graph = replace(Graph.load(folder / "graph.npz"), name=title, notes=())
    run = Run(
        graph=graph,
        model=model,
        config=config,
        split=graph.splits[0] if graph.splits is not None else _no_split(graph.num_nodes),
        members=members,
        seconds=seconds,
        environment=environment,
        notes=notes,
        known_temperature=temperature,
    )
    _require_fit(run, folder)
    return run


def _read_weights(folder: Path) -> dict[str, Tensor]:
    try:
        return load_file(folder / "model.safetensors")
    except (SafetensorError, ValueError, OSError) as error:
        raise InputError(
            f"{folder / 'model.safetensors'} is damaged or unreadable ({error}): restore it or train again"
        ) from error


def _require_fit(run: Run, folder: Path) -> None:
    """The files of a run belong together: weights, settings and graph must be of the same shape."""
    try:
        modules = run.modules
    except (RuntimeError, KeyError) as error:
        raise InputError(f"the weights of {folder} do not fit its config.toml: restore it or train again") from error
    shape = (run.graph.num_features, run.graph.num_classes)
    # LSGNN's shape is that of its weights; other models are built after the graph, and weights that differ do not load
    if run.model == "lsgnn" and any((m.in_channels, m.out_channels) != shape for m in modules):
        raise InputError(f"the weights of {folder} do not fit its graph.npz: restore it or train again")


def _flat(run: Run) -> dict[str, Tensor]:
    states = enumerate(member.state_dict for member in run.members)
    return {f"{m}.{name}": tensor.contiguous() for m, state in states for name, tensor in state.items()}


def _members(
    weights: dict[str, Tensor], history: list[dict[str, Any]], seconds: list[float], config: Any
) -> tuple[Trained, ...]:
    """The training runs back from their files; the best epoch follows from the history (0 where nothing is trained)."""
    members = []
    for m, time in enumerate(seconds):
        epochs = [_epoch(line) for line in history if line["member"] == m]
        best = BestEpoch(config.select_by)
        for epoch in epochs:
            best.improved(epoch)
        if epochs and not best.epoch:
            raise ValueError(f"no epoch of member {m} has a loss")
        state = {name.partition(".")[2]: tensor for name, tensor in weights.items() if name.startswith(f"{m}.")}
        members.append(Trained(state, best.epoch, epochs, time))
    if not members:
        raise ValueError("there is no member")
    return tuple(members)


def _epoch(line: dict[str, Any]) -> Epoch:
    for key in Epoch.__required_keys__:
        line[key] + 0  # a number, or an error here rather than in a plot
    return cast(Epoch, {key: value for key, value in line.items() if key != "member"})


def _null_for_nan(line: dict[str, Any]) -> dict[str, Any]:
    """JSON has no NaN or infinity, and a line that other tools refuse to read is of no use."""
    return {key: value if math.isfinite(value) else None for key, value in line.items()}


def _nan_for_null(line: dict[str, Any]) -> dict[str, Any]:
    return {key: math.nan if value is None else value for key, value in line.items()}


def _positive(temperature: Any) -> float:
    if not 0 < float(temperature) < math.inf:
        raise ValueError(f"the temperature is {temperature}")
    return float(temperature)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _no_split(n: int) -> Split:
    return Split(*np.zeros((3, n), dtype=bool))
