"""All models, one file each, behind one protocol (`lsgnn.zoo.protocol`): LSGNN and its baselines.

>>> from lsgnn import zoo
>>> zoo.get("gcn").title
'GCN'

A model's file is imported when it is asked for, so that listing them costs nothing.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lsgnn.errors import InputError

if TYPE_CHECKING:
    from lsgnn.zoo.protocol import Model

__all__ = ["get", "names"]

_NAMES = (
    "lsgnn",
    *("mlp", "gcn", "sgc", "gat", "mixhop", "gcnii", "geom_gcn", "h2gcn", "wrgat", "gprgnn", "linkx", "acm_gcn"),
    *("ggcn", "glognn", "dagnn", "appnp", "fagcn", "cpgnn", "asgc", "fsgnn", "dir_gnn"),
    *("classic", "trees"),
    *("majority", "twin_lookup", "label_propagation"),
)


def names() -> tuple[str, ...]:
    """All models: LSGNN, the baselines in the order of the paper's table, what came later, three without weights."""
    return _NAMES


def get(name: str) -> Model[Any]:
    """The model of that name."""
    if name not in _NAMES:
        near = get_close_matches(name.lower().replace("-", "_"), _NAMES, n=3)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"choose one of {', '.join(_NAMES)}"
        raise InputError(f"there is no model {name!r} in the zoo: {hint}")
    model: Model[Any] = import_module(f"lsgnn.zoo.{name}").MODEL
    return model
