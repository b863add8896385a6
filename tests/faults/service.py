"""Faults of the service: clients that misbehave, kills under load, disks that fill up. All of it on loopback.

One server with narrow limits and a token meets every bad client. Each is refused with a sentence or cut off in time,
nothing that it sent is kept, and the next good client gets the answer that it got before. The others have a server and
a journal of their own: what was acknowledged is there once, whatever happened, and nothing that was not sent.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from itertools import count
from pathlib import Path
from typing import Any

from lsgnn.serving.journal import Journal
from tests.faults.bad_clients import BAD_CLIENTS, SECRET, BadClient
from tests.faults.judging import Failed
from tests.faults.strikes import SIGNALS
from tests.serving.clients import body, named_blocks, new_node
from tests.serving.server import Server
from tests.trained import small_run

SCENE = "serve"
TOKEN = {"Authorization": f"Bearer {SECRET}"}
MOST = 400  # nodes sent to a disk that must be full by then
GOOD = body(new_node("good", "page3"))


class Service:
    """A run, and a server with narrow limits that is started when the first bad client comes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.run, self.journal = folder, folder / "run", folder / "journal"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        small_run(named_blocks(), direction="out", epochs=5).save(self.run)
        self._server: Server | None = None
        self._answer: Any = None

    def server(self) -> Server:
        if self._server is None:
            limits = ("--timeout", 1, "--max-body", "20KB", "--max-nodes", 5, "--journal", self.journal)
            self._server = Server(self.run, *limits, env={"LSGNN_TOKEN": SECRET})
            self._answer = self._server.ask("/predict/new", GOOD, TOKEN)
        return self._server

    def meet(self, client: BadClient) -> str:
        """One bad client, and a good one after it."""
        server, begun = self.server(), time.monotonic()
        said = _said(server, client)
        status = said.split(b" ", 2)[1].decode() if said.startswith(b"HTTP/1.1 ") else ""
        if not status.startswith(client.expected) or (status and not client.expected):
            raise Failed(f"answered {said[:300]!r} where {client.expected or 'nothing'} was expected")
        if time.monotonic() - begun > 30:
            raise Failed("it was heard for more than 30 seconds")
        if Journal(self.journal).news():
            raise Failed("something that it sent was kept")
        if server.ask("/predict/new", GOOD, TOKEN) != self._answer:
            raise Failed("a good client got another answer afterwards")
        return f"status {status}" if status else "cut off"

    def close(self) -> None:
        if self._server is not None:
            self._server.kill()


@dataclass(frozen=True)
class ServiceFault:
    """One of them: what it is counted as, its name, and how it is played; `play` tells how it ended."""

    kind: str
    name: str
    play: Callable[[Service], str]

    def __str__(self) -> str:
        return f"{self.kind}, {self.name}"


