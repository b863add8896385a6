"""From ids to numbers, kept up to date while nodes arrive; 17 finds "17" and the other way round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lsgnn.graph.graph import Graph
from lsgnn.graph.lookup import find, spellings

COMPARED = 5_000  # ids that a mistyped one is compared with: a wrong request must not cost more than a right one


class NodeIndex:
    """The numbers of a graph's nodes, and of those that were kept after them."""

    def __init__(self, graph: Graph) -> None:
        self.name = graph.name
        self.ids: list[Any] = graph.node_ids.tolist()
        self._number = {id: number for number, id in enumerate(self.ids)}

    def __len__(self) -> int:
        return len(self.ids)

    def get(self, id: Any) -> int | None:
        """The number of a node, or None where there is none of that id."""
        return next((self._number[found] for found in spellings(id) if found in self._number), None)

    def find(self, id: Any) -> int:
        """The same; an id that is not there is an `InputError` that names the nearest ones."""
        number = self.get(id)
        return int(find(self._number, [id], self.name, COMPARED)[0]) if number is None else number

    def append(self, ids: Iterable[Any]) -> None:
        for id in ids:
            self._number[id] = len(self.ids)
            self.ids.append(id)
