"""The ASGI application of a run: `create_app(folder)` for uvicorn, gunicorn, Ray Serve or `lsgnn serve`.

gunicorn -k uvicorn_worker.UvicornWorker 'lsgnn.serving.app:create_app("my-run")'
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from lsgnn.errors import InputError
from lsgnn.files import plain
from lsgnn.runs.run import Run
from lsgnn.serving import pages
from lsgnn.serving.gate import Gate
from lsgnn.serving.journal import NAME as JOURNAL
from lsgnn.serving.lane import Lane
from lsgnn.serving.limits import Limits
from lsgnn.serving.meters import Meters
from lsgnn.serving.problems import PROBLEMS, as_json, explain_errors
from lsgnn.serving.questions import Answer, KnownRequest, NewRequest
from lsgnn.serving.schemas import Explained, KnownNodes, NewNodesBody, PredictionsAnswer
from lsgnn.serving.service import Service


def create_app(
    run: str | Path | Run,
    *,
    journal: str | Path | None = None,
    token: str | None = None,
    hosts: Collection[str] | None = None,
    limits: Limits | None = None,
) -> FastAPI:
    """The application that answers questions about one run.

    Args:
        run: a folder written by `lsgnn fit --out`.
        journal: where nodes are kept; by default `journal.sqlite` in that folder.
        token: what clients must show as a bearer token, if anything.
        hosts: names under which the server may be asked, if not under any.
        limits: of requests and clients.
    """
    limits = limits or Limits()
    if journal is None:
        if isinstance(run, Run):
            raise InputError("where are nodes to be kept? pass journal=, or the folder of the run instead of the run")
        journal = Path(run) / JOURNAL
    service = Service(run if isinstance(run, Run) else Run.load(run), Path(journal).expanduser())
    meters = Meters()
    lane: Lane[KnownRequest | NewRequest, Answer] = Lane(service.answer, limits.waiting)
    aside = ThreadPoolExecutor(1, "lsgnn-explains")  # explanations read the whole graph, and must not hold up the rest

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        lane.close()
        aside.shutdown(wait=True, cancel_futures=True)
        service.journal.close()

    import lsgnn

    app = FastAPI(
        title="lsgnn",
        version=lsgnn.__version__,
        description="Classes of the nodes of a graph, known and new.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    explain_errors(app, meters)
    answers: dict[str, Any] = {"responses": {200: {"model": PredictionsAnswer}, **PROBLEMS}}

    @app.post("/predict", summary="Classes of known nodes", **answers)
    async def predict(body: KnownNodes) -> Response:
        _require_few(len(body.ids), limits)
        return as_json(_told(await lane.ask(KnownRequest(body.ids, body.threshold))))

    @app.post("/predict/new", summary="Classes of new nodes, which may be kept", **answers)
    async def predict_new(body: NewNodesBody) -> Response:
        _require_few(len(body.nodes), limits)
        for number, node in enumerate(body.nodes):
            if body.persist and node.id is None:
                raise InputError(f"nodes[{number}].id is missing: give a node that is to be kept an id")
        nodes = [node.to_node(number) for number, node in enumerate(body.nodes)]
        answer = await lane.ask(NewRequest(nodes, body.persist, body.threshold))
        meters.scored.inc(len(nodes))
        meters.kept.inc(answer.kept)
        return as_json(_told(answer))

    @app.post("/explain", summary="Why a known node is classified as it is", responses=PROBLEMS)
    async def explain(body: Explained) -> Response:
        work = asyncio.get_running_loop().run_in_executor(aside, _explained, service, body)
        return as_json(await work)

    @app.get("/health", summary="Whether the server answers")
    async def health() -> dict[str, Any]:
        return {"status": "ok", "version": lsgnn.__version__}

    @app.get("/model", summary="The run: its classes, its features, an example")
    async def model() -> Response:
        return as_json(pages.about(service, limits))

    @app.get("/metrics", summary="Counters for Prometheus")
    async def metrics() -> Response:
        return Response(meters.exposition(), media_type="text/plain; version=0.0.4")

    @app.get("/", include_in_schema=False)
    async def page() -> HTMLResponse:
        return _html(pages.page("try.html"))

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return _html(pages.page("docs.html", api=pages.described(app.openapi())))

    paths = [route.path for route in app.routes if hasattr(route, "path")]
    app.add_middleware(Gate, limits=limits, meters=meters, paths=paths, token=token, hosts=hosts)
    return app


def _explained(service: Service, body: Explained) -> Any:
    number = service.index.find(body.id)
    if number >= service.run.graph.num_nodes:
        raise InputError(
            f"node {body.id!r} came after the run was trained, and explanations are of the run's own nodes: "
            "train the run again with what was kept"
        )
    return plain(service.run.explain(body.id, body.member).to_dict())


def _require_few(count: int, limits: Limits) -> None:
    if count > limits.nodes:
        raise HTTPException(413, f"there are {count} nodes in the request, but {limits.nodes} at most: send fewer")


def _told(answer: Answer) -> dict[str, Any]:
    found = answer.predictions
    rows = zip(
        found.node_ids.tolist(), found.labels, found.confidence.tolist(), found.probabilities.tolist(), strict=True
    )
    return {
        "predictions": [
            {
                "id": id,
                "prediction": label,
                "confidence": confidence,
                "probabilities": dict(zip(found.class_names, probabilities, strict=True)),
            }
            for id, label, confidence, probabilities in rows
        ],
        "threshold": None if found.decision is None else found.decision.threshold,
        "notes": list(answer.notes),
        "kept": answer.kept,
    }


def _html(text: str) -> HTMLResponse:
    return HTMLResponse(text, headers={"Content-Security-Policy": pages.policy(), "X-Content-Type-Options": "nosniff"})
