"""Clients that send nothing, the head of a request letter by letter, or a head without end are cut off.

uvicorn waits for them for ever. (Bodies that come slowly, or without end, are the gate's business.)
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

SECONDS = 20.0
LONGEST_HEAD = 1 << 16  # bytes


class ImpatientProtocol(HttpToolsProtocol):
    """HTTP/1.1 with a limit on the time that the head of a request may take, `config.head_seconds`, and on its size."""

    def __init__(self, config: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(config, *args, **kwargs)
        self._head_seconds: float = getattr(config, "head_seconds", SECONDS)
        self._patience: asyncio.TimerHandle | None = None
        self._head_bytes = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_a_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_answering():
            self._stop_waiting()
            return
        if self._patience is None:
            self._wait_for_a_head()
        self._head_bytes += len(data)
        if self._head_bytes > LONGEST_HEAD:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_a_head(self) -> None:
        self._head_bytes = 0
        self._patience = self.loop.call_later(self._head_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if not self._is_answering():
            self.transport.close()
