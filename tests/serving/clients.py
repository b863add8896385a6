"""Requests that tests share: new nodes of a small graph, and two ways to send them."""

import asyncio
from dataclasses import replace
from typing import Any

import numpy as np

from lsgnn import Graph
from lsgnn.serving.new_node import NewEdge, NewNode
from tests.graphs import two_blocks


def named_blocks() -> Graph:
    graph = two_blocks()
    return replace(
        graph,
        node_ids=np.array([f"page{i}" for i in range(80)]),
        feature_names=tuple(f"f{j}" for j in range(6)),
        class_names=("cat", "dog"),
    )


def features(seed: int = 1) -> dict[str, float]:
    """Of a new page, by name."""
    return {f"f{j}": float(v) for j, v in enumerate(two_blocks(seed=seed, n=2).x[0])}


def new_node(id: str, *targets: str, seed: int = 1) -> NewNode:
    return NewNode(id, features(seed), tuple(NewEdge(id, target) for target in targets))


def body(*nodes: NewNode, persist: bool = False) -> dict[str, Any]:
    """The same as JSON."""
    described = [
        {"id": n.id, "features": n.features, "edges": [{"source": e.source, "target": e.target} for e in n.edges]}
        for n in nodes
    ]
    return {"nodes": described, "persist": persist}


def ask(app: Any, path: str, document: Any = None, **how: Any) -> Any:
    """The answer of an application to one request, in this process; `content=` sends bytes as they are."""
    import httpx

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            if document is None and "content" not in how:
                return await client.get(path, **how)
            given = how if document is None else {"json": document, **how}
            headers = {"Content-Type": "application/json", **given.pop("headers", {})}
            return await client.post(path, headers=headers, **given)

    return asyncio.run(send())
