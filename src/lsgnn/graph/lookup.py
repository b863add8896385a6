"""From the user's node ids to node numbers; used by everything that is asked about single nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph

MAX_COMPARED = 100_000  # ids compared with a mistyped one: more would take seconds


def number_of(graph: Graph, node_id: Any) -> int:
    """The number of the node with this id; 17 finds "17" and the other way round."""
    return int(numbers_of(graph, [node_id])[0])


def numbers_of(graph: Graph, node_ids: Iterable[Any]) -> NDArray[np.int64]:
    """The numbers of several nodes."""
    return find({id: i for i, id in enumerate(graph.node_ids.tolist())}, node_ids, graph.name)


def find(
    number: Mapping[Any, int], node_ids: Iterable[Any], where: str, compared: int = MAX_COMPARED
) -> NDArray[np.int64]:
    """Looks ids up in a table of numbers; an id that is not there is an error that names the nearest of `compared`."""
    ids = [id.item() if hasattr(id, "item") else id for id in node_ids]
    return np.array([_one(number, id, where, compared) for id in ids], dtype=np.int64)


def spellings(id: Any) -> list[str | int]:
    """The ids that may be meant: the one given first, then the same as text and as a whole number."""
    return [candidate for candidate in (id, str(id), _as_integer(id)) if isinstance(candidate, str | int)]


def _one(number: Mapping[Any, int], id: Any, where: str, compared: int) -> int:
    for candidate in spellings(id):
        if candidate in number:
            return number[candidate]
    known = [str(name) for name, _ in zip(number, range(compared), strict=False)]
    near = get_close_matches(str(id), known, n=3)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"ids look like {', '.join(known[:3])}"
    raise InputError(f"{where} has no node {id!r}: {hint}")


def _as_integer(id: Any) -> int | None:
    try:
        return int(id) if float(id) == int(id) else None
    except (TypeError, ValueError, OverflowError):
        return None
