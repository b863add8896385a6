"""`lsgnn serve` as users start it, and what clients do to it; for tests and for `tests/faults`."""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any


class Server:
    """The real command, in a process group of its own; `port` is the one it says it listens at."""

    def __init__(self, run: Path, *options: object, env: dict[str, str] | None = None, file_bytes: int = 0) -> None:
        def starve() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

        self.process = subprocess.Popen(
            [sys.executable, "-m", "lsgnn", "serve", str(run), "--port", "0", *map(str, options)],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", **(env or {})},
            preexec_fn=starve if file_bytes else None,
        )
        assert self.process.stderr is not None
        found = None
        for line in self.process.stderr:
            if found := re.search(r"at http://127\.0\.0\.1:(\d+)", line):
                break
        if not found:
            raise RuntimeError("the server did not start")
        self.port = int(found[1])
        self._listener = threading.Thread(target=self.process.stderr.read)  # or the pipe fills up
        self._listener.start()

    def ask(self, path: str, document: Any = None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            sent = None if document is None else json.dumps(document)
            given = {"Content-Type": "application/json", **(headers or {})}
            connection.request("GET" if sent is None else "POST", path, sent, given)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def said(self, sent: bytes, seconds: float = 20) -> bytes:
        """Everything that comes back for these bytes, until the server ends the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            connection.sendall(sent)
            found = b""
            while part := connection.recv(65536):
                found += part
            return found

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._listener.join()
        assert self.process.stderr is not None
        self.process.stderr.close()
