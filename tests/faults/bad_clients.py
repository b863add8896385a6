"""Clients that misbehave: what they send to the service, and what they may hear of it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.serving.clients import body, new_node

SECRET = "open-sesame"
INTRUDER = json.dumps(body(new_node("intruder", "page3"), persist=True)).encode()


@dataclass(frozen=True)
class BadClient:
    """One of them.

    Args:
        expected: how the status of the answer begins; empty where the connection just ends.
    """

    kind: str
    name: str
    sent: bytes
    expected: str


def post(content: bytes, *headers: str, path: str = "/predict/new", token: str = f"Bearer {SECRET}") -> bytes:
    """A request as it stands on the wire; `headers` are further ones, or others in the place of the usual ones."""
    given = {"Host": "127.0.0.1", "Content-Type": "application/json", "Content-Length": str(len(content))}
    given |= {"Authorization": token, "Connection": "close"} | dict(header.split(": ", 1) for header in headers)
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items() if value)]
    return "\r\n".join([*lines, "", ""]).encode() + content


def of_chunks(content: bytes) -> bytes:
    """The same in chunks, whose sum nobody is told beforehand."""
    chunks = [content[start : start + 1000] for start in range(0, len(content), 1000)]
    sent = b"".join(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n" for chunk in chunks) + b"0\r\n\r\n"
    return post(b"", "Content-Length: ", "Transfer-Encoding: chunked") + sent


MALFORMED = {
    "half of a document": INTRUDER[: len(INTRUDER) // 2],
    "no document": b"",
    "a list": b"[]",
    "null": b"null",
    "lists in lists": b"[" * 9000,
    "no UTF-8": INTRUDER.replace(b"intruder", b"\xff\xfe"),
    "a number that is none": INTRUDER.replace(b'"f0": ', b'"f0": NaN, "x": '),
    "a feature of text": INTRUDER.replace(b'"f0": ', b'"f0": "much", "x": '),
    "a feature that nobody knows": INTRUDER.replace(b'"f0"', b'"f77"'),
    "a neighbour that nobody knows": INTRUDER.replace(b"page3", b"page333"),
    "an id that is taken": INTRUDER.replace(b"intruder", b"page4"),
    "an id of another type": INTRUDER.replace(b'"intruder"', b'{"id": 1}'),
}
BAD_CLIENTS = (
    BadClient("malformed request", "no HTTP", b"GARBAGE\r\n\r\n", "400"),
    BadClient("malformed request", "another name", post(INTRUDER, "Host: evil.example"), "421"),
    BadClient("malformed request", "a form", post(INTRUDER, "Content-Type: text/plain"), "415"),
    BadClient("malformed request", "a length that is no number", post(INTRUDER, "Content-Length: many"), "400"),
    BadClient("malformed request", "a path that leads nowhere", post(INTRUDER, path="/../run/model"), "404"),
    *(BadClient("malformed request", name, post(content), "4") for name, content in MALFORMED.items()),
    BadClient("oversized request", "a body that says so", post(b"{}", "Content-Length: 99999999"), "413"),
    BadClient("oversized request", "a body that does not say so", of_chunks(b" " * 30_000 + INTRUDER), "413"),
    BadClient("oversized request", "a body of its length", post(b" " * 30_000 + INTRUDER), "413"),
    BadClient("oversized request", "many nodes", post(json.dumps(body(*[new_node("n", "page3")] * 6)).encode()), "413"),
    BadClient("oversized request", "a head without end", b"GET /health HTTP/1.1\r\nX: " + b"a" * 100_000, ""),
    BadClient("slow client", "says nothing", b"", ""),
    BadClient("slow client", "half of a head", post(INTRUDER)[:40], ""),
    BadClient("slow client", "half of a body", post(INTRUDER)[:-20], "408"),
    BadClient("slow client", "a chunk, and no more", of_chunks(INTRUDER)[:-100], "408"),
    *(
        BadClient("wrong token", name, post(INTRUDER, token=token), "401")
        for name, token in {
            "none": "",
            "another": "Bearer please",
            "its beginning": f"Bearer {SECRET[:-1]}",
            "more than it": f"Bearer {SECRET}{SECRET}",
            "in capitals": f"Bearer {SECRET.upper()}",
            "of another scheme": f"Basic {SECRET}",
            "empty": "Bearer  ",
        }.items()
    ),
)
