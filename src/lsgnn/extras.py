"""Optional dependencies: imported where they are used, with the command that installs them if they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lsgnn.errors import InputError


def optional(module: str, extra: str) -> Any:
    """The module, or an error that names the extra (`pip install 'lsgnn[extra]'`) it comes with."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f"{error.name} is not installed: run pip install 'lsgnn[{extra}]'") from error
