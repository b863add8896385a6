"""Pickles that do something when a general unpickler reads them: leave a file behind, or fill a list of this module."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np

FIRED: list[object] = []


def fire(*arguments: object) -> dict[str, object]:
    """What a hostile pickle calls in tests that look at thousands of them."""
    FIRED.append(arguments)
    return {}


class Touches:
    """Once unpickled, the file at `path` exists."""

    def __init__(self, path: Path) -> None:
        self.command = f"touch {path}"

    def __reduce__(self) -> Any:
        return os.system, (self.command,)


class Evaluates(Touches):
    def __reduce__(self) -> Any:
        return eval, (f"__import__('os').system({self.command!r})",)


def hostile_pickles(path: Path) -> dict[str, bytes]:
    """Name → pickle; each leaves `path` behind where it is believed."""
    shell = f"touch {path}".encode()
    objects = np.array([Touches(path)], dtype=object)
    return {
        **{f"os.system, protocol {protocol}": pickle.dumps(Touches(path), protocol) for protocol in (0, 2, 4)},
        "eval": pickle.dumps(Evaluates(path), 2),
        "an array of objects": pickle.dumps(objects, 2),
        "an object beside an array": pickle.dumps([np.eye(2), Touches(path)], 2),
        "INST": b"(S'" + shell + b"'\nios\nsystem\n.",
        "OBJ": b"(cos\nsystem\nS'" + shell + b"'\no.",
        "a name inside a name": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c" + bytes([len(shell)]) + shell + b"\x85R.",
    }
