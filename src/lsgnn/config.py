"""Settings: typed, checked once, the same everywhere. `LSGNNConfig` holds those of the method and its training."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, ClassVar, Literal, Self, get_args, get_origin, get_type_hints

from lsgnn.errors import InputError

Direction = Literal["auto", "undirected", "out", "in"]  # auto: the validation nodes choose (`lsgnn.runs.probe`)
LSGNNDirection = Literal[Direction, "both"]
LocalSimDirection = Literal["same", "undirected", "out", "in"]
LocalSimSpace = Literal["features", "propagated", "predictions"]
LocalSimScale = Literal["none", "standard"]
Degree = Literal["with_self_loop", "plain"]
Filter = Literal["weighted_self_loop", "self_loop"]
Propagation = Literal["irdc", "power", "initial_residual", "drc"]
Similarity = Literal["cosine", "euclidean", "squared"]
FeatureNorm = Literal["l2", "l1", "standard", "none"]
StructureFeatures = Literal["none", "degrees"]
Weights = Literal["auto", "localsim", "localsim_naive", "graph", "node", "free", "random"]
Head = Literal["linear", "mlp"]
ReduceInit = Literal["stacked", "per_matrix"]
ReduceNorm = Literal["row", "batch", "none"]
Optimizer = Literal["adam", "adamw"]
SelectBy = Literal[
    "val_loss",
    "val_accuracy",
    "val_balanced_accuracy",
    "val_macro_f1",
    "val_roc_auc",
    "val_average_precision",
    "val_recall_at_k",
]
ClassWeight = Literal["none", "balanced"]
LOCALSIM_INPUTS = ("localsim_scale", "localsim_hops", "localsim_degree")  # what MLP_α reads of a node


@cache  # a search makes thousands of configurations, and hints are text that is evaluated
def _kinds(settings: type) -> dict[str, Any]:
    return get_type_hints(settings)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A frozen set of named values; unknown names, wrong types and values that are no choice are errors."""

    def __post_init__(self) -> None:
        own: Any = type(self)
        kinds = _kinds(own)
        for field in (f.name for f in dataclasses.fields(self)):
            kind = kinds[field]
            object.__setattr__(self, field, _checked(field, getattr(self, field), kind))

    def _require(self, field: str, holds: bool, rule: str) -> None:
        if not holds:
            raise InputError(f"{field}={getattr(self, field)} is out of range: it must be {rule}")

    def replace(self, **changes: Any) -> Self:
        """A copy with some settings changed."""
        _refuse_unknown(type(self), changes)
        return dataclasses.replace(self, **changes)

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        _refuse_unknown(cls, settings)
        return cls(**settings)

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def to_toml(self) -> str:
        """One `name = value` line per setting."""
        return toml_of(self.to_dict())


