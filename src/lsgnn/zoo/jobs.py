"""Many training runs side by side: splits × configurations that share one graph and what was prepared of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.graph.splits import Split
from lsgnn.train.engine import Engine
from lsgnn.train.trained import Trained
from lsgnn.zoo.prepared import Prepared
from lsgnn.zoo.protocol import Model, logits_of


@dataclass(frozen=True, eq=False)
class Job:
    """One training run: this model with this configuration on this split."""

    model: Model[Any]
    config: Any
    split: Split


def train_many(
    prepared: Prepared,
    jobs: Sequence[Job],
    engine: Engine = "auto",
    workers: int = 2,
    on_done: Callable[[int, Trained], None] | None = None,
    threads: int | None = None,
) -> list[Trained]:
    """Trains all jobs and returns their results in the order of the jobs; `on_done` hears of each when it is done.
    `threads` is for a single job: by default as many as are worth it."""
    with _begun(prepared, jobs, engine, workers, threads) as futures:
        for future in as_completed(futures):
            trained = future.result()
            if on_done is not None:
                on_done(futures.index(future), trained)
        return [future.result() for future in futures]


def train_in_order(
    prepared: Prepared, jobs: Sequence[Job], engine: Engine = "auto", workers: int = 2
) -> Iterator[Trained]:
    """The same results one after the other, each as soon as it and those before it are there. Where one raises, those
    before it have come; where the caller stops, no further job begins."""
    with _begun(prepared, jobs, engine, workers) as futures:
        for future in futures:
            yield future.result()


@contextmanager
def _begun(
    prepared: Prepared, jobs: Sequence[Job], engine: Engine, workers: int, threads: int | None = None
) -> Iterator[list[Future[Trained]]]:
    """All jobs, in the hands of so many workers.

    Results do not depend on the order of work or the number of workers: a training run reads nothing but its job. The
    fused engine runs one job per thread; torch's random stream is global to the process, so its jobs run one by one.
    """
    threaded = all(job.model.trains_in_threads(job.config, engine) for job in jobs)
    workers = min(workers, len(jobs)) if threaded else 1
    threads = 1 if workers > 1 else threads if threaded else None  # a core each; a single one may take them all

    def work(job: Job) -> Trained:
        inputs = prepared(job.model, job.config)
        how: dict[str, Any] = {} if threads is None else {"threads": threads}
        return job.model.train(prepared.graph, inputs, job.split, job.config, engine=engine, **how)

    for job in jobs:  # not in the threads: two of them would compute the same thing
        prepared(job.model, job.config)
    pool = ThreadPoolExecutor(max_workers=max(1, workers))
    try:
        yield [pool.submit(work, job) for job in jobs]
    except BaseException as error:  # training runs that have begun are finished, unless it was Ctrl-C; no other begins
        pool.shutdown(wait=not isinstance(error, KeyboardInterrupt), cancel_futures=True)
        raise
    pool.shutdown()


def predicted_logits(prepared: Prepared, model: Model[Any], config: Any, trained: Trained) -> NDArray[np.float32]:
    """Logits of all nodes [n, C] from the best weights of a training run."""
    inputs = prepared(model, config)
    module = model.module(prepared.graph, inputs, config, trained.state_dict)
    return logits_of(module, model.readable(inputs, config))


def quick_logits(prepared: Prepared, model: Model[Any], config: Any, trained: Trained) -> NDArray[np.float32]:
    """The same to rounding, by the quickest way the model knows: for choices, which compare many training runs."""
    return model.quick_logits(prepared.graph, prepared(model, config), config, trained.state_dict)
