"""What a service is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from lsgnn.errors import InputError
from lsgnn.runs.predictions import Predictions
from lsgnn.serving.new_node import NewNode


class Conflict(InputError):
    """A node is kept already, and was described differently then."""


@dataclass(frozen=True)
class KnownRequest:
    """Which classes do these nodes have?"""

    ids: Sequence[str | int]
    threshold: float | None = None
    persist: ClassVar[bool] = False


@dataclass(frozen=True)
class NewRequest:
    """Which classes do these new nodes have, and shall they be kept?"""

    nodes: Sequence[NewNode]
    persist: bool = False
    threshold: float | None = None


@dataclass(frozen=True)
class Answer:
    """Predictions in the order of the request, notes on them, and how many nodes were kept for the first time."""

    predictions: Predictions
    notes: tuple[str, ...] = ()
    kept: int = 0


Request = KnownRequest | NewRequest
