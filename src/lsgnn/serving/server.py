"""A server of one run on a socket: in this process, or in several that share the socket and the journal."""

from __future__ import annotations

import gc
import ipaddress
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from lsgnn.errors import InputError
from lsgnn.runs.run import Run
from lsgnn.serving.app import create_app
from lsgnn.serving.impatient import ImpatientProtocol
from lsgnn.serving.limits import Limits

LOOPBACK_NAMES = ("127.0.0.1", "[::1]", "localhost")


@dataclass(frozen=True)
class Settings:
    """What `lsgnn serve` was asked for; it travels to the worker processes."""

    run: Path
    journal: Path | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    token: str | None = field(default=None, repr=False)
    limits: Limits = field(default_factory=Limits)

    @property
    def is_local(self) -> bool:
        """True if only programs on this machine can reach the server."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def serve(settings: Settings, on_address: Callable[[str], None]) -> None:
    """Serves until it is stopped; `on_address` is told where, as soon as clients can connect."""
    alone = settings.workers == 1
    app = make_app(settings) if alone else None
    if not alone:
        Run.load(settings.run)  # a run that cannot be loaded is one sentence here, and a restart for ever there
    with listening(settings.host, settings.port) as listener, TemporaryDirectory() as counters:
        host, port = listener.getsockname()[:2]
        on_address(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        if app is not None:
            uvicorn.Server(_config(settings, app)).run(sockets=[listener])
            return
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = counters
        worker = partial(worker_app, settings, os.getpid())
        Multiprocess(_config(settings, worker, factory=True, workers=settings.workers), sockets=[listener]).run()


def make_app(settings: Settings) -> Any:
    import torch

    torch.set_num_threads(1)  # a request is small: threads would only be in each other's way
    app = create_app(
        settings.run,
        journal=settings.journal,
        token=settings.token,
        hosts=LOOPBACK_NAMES if settings.is_local else None,
        limits=settings.limits,
    )
    gc.collect()
    gc.freeze()  # what is loaded stays: looking through it for garbage would hold up a request now and then
    return app


def worker_app(settings: Settings, parent: int) -> Any:
    """The application of one of several processes, which ends when the first one is killed."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    return make_app(settings)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.3)
    os._exit(1)  # an orphan would keep the port and answer from it


def listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot listen at {host}, port {port} ({reason}): choose another host or port") from error


def _config(settings: Settings, app: Any, **how: Any) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http=ImpatientProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=settings.limits.connections,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
        timeout_worker_healthcheck=60,
        **how,
    )
    config.head_seconds = settings.limits.seconds  # type: ignore[attr-defined]  # read by ImpatientProtocol
    return config