def service_faults(sample: int = 0) -> list[ServiceFault]:
    """All of them, or so many quick ones."""
    met = [ServiceFault(client.kind, client.name, partial(Service.meet, client=client)) for client in BAD_CLIENTS]
    if sample:
        return met[:: len(met) // sample][:sample]
    stopped = [("kill", 3), ("kill", 12), ("kill", 30), ("terminate", 12), ("interrupt", 12)]
    full = [("file limit", 50_000), ("file limit", 200_000)]
    if os.getuid() == 0 and shutil.which("mount"):
        full += [("small disk", 60_000), ("small disk", 200_000)]
    return [
        *met,
        *(ServiceFault(kind, f"after {n} nodes", partial(_stopped, kind=kind, after=n)) for kind, n in stopped),
        *(ServiceFault(kind, f"{size} bytes", partial(_filled, kind=kind, size=size)) for kind, size in full),
    ]


def _said(server: Server, client: BadClient) -> bytes:
    """What comes back; nothing where the server has cut the client off while it was still talking."""
    with suppress(ConnectionError):
        return server.said(client.sent)
    return b""


def _stopped(service: Service, kind: str, after: int) -> str:
    """Two clients send nodes to be kept, each attached to its last one, while the server is stopped and started."""
    with _place(service.folder / "stopped") as place:
        running, acknowledged, failed, end = [Server(service.run, "--journal", place / "j")], [], [], threading.Event()

        def client(name: str) -> None:
            last, number = "page3", 0
            while not end.is_set():
                node = new_node(f"{name}{number}", last)
                try:
                    status, answer = running[0].ask("/predict/new", body(node, persist=True))
                except (OSError, HTTPException, ValueError):
                    time.sleep(0.05)  # it is being started again; the same node is sent once more
                    continue
                if status == 503 and kind != "kill":  # it says that it is being stopped
                    continue
                if status != 200:
                    failed.append(answer)
                    return
                acknowledged.append(str(node.id))
                last, number = str(node.id), number + 1

        clients = [threading.Thread(target=client, args=(name,)) for name in ("a", "b")]
        for thread in clients:
            thread.start()
        try:
            _wait_until(lambda: len(acknowledged) >= after or bool(failed))
            os.kill(running[0].process.pid, SIGNALS[kind])
            running[0].process.wait(60)
            running[0].kill()
            running[0] = Server(service.run, "--journal", place / "j")
            _wait_until(lambda: len(acknowledged) >= after + 10 or bool(failed))
        finally:
            end.set()
            for thread in clients:
                thread.join()
            running[0].kill()
        if failed:
            raise Failed(f"a client was told {json.dumps(failed[0])}")
        judge_kept(place / "j", acknowledged, unanswered=2)
    return f"{len(acknowledged)} nodes kept"


def _filled(service: Service, kind: str, size: int) -> str:
    """Nodes are kept until the disk is full: a sentence then, predictions go on, and a larger disk is used again."""
    with _place(service.folder / "filled", size if kind == "small disk" else 0) as place:
        limit = size if kind == "file limit" else 0
        server, acknowledged = Server(service.run, "--journal", place / "j", file_bytes=limit), list[str]()
        try:
            for number in count():
                node = new_node(f"n{number}", "page3")
                status, answer = server.ask("/predict/new", body(node, persist=True))
                if status != 200 or number == MOST:
                    break
                acknowledged.append(str(node.id))
            if status not in (503, 507) or "nothing of this request was kept" not in answer.get("error", ""):
                raise Failed(f"answered {status} {answer} on a full disk")
            if server.ask("/predict/new", GOOD)[0] != 200:
                raise Failed("no predictions on a full disk")
            if kind == "small disk":
                subprocess.run(["mount", "-o", "remount,size=64m", str(place)], check=True)
            else:
                server.kill()
                server = Server(service.run, "--journal", place / "j")
            status, answer = server.ask("/predict/new", body(node, persist=True))
            if status != 200:
                raise Failed(f"answered {status} {answer} with room again")
            acknowledged.append(str(node.id))
        finally:
            server.kill()
        judge_kept(place / "j", acknowledged, unanswered=0)
    return f"{len(acknowledged)} nodes kept"


def judge_kept(journal: Path, acknowledged: list[str], unanswered: int) -> None:
    """Every acknowledged node is there once, and at most those besides whose answers were lost."""
    kept = [str(entry.node.id) for entry in Journal(journal).news()]
    if lost := set(acknowledged) - set(kept):
        raise Failed(f"{len(lost)} acknowledged nodes are lost, {min(lost)} for one")
    if len(kept) != len(set(kept)):
        raise Failed("a node is kept twice")
    if len(kept) > len(set(acknowledged)) + unanswered:
        raise Failed(f"{len(kept)} nodes are kept where {len(acknowledged)} were acknowledged")


def _wait_until(done: Callable[[], bool], seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise Failed(f"clients got no answers for {seconds:.0f} seconds")
        time.sleep(0.01)


@contextmanager
def _place(folder: Path, disk_bytes: int = 0) -> Iterator[Path]:
    """An empty folder; on a disk of its own of that size, if it has one."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if not disk_bytes:
        yield folder
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={disk_bytes}", "lsgnn-faults", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
