"""The one protocol of all models: how one is configured, prepared, built, trained and applied, and what it can do.

A model is a file with a settings class, an `nn.Module` from inputs to logits, and a `MODEL` that says how to make both
from a graph. LSGNN is the first of them. Trainer, splits, selection, tuner, `Run`, pages and commands serve all alike.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lsgnn.config import TrainingConfig
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.graph.new_nodes import NewNodes, enlarged
from lsgnn.graph.splits import Split
from lsgnn.memory import require_memory
from lsgnn.propagate.structure_features import Scales, reads_degrees, with_structure
from lsgnn.train.engine import Engine, require_device, require_engine
from lsgnn.train.loop import OnEpoch, train_torch
from lsgnn.train.seeded import seeded
from lsgnn.train.trained import Trained

Config = TypeVar("Config", bound=TrainingConfig)
# graph, settings, scale of standardised columns (None: the graph's own) → what the model reads of the graph
MakeInputs = Callable[..., Any]


@dataclass(frozen=True)
class Solution:
    """Logits of all nodes [n, C] by one trained model, and how it was trained."""

    logits: NDArray[np.float32]
    trained: Trained
    num_parameters: int
    seconds: float


@dataclass(frozen=True)
class Model(Generic[Config]):
    """One model of the zoo.

    Args:
        name: as in `lsgnn fit --model`.
        title: as in a table.
        config: its settings class.
        make_inputs: what `prepare` does with the columns that the model shall read.
        build: the module, given its settings, the graph and its inputs.
        space: suggestions of an Optuna trial for its own search space, as settings.
        tunable: False where there is nothing to search.
        learns: False where nothing is trained, so that there is no history.
        reads_columns: False where features play no part.
        steps: False where an epoch is a setting of its own, and not a step on from the one before.
        explains: True if it can say why a node is classified as it is.
        engines: what can train it, besides `auto`.
    """

    name: str
    title: str
    config: type[Config]
    make_inputs: MakeInputs
    build: Callable[[Config, Graph, Any], nn.Module]
    space: Callable[[Any], dict[str, Any]]
    tunable: bool = True
    learns: bool = True
    reads_columns: bool = True
    steps: bool = True
    explains: bool = False
    engines: tuple[Engine, ...] = ("torch",)

    def prepare(self, graph: Graph, config: Config, scales: Scales | None = None) -> Any:
        """Everything without parameters, computed once per graph, `config.structure_features` and
        `config.input_settings`; it reads no labels.

        `scales` are those of the graph that was trained on; by default this is the one.
        """
        if reads_degrees(config):
            return self.make_inputs(*with_structure(graph, config, scales))
        return self.make_inputs(graph, config, scales.columns if scales else None)

    def train(
        self,
        graph: Graph,
        inputs: Any,
        split: Split,
        config: Config,
        *,
        engine: Engine = "auto",
        device: str = "cpu",
        on_epoch: OnEpoch | None = None,
    ) -> Trained:
        """Trains on one split; no label of a test node is seen by what is built or trained."""
        self.require_engine(engine)
        require_device(device)
        self._require_memory(graph, config)
        seen = dataclasses.replace(graph, y=split.visible(graph.y))
        with seeded(config.seed):
            module = self.build(config, seen, inputs).to(device)
            return train_torch(module, self.readable(inputs, config), seen.y, split, config, on_epoch)

    def trains_in_threads(self, config: Config, engine: Engine) -> bool:
        """True if several training runs may go on at a time (torch has one random stream per process)."""
        return False

    def require_engine(self, engine: Engine) -> None:
        require_engine(engine)
        if engine != "auto" and engine not in self.engines:
            raise InputError(f"engine={engine!r} cannot train {self.name}: use {' or '.join(('auto', *self.engines))}")

    def readable(self, inputs: Any, config: Config) -> Any:
        """What the module itself reads, of all nodes, from what was prepared; it can be asked for some of them."""
        return inputs

    def module(self, graph: Graph, inputs: Any, config: Config, state_dict: Mapping[str, Tensor]) -> nn.Module:
        """The module with given weights, in evaluation mode; raises RuntimeError where they do not fit."""
        with seeded(0):  # what is drawn here is overwritten
            module = self.build(config, graph, inputs)
        module.load_state_dict(state_dict)
        return module.eval()

    def quick_logits(
        self, graph: Graph, inputs: Any, config: Config, state_dict: Mapping[str, Tensor]
    ) -> NDArray[np.float32]:
        """Logits of all nodes [n, C], by the quickest way there is."""
        return logits_of(self.module(graph, inputs, config, state_dict), self.readable(inputs, config))

    def attached(self, graph: Graph, inputs: Any, new: NewNodes, config: Config, scales: Scales, exact: bool) -> Any:
        """What the module reads of new nodes attached to its graph: here always by way of the enlarged graph."""
        whole = self.readable(self.prepare(enlarged(graph, new), config, scales), config)
        return whole.select(torch.arange(graph.num_nodes, graph.num_nodes + len(new.node_ids)))

    def _require_memory(self, graph: Graph, config: Config) -> None:
        """Of one hidden layer, forward and back: the least that a model with so many channels takes."""
        width = getattr(config, "hidden_channels", 0)
        require_memory(
            8 * width * (graph.num_nodes + 2 * graph.num_features),
            f"{self.title} with hidden_channels={width} on {graph.num_nodes} nodes",
            "lower hidden_channels",
        )

    def solve(self, graph: Graph, split: Split, config: Config, inputs: Any = None) -> Solution:
        """Trains and predicts; `inputs` may be shared between calls that differ only in split or learning settings."""
        start = time.perf_counter()
        inputs = self.prepare(graph, config) if inputs is None else inputs
        trained = self.train(graph, inputs, split, config)
        module = self.module(graph, inputs, config, trained.state_dict)
        logits = logits_of(module, self.readable(inputs, config))
        parameters = sum(p.numel() for p in module.parameters())
        return Solution(logits, trained, parameters, time.perf_counter() - start)


@torch.no_grad()
def logits_of(module: nn.Module, readable: Any) -> NDArray[np.float32]:
    """Logits of the nodes that are read [b, C]."""
    return np.asarray(module(readable).numpy())
