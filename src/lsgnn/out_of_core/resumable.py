"""A training run on a store that may be killed: what it needs to go on after its last epoch, in one file.

Weights, the best ones so far, the optimiser's moments, the history and the random state of every process. A file of
other data, settings or processes is not gone on from, but replaced.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from lsgnn.errors import InputError
from lsgnn.files import plain, write_atomically
from lsgnn.out_of_core.world import World
from lsgnn.train.loop import Begun
from lsgnn.train.saved_history import read_history, write_history
from lsgnn.train.trained import Epoch

PARTS = ("model", "best", "optimizer")


@dataclass(frozen=True, eq=False)
class Resumable:
    """The file of one training run.

    Args:
        decides: everything that decides how the run goes.
    """

    file: Path
    decides: Any
    world: World

    def begun(self, model: nn.Module) -> tuple[Begun, dict[str, Tensor]] | None:
        """Where the run was left, and the optimiser's moments; the model gets its weights and this process its random
        state. None if it has not begun."""
        found = self.world.of_first(self._read)
        if found is None:
            return None
        tensors, history = found
        parts = {part: _under(part, tensors) for part in PARTS}
        model.load_state_dict(parts["model"])
        torch.set_rng_state(tensors["random"][self.world.rank].clone())  # torch crashes on a part of another tensor
        return Begun(history, parts["best"]), parts["optimizer"]

    def keep(
        self, model: nn.Module, optimizer: torch.optim.Optimizer, history: list[Epoch], best: Mapping[str, Tensor]
    ) -> None:
        """Writes the state after an epoch, whole or not at all; called by all processes, as each has a random state."""
        own = torch.get_rng_state()
        random = self.world.joined(own.unsqueeze(0), self.world.size)
        if not self.world.is_first:
            return
        tensors = _named("model", model.state_dict()) | _named("best", best) | {"random": random}
        tensors |= _named("optimizer", _flat(optimizer.state_dict()["state"]))
        about = json.dumps([self._identity, write_history([history])])
        with write_atomically(self.file) as file:
            file.write(save(tensors, {"about": about, "digest": _digest(tensors, about)}))

    @property
    def _identity(self) -> str:
        return hashlib.sha256(json.dumps(plain(self.decides), sort_keys=True).encode()).hexdigest()

    def _read(self) -> tuple[dict[str, Tensor], list[Epoch]] | None:
        if not self.file.exists():
            return None
        try:
            with safe_open(self.file, "pt") as opened:
                about, digest = (opened.metadata()[name] for name in ("about", "digest"))
                tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  # no mapping
        except (SafetensorError, OSError, KeyError, TypeError) as error:
            raise self._damaged() from error
        if _digest(tensors, about) != digest:
            raise self._damaged()
        identity, history = json.loads(about)
        return (tensors, read_history(history, 1)[0]) if identity == self._identity else None

    def _damaged(self) -> InputError:
        return InputError(f"{self.file} is damaged: remove it, and training begins anew")


def moments_loaded(optimizer: torch.optim.Optimizer, moments: Mapping[str, Tensor]) -> None:
    """Gives an optimiser the state that `Resumable.begun` read."""
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in moments.items():
        number, _, moment = name.partition(".")
        state.setdefault(int(number), {})[moment] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _flat(state: Mapping[int, Mapping[str, Tensor]]) -> dict[str, Tensor]:
    return {f"{number}.{name}": tensor for number, moments in state.items() for name, tensor in moments.items()}


def _named(part: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {f"{part}/{name}": tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}


def _under(part: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.partition("/")[2]: tensor for name, tensor in tensors.items() if name.startswith(f"{part}/")}


def _digest(tensors: Mapping[str, Tensor], about: str) -> str:
    digest = hashlib.sha256(about.encode())
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].numpy().tobytes())
    return digest.hexdigest()
