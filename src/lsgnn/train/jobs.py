"""Many trainings at once: splits × settings that share one graph, its filters and its similarities."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import make_rows
from lsgnn.propagate.precompute import Precomputed, precompute
from lsgnn.train.engines import Engine, train
from lsgnn.train.fused import supports
from lsgnn.train.trained import Trained

# the settings that `precompute` reads; β, γ and K are not among them
STRUCTURAL = (
    "direction",
    "degree",
    "filter",
    "feature_norm",
    "similarity",
    "euclid_sign",
    "localsim_direction",
    "localsim_self_loops",
    "adjacency_embedding",
)


@dataclass(frozen=True, eq=False)
class Job:
    """One training: these settings on this split."""

    config: LSGNNConfig
    split: Split


class SharedPrecompute:
    """Precomputes a graph once per structural setting, whatever β, γ, K, seed or learning rate.

    Keeps the few most recent ones, because a search over directions and similarities comes back to them.
    """

    def __init__(self, graph: Graph, keep: int = 8) -> None:
        self.graph = graph
        self._cached = lru_cache(maxsize=keep)(lambda key: precompute(graph, LSGNNConfig(**dict(key))))

    def __call__(self, config: LSGNNConfig) -> Precomputed:
        return self._cached(structural_key(config))


def structural_key(config: LSGNNConfig) -> Hashable:
    return tuple((name, getattr(config, name)) for name in STRUCTURAL)


def train_many(
    shared: SharedPrecompute,
    jobs: Sequence[Job],
    engine: Engine = "auto",
    workers: int = 2,
    on_done: Callable[[int, Trained], None] | None = None,
) -> list[Trained]:
    """Trains all jobs and returns their results in the order of the jobs.

    Results do not depend on the order of work or the number of workers: a training reads nothing but its job. The fused
    engine runs one job per thread; torch's random stream is global to the process, so its jobs run one by one.
    """
    graph = shared.graph

    def work(number: int) -> tuple[int, Trained]:
        job = jobs[number]
        y = job.split.visible(graph.y)
        return number, train(shared(job.config), y, graph.num_classes, job.split, job.config, engine)

    for job in jobs:  # not in the threads: two of them would compute the same thing
        shared(job.config)
    threaded = engine != "torch" and all(supports(job.config) for job in jobs)
    results: dict[int, Trained] = {}
    pool = ThreadPoolExecutor(max_workers=workers if threaded else 1)
    try:
        for future in as_completed([pool.submit(work, number) for number in range(len(jobs))]):
            number, trained = future.result()
            results[number] = trained
            if on_done is not None:
                on_done(number, trained)
    except BaseException as error:  # trainings that run are finished, unless it was Ctrl-C, and no other begins
        pool.shutdown(wait=not isinstance(error, KeyboardInterrupt), cancel_futures=True)
        raise
    pool.shutdown()
    return [results[number] for number in range(len(jobs))]


@torch.no_grad()
def logits_of(shared: SharedPrecompute, config: LSGNNConfig, trained: Trained) -> NDArray[np.float32]:
    """Logits of all nodes [n, C] from the best weights of a training."""
    model = LSGNN.from_weights(config, trained.state_dict, shared.graph.num_nodes)
    return np.asarray(model(make_rows(shared(config), config)).numpy())
