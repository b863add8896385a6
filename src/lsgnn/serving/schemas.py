"""What clients send and get, as pydantic models: they check requests and make the OpenAPI description."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from lsgnn.graph.shown import short
from lsgnn.serving.new_node import NewEdge, NewNode

LONGEST_ID = 500  # characters
NO_TEXT = re.compile("[\0\ud800-\udfff]")  # zero, and halves of characters


def _checked_id(value: Any) -> str | int:
    if type(value) is int and -(2**63) <= value < 2**63:
        return value
    if type(value) is str and 0 < len(value) <= LONGEST_ID and not NO_TEXT.search(value):
        return value
    raise ValueError(f"should be a whole number or text of 1 to {LONGEST_ID} characters")


def _checked_features(value: Any) -> Any:
    if isinstance(value, dict):
        return value
    if isinstance(value, list) and all(type(number) in (int, float) for number in value):
        return value
    raise ValueError("should be an object of values by feature name, or a list of all numbers in their order")


NodeId = Annotated[
    str | int,
    BeforeValidator(_checked_id),
    WithJsonSchema({"anyOf": [{"type": "string", "maxLength": LONGEST_ID}, {"type": "integer"}], "title": "id"}),
]
Features = Annotated[
    Any,
    BeforeValidator(_checked_features),
    WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "number"}}]}),
]
Threshold = Annotated[
    float | None,
    Field(ge=0, le=1, description="Two classes: positive from this probability on, instead of the run's threshold."),
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class KnownNodes(_Strict):
    """Nodes of the run's graph, or nodes that were kept."""

    ids: list[NodeId] = Field(min_length=1, examples=[["apt", "dpkg"]])
    threshold: Threshold = None


class Edge(_Strict):
    """An edge of a new node; the end that is left out is the node itself."""

    source: NodeId | None = None
    target: NodeId | None = None
    weight: float | None = Field(None, gt=0, allow_inf_nan=False)


class Node(_Strict):
    """A new node. Without an id it is called new-0, new-1, …; a node to be kept needs one."""

    id: NodeId | None = None
    features: Features = Field(
        description="Values by feature name (numbers; text for categories), or all numbers in their order."
    )
    edges: list[Edge] = Field(default=[], examples=[[{"target": "apt"}, {"source": "dpkg"}]])
    label: str | None = Field(None, description="The node's class, if known; read when the run is trained again.")

    def to_node(self, number: int) -> NewNode:
        id = f"new-{number}" if self.id is None else self.id
        features = self.features if isinstance(self.features, dict) else tuple(self.features)
        edges = tuple(
            NewEdge(id if e.source is None else e.source, id if e.target is None else e.target, e.weight)
            for e in self.edges
        )
        return NewNode(id, features, edges, self.label)


class NewNodesBody(_Strict):
    """New nodes, attached to known ones and to each other."""

    nodes: list[Node] = Field(min_length=1)
    persist: bool = Field(False, description="Keep the nodes: later ones can attach to them, also after a restart.")
    threshold: Threshold = None


class Explained(_Strict):
    """A node of the run's graph."""

    id: NodeId
    member: int | None = Field(None, ge=0, description="Explain one member of an ensemble instead of the mean.")


class Prediction(BaseModel):
    id: str | int
    prediction: str
    confidence: float
    probabilities: dict[str, float]


class PredictionsAnswer(BaseModel):
    predictions: list[Prediction]
    threshold: float | None = Field(description="The probability from which on a node is called positive, if any.")
    notes: list[str] = []
    kept: int = Field(0, description="How many nodes were kept for the first time.")


class Problem(BaseModel):
    error: str = Field(description="The value, the rule and the fix, in one sentence.")


def sentence_of(errors: list[Any]) -> str:
    """The first of pydantic's errors, as one of our sentences."""
    first = errors[0]
    where = _place(first["loc"])
    if first["type"] == "missing":
        return f"{where} is missing: add it; /docs shows an example"
    if first["type"] == "extra_forbidden":
        return f"{where} is no field here: drop it, or look its name up in /docs"
    if first["type"] == "json_invalid":
        return f"the request is no JSON ({first.get('ctx', {}).get('error', 'it cannot be read')}): mend it"
    rule = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{where} is {_shown(first.get('input'))}, but it {rule[0].lower() + rule[1:]}: mend it"


def _place(location: tuple[str | int, ...]) -> str:
    """`nodes[0].id` of ("body", "nodes", 0, "id")."""
    steps = location[1:] if location[:1] == ("body",) else location
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return path.removeprefix(".")[:100] or "the request"


def _shown(value: Any) -> str:
    try:
        return short(value)
    except RecursionError:
        return "nested too deeply"
