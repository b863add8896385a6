"""Who runs a list of independent tasks: this process, a pool of processes, or a Ray cluster. The result is the same."""

from __future__ import annotations

import ctypes
import multiprocessing
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeAlias

from lsgnn.errors import InputError
from lsgnn.extras import optional

Task: TypeAlias = tuple[Any, ...]  # the arguments of one call
Executor: TypeAlias = Callable[[Callable[..., Any], Iterable[Task]], Iterator[Any]]  # results as they come

STARTS = 3  # of a Ray on this machine: it gives itself half a minute, too little where all cores are busy


def serial(function: Callable[..., Any], tasks: Iterable[Task]) -> Iterator[Any]:
    for task in tasks:
        yield function(*task)


def processes(jobs: int) -> Executor:
    """So many processes on this machine."""

    def run(function: Callable[..., Any], tasks: Iterable[Task]) -> Iterator[Any]:
        # "spawn": a forked copy of a process that has started threads (torch, Numba) may hang
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with_parent) as pool:
            waiting = [pool.submit(function, *task) for task in tasks]
            try:
                for done in as_completed(waiting):
                    yield done.result()
            except BrokenProcessPool as error:
                raise InputError(
                    "a job was killed, perhaps for want of memory: lower the limit or the number of jobs; "
                    "the same call goes on where it stopped"
                ) from error
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    return run


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for tasks for ever; Linux can end it (1 is PR_SET_PDEATHSIG)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def ray(address: str = "local", memory: int = 0) -> Executor:
    """The Ray cluster at an address ("auto": the one that this machine is in; "local": a new one on this machine).

    A process that is in a cluster already stays in it. All machines must see the store's folder under the same path. A
    task whose machine dies is started again.

    Args:
        memory: bytes that a task takes; a machine runs as many tasks at a time as it has cores and memory for.
    """

    def run(function: Callable[..., Any], tasks: Iterable[Task]) -> Iterator[Any]:
        library = optional("ray", "ray")
        started = not library.is_initialized()
        if started:
            _join_or_start(library, address)
        try:
            largest = max(node["Resources"].get("memory", 0) for node in library.nodes())
            if memory > largest:
                raise InputError(
                    f"a task takes {memory / 1e6:.0f} MB, but no machine of the cluster has more than "
                    f"{largest / 1e6:.0f}: lower the limit"
                )
            remote = library.remote(num_cpus=1, memory=memory, max_retries=3)(function)
            waiting = [remote.remote(*task) for task in tasks]
            while waiting:
                done, waiting = library.wait(waiting)
                try:
                    yield library.get(done[0])
                except library.exceptions.RayTaskError as error:
                    raise error.cause from error  # what went wrong in the task, as with other executors
        finally:
            if started:
                library.shutdown()

    return run


def _join_or_start(library: Any, address: str) -> None:
    """A cluster is joined; one on this machine is started, if need be several times."""
    _require_answer(address)
    for tried in range(1, STARTS + 1):
        try:
            library.init(address=address, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
            return
        except (ConnectionError, ValueError) as error:
            raise InputError(f"there is no Ray cluster at {address!r}: start one, or use 'local'") from error
        except Exception as error:  # Ray's own word for a node that does not come up
            library.shutdown()
            if address == "local" and tried < STARTS:
                continue
            reason = str(error).partition(". ")[0]
            raise InputError(f"Ray did not start at {address!r} ({reason}): try again, or use processes") from error


def _require_answer(address: str) -> None:
    """Ray itself waits for minutes for a cluster that is not there."""
    host, separator, port = address.rpartition(":")
    if not separator or not port.isdigit() or "://" in address:
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except OSError as error:
        raise InputError(
            f"nothing answers at {address!r} ({error}): start a Ray cluster there, or use 'local'"
        ) from error
