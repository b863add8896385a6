"""Who runs a list of independent tasks: this process, a pool of processes, or a Ray cluster. The result is the same."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, TypeAlias

from lsgnn.extras import optional

Task: TypeAlias = tuple[Any, ...]  # the arguments of one call
Executor: TypeAlias = Callable[[Callable[..., Any], Iterable[Task]], Iterator[Any]]  # results as they come


def serial(function: Callable[..., Any], tasks: Iterable[Task]) -> Iterator[Any]:
    for task in tasks:
        yield function(*task)


def processes(jobs: int) -> Executor:
    """So many processes on this machine."""

    def run(function: Callable[..., Any], tasks: Iterable[Task]) -> Iterator[Any]:
        # "spawn": a forked copy of a process that has started threads (torch, Numba) may hang
        with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
            waiting = [pool.submit(function, *task) for task in tasks]
            try:
                for done in as_completed(waiting):
                    yield done.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    return run


def ray(address: str | None = None) -> Executor:
    """The Ray cluster at an address ("auto": the one that this machine is in; None: a new one on this machine).

    All machines must see the store's folder under the same path. A task whose machine dies is started again.
    """

    def run(function: Callable[..., Any], tasks: Iterable[Task]) -> Iterator[Any]:
        library = optional("ray", "ray")
        started = not library.is_initialized()
        if started:
            library.init(address=address, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        try:
            remote = library.remote(num_cpus=1, max_retries=3)(function)
            waiting = [remote.remote(*task) for task in tasks]
            while waiting:
                done, waiting = library.wait(waiting)
                yield library.get(done[0])
        finally:
            if started:
                library.shutdown()

    return run
