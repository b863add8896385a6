"""Every error is one sentence in JSON; what went wrong inside is for the log alone."""

from __future__ import annotations

import json
import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from lsgnn.errors import InputError
from lsgnn.serving.journal import JournalError
from lsgnn.serving.lane import Busy
from lsgnn.serving.meters import Meters
from lsgnn.serving.questions import Conflict
from lsgnn.serving.schemas import Problem, sentence_of

log = logging.getLogger("lsgnn.serving")
PROBLEMS: dict[int | str, dict[str, Any]] = {
    401: {"model": Problem, "description": "The token is missing or wrong."},
    409: {"model": Problem, "description": "A node of that id is kept already, with other content."},
    413: {"model": Problem, "description": "The request is too large."},
    422: {"model": Problem, "description": "Something in the request cannot be used."},
    503: {"model": Problem, "description": "Too many requests are waiting, or another process blocks the journal."},
    507: {"model": Problem, "description": "The disk is full: nothing of the request was kept."},
}


def as_json(document: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(json.dumps(document), status, headers, media_type="application/json")


def explain_errors(app: FastAPI, meters: Meters) -> None:
    """Handlers for whatever a request may raise."""

    def problem(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
        return as_json({"error": " ".join(sentence.split())}, status, headers)

    @app.exception_handler(RequestValidationError)
    async def not_valid(request: Request, error: RequestValidationError) -> Response:
        return problem(422, sentence_of(list(error.errors())))

    @app.exception_handler(Conflict)
    async def conflict(request: Request, error: Conflict) -> Response:
        return problem(409, str(error))

    @app.exception_handler(InputError)
    async def refused(request: Request, error: InputError) -> Response:
        return problem(422, str(error))

    @app.exception_handler(JournalError)
    async def not_kept(request: Request, error: JournalError) -> Response:
        log.error("%s", error)
        meters.failed.inc()
        return problem(507 if "full" in str(error) else 503, str(error), {"Retry-After": "5"})

    @app.exception_handler(Busy)
    async def busy(request: Request, error: Busy) -> Response:
        return problem(503, "too many requests are waiting: try again in a second", {"Retry-After": "1"})

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> Response:
        said = {
            404: f"there is no {request.url.path[:100]!r} here: /docs lists what there is",
            405: f"{request.method} cannot be asked of {request.url.path!r}: /docs tells what can",
            400: "the request is no JSON that can be read: mend it; /docs shows an example",
        }
        return problem(error.status_code, said.get(error.status_code, error.detail), dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        return problem(500, "the server failed on this request, and its log tells why: report it, or try another")
