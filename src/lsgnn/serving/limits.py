"""What one request may take, and one client: checked before any work is done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of a server.

    Args:
        body: bytes of a request.
        nodes: nodes of a request.
        waiting: requests that wait for an answer; more are told to come back.
        connections: clients at the same time.
        seconds: a client may take to send a request, its head and its body each.
    """

    body: int = 16 << 20
    nodes: int = 1000
    waiting: int = 500
    connections: int = 1000
    seconds: float = 20.0