@dataclass(frozen=True, kw_only=True)
class TrainingConfig(Settings):
    """What any model reads beside the user's columns, how it is trained and its best epoch chosen."""

    # younger than results that are stored: where they have their default, they are left out of what names a result
    YOUNGER: ClassVar[tuple[str, ...]] = ("structure_features",)

    structure_features: StructureFeatures = "none"  # degrees: standardised log degrees, as columns beside the user's
    optimizer: Optimizer = "adam"
    lr: float = 0.01  # > 0
    weight_decay: float = 5e-4  # ≥ 0
    dropout: float = 0.5  # [0, 1)
    epochs: int = 200  # ≥ 1
    patience: int = 0  # epochs without improvement after which to stop; 0: never
    select_by: SelectBy = "val_loss"  # by a score, equal ones go to the lower loss
    class_weight: ClassWeight = "none"  # balanced: every class counts the same in the loss, however rare
    seed: int = 0  # [0, 2^32)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("lr", self.lr > 0, "positive")
        self._require("weight_decay", self.weight_decay >= 0, "at least 0")
        self._require("dropout", 0 <= self.dropout < 1, "at least 0 and below 1")
        self._require("epochs", self.epochs >= 1, "at least 1")
        self._require("patience", self.patience >= 0, "at least 0")
        self._require("seed", 0 <= self.seed < 2**32, "at least 0 and below 2^32")

    @property
    def input_settings(self) -> tuple[tuple[str, Any], ...]:
        """The settings of its own that decide what a model prepares of a graph (`structure_features` does in all)."""
        shared = {field.name for field in dataclasses.fields(TrainingConfig)}
        return tuple((name, value) for name, value in self.to_dict().items() if name not in shared)

    @property
    def naming_settings(self) -> dict[str, Any]:
        """The settings that tell a result from others; results from before a setting existed keep their names."""
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        young = [name for name in self.YOUNGER if getattr(self, name) == defaults[name]]
        return {name: value for name, value in self.to_dict().items() if name not in young}

    @property
    def tied_to_graph(self) -> str:
        """What ties a trained model to the graph it was trained on, in words; empty if it can be applied elsewhere."""
        return ""

    @property
    def tied_to_nodes(self) -> str:
        """What keeps new nodes from being attached to that graph, in words; empty if they can be."""
        return self.tied_to_graph


