"""`NewNode`: a node as a client describes it and as the journal keeps it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class NewEdge:
    """An edge between two ids; without a weight, it is one."""

    source: str | int
    target: str | int
    weight: float | None = None


@dataclass(frozen=True)
class NewNode:
    """A node to attach.

    Args:
        id: its name; no other node has it.
        features: values by the name of the column, or all of them in order.
        edges: those of the node; one end of each is the node itself.
        label: its class, if it is known; read when a run is trained again.
    """

    id: str | int
    features: Mapping[str, Any] | tuple[float, ...]
    edges: tuple[NewEdge, ...] = ()
    label: str | None = None

    def to_json(self) -> str:
        """One spelling for one content, whatever the order in which a client wrote it."""
        edges = sorted(([e.source, e.target, e.weight] for e in self.edges), key=json.dumps)
        features = dict(self.features) if isinstance(self.features, Mapping) else list(self.features)
        content = {"id": self.id, "features": features, "edges": edges, "label": self.label}
        return json.dumps(content, sort_keys=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> NewNode:
        """The way back; raises ValueError, KeyError or TypeError where the text is damaged."""
        content: Any = json.loads(text)
        features = content["features"]
        return cls(
            content["id"],
            features if isinstance(features, dict) else tuple(features),
            tuple(NewEdge(*edge) for edge in content["edges"]),
            content["label"],
        )


def digest_of(text: str) -> str:
    """By which the journal recognises a node that is sent again, and a damaged one."""
    return hashlib.sha256(text.encode()).hexdigest()
