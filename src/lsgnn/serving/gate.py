"""The gate before the application: who may ask, how much, and how slowly. Pure ASGI, so that it costs little.

A body is read here, whole and within its limits, before anything else looks at it.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from lsgnn.serving.limits import Limits
from lsgnn.serving.meters import Meters
from lsgnn.sizes import in_words

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Receive, Send], Awaitable[None]]

CLIENT_LEFT = 499  # counted, never sent
OPEN = frozenset({"/", "/docs", "/openapi.json", "/health"})  # tell nothing about the run


class Refused(Exception):
    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Gate:
    """Wraps an ASGI application.

    Args:
        app: the application.
        limits: of each request.
        meters: what is counted.
        paths: those that are counted by name.
        token: what clients must show (`Authorization: Bearer …`), if anything.
        hosts: names under which the server may be asked, if not under any: a web page that a browser on this machine
            shows could otherwise reach it under a name of its own.
    """

    def __init__(
        self,
        app: App,
        limits: Limits,
        meters: Meters,
        paths: Collection[str],
        token: str | None = None,
        hosts: Collection[str] | None = None,
    ) -> None:
        self.app, self.limits, self.meters, self.paths = app, limits, meters, frozenset(paths)
        self._token = None if token is None else token.encode()
        self._hosts = None if hosts is None else frozenset(hosts)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status = time.perf_counter(), 500

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            headers = dict(scope["headers"])
            self._require_welcome(scope["path"], headers)
            body = await self._body(scope["method"], headers, receive)
            if body is None:
                status = CLIENT_LEFT
            else:
                await self.app(scope, _replayed(body, receive), counted)
        except Refused as refusal:
            await _answer(counted, refusal)
        finally:
            path = scope["path"] if scope["path"] in self.paths else "other"
            self.meters.requests.labels(path, str(status)).inc()
            self.meters.seconds.labels(path).observe(time.perf_counter() - start)

    def _require_welcome(self, path: str, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1")
        if self._hosts is not None and _name_of(host) not in self._hosts:
            raise Refused(421, f"this server does not answer to the name {host[:60]!r}: use {min(self._hosts)}")
        if self._token is None or path in OPEN:
            return
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self._token):
            raise Refused(401, "the token is missing or wrong: send the header 'Authorization: Bearer TOKEN'")

    async def _body(self, method: str, headers: dict[bytes, bytes], receive: Receive) -> bytes | None:
        """The whole body; None if the client went away."""
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self.limits.body:
            raise self._too_large()
        if method == "POST" and headers.get(b"content-type", b"").partition(b";")[0].strip() != b"application/json":
            raise Refused(415, "the request is no JSON: send it with the header 'Content-Type: application/json'")
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await self._read(receive)
        except TimeoutError:
            seconds = f"{self.limits.seconds:g} seconds"
            raise Refused(408, f"the request took more than {seconds} to arrive: send it faster, or less") from None

    async def _read(self, receive: Receive) -> bytes | None:
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.limits.body:
                raise self._too_large()
            if not message.get("more_body"):
                return b"".join(parts)

    def _too_large(self) -> Refused:
        return Refused(413, f"the request is larger than {in_words(self.limits.body)}: send fewer nodes at a time")


def _name_of(host: str) -> str:
    """Without the port: `localhost` of "localhost:8000", `[::1]` of "[::1]:8000"."""
    return host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0].lower()


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body in one piece, then whatever comes after it."""
    handed_out = False

    async def replay() -> Message:
        nonlocal handed_out
        if handed_out:
            return await receive()
        handed_out = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _answer(send: Send, refusal: Refused) -> None:
    """A body may be on its way that nobody will read, so the connection ends here."""
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": str(refusal)}).encode()})