@dataclass(frozen=True, kw_only=True)
class LSGNNConfig(TrainingConfig):
    """Settings of LSGNN, in data-flow order; the ranges are in the comments."""

    YOUNGER: ClassVar[tuple[str, ...]] = (*TrainingConfig.YOUNGER, "reduce_norm", "localsim_space", *LOCALSIM_INPUTS)

    # what `precompute` reads: β, γ and K are not among it
    STRUCTURE: ClassVar[tuple[str, ...]] = (
        *("direction", "degree", "filter", "feature_norm", "similarity", "euclid_sign"),
        *("localsim_direction", "localsim_self_loops", "localsim_space", "localsim_hops", "adjacency_embedding"),
    )

    # graph → filters
    direction: LSGNNDirection = "undirected"  # out: node i reads j where i→j; both: hops along and against the edges
    degree: Degree = "with_self_loop"  # the released code counts the node itself, the paper does not
    filter: Filter = "weighted_self_loop"  # self_loop: GCN's filter, the baseline of the paper's ablation
    beta: float = 1.0  # [0, 1], weight of the self loop in the low-pass filter
    feature_norm: FeatureNorm = "l2"  # of rows; standard: columns of one size

    # propagation, once
    propagation: Propagation = "irdc"
    K: int = 5  # ≥ 1 hops
    gamma: float = 0.5  # [0, 1], residual share of IRDC (and of initial_residual)

    # LocalSim
    similarity: Similarity = "cosine"
    euclid_sign: int = -1  # -1: a similarity, as in the paper; +1: a distance, as in the released code
    localsim_direction: LocalSimDirection = "same"
    localsim_self_loops: bool = False
    localsim_space: LocalSimSpace = "features"  # propagated: means over neighbourhoods; predictions: of a first model
    localsim_scale: LocalSimScale = "none"  # standard: mean 0 and std 1 over the edges of the training graph
    localsim_hops: int = 0  # [0, 2]; φ is also read as averaged over the node and its neighbours, so many times
    localsim_degree: bool = False  # the standardised log degree is read beside φ

    # the model
    weights: Weights = "localsim"
    hidden_channels: int = 16  # ≥ 1
    reduce_layers: int = 1  # ≥ 1; all but the last have width 2·hidden_channels
    reduce_init: ReduceInit = "stacked"  # stacked: Glorot over all 2K+1 matrices at once, as the released code
    reduce_norm: ReduceNorm = "row"  # row: length one, as released; batch: each column over the training nodes
    adjacency_embedding: bool = False
    out_norm: bool = True
    head: Head = "linear"

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("beta", "gamma"):
            self._require(field, 0 <= getattr(self, field) <= 1, "between 0 and 1")
        for field in ("K", "hidden_channels", "reduce_layers"):
            self._require(field, getattr(self, field) >= 1, "at least 1")
        self._require("localsim_hops", 0 <= self.localsim_hops <= 2, "0, 1 or 2")
        self._require("euclid_sign", self.euclid_sign in (-1, 1), "-1 or 1")

    @property
    def input_settings(self) -> tuple[tuple[str, Any], ...]:
        return tuple((name, getattr(self, name)) for name in self.STRUCTURE)

    @property
    def directions(self) -> tuple[Direction, ...]:
        """The directions in which features are propagated, each for K hops."""
        return ("out", "in") if self.direction == "both" else (self.direction,)

    @property
    def num_hops(self) -> int:
        """Hops that the model fuses: K of each direction, those along the edges first."""
        return self.K * len(self.directions)

    @property
    def hop_names(self) -> tuple[str, ...]:
        """The hops that the model fuses, as they are called where they are shown."""
        names = ("hop",) if len(self.directions) == 1 else self.directions
        return tuple(f"{name} {k}" for name in names for k in range(1, self.K + 1))

    @property
    def read_direction(self) -> Direction:
        """Which neighbours a node reads at all."""
        return "undirected" if self.direction == "both" else self.direction

    @property
    def similarity_direction(self) -> Direction:
        """Whose similarities LocalSim reads: by default those of the nodes that propagation reads."""
        return self.read_direction if self.localsim_direction == "same" else self.localsim_direction

    @property
    def reads_beyond_neighbours(self) -> bool:
        """True if a new node cannot be attached by what is known of its neighbours: the enlarged graph is needed."""
        return self.localsim_hops > 0 or self.localsim_space == "propagated" or self.direction == "both"

    @property
    def has_first_model(self) -> bool:
        """True if LocalSim compares what a first model predicts."""
        return self.localsim_space == "predictions" and self.weights in ("localsim", "localsim_naive")

    @property
    def localsim_columns(self) -> int:
        """How many numbers of a node MLP_α reads, before they are squared."""
        return 1 + self.localsim_hops + self.localsim_degree

    @property
    def kept_per_node(self) -> str:
        """The setting that keeps parameters of each node, as NAME=VALUE; empty if none does."""
        if self.adjacency_embedding:
            return "adjacency_embedding=True"
        return f"weights={self.weights!r}" if self.weights in ("free", "random") else ""

    @property
    def tied_to_graph(self) -> str:
        if self.has_first_model:
            return f"localsim_space={self.localsim_space!r}, which keeps the similarities of its own edges"
        return f"{self.kept_per_node}, which keeps parameters of each node" if self.kept_per_node else ""

    @property
    def tied_to_nodes(self) -> str:
        """An embedding of links has parameters of the known ends of a new node's links, and needs no others."""
        return self.replace(adjacency_embedding=False).tied_to_graph


def toml_of(settings: Mapping[str, Any]) -> str:
    """One `name = value` line per setting (JSON writes strings, numbers and booleans as TOML does, but for DEL)."""
    values = {name: json.dumps(value, ensure_ascii=False) for name, value in settings.items()}
    return "".join(f"{name} = {value}\n" for name, value in values.items()).replace("\x7f", "\\u007f")


def _refuse_unknown(cls: type, settings: Mapping[str, Any]) -> None:
    known = [f.name for f in dataclasses.fields(cls)]
    for name in settings:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the settings are {', '.join(known)}"
            raise InputError(f"there is no setting {name!r}: {hint}")


def _checked(field: str, value: Any, kind: Any) -> Any:
    """The value in its declared type (an int will do for a float), or an error that names the choices."""
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise InputError(f"{field}={value!r} is not a choice: use one of {', '.join(map(repr, get_args(kind)))}")
        return value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InputError(f"{field}={value!r} is of type {type(value).__name__}: it must be {kind.__name__}")
    if kind is float and not math.isfinite(value):
        raise InputError(f"{field}={value} is not a finite number")
    return value
