"""The pages of a server: one to try a node by hand, one that describes the API. Both load nothing from anywhere."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from lsgnn.serving.limits import Limits
from lsgnn.serving.service import Service

SHOWN = 50  # feature names that `/model` lists


def page(template: str, **context: Any) -> str:
    """One of `serving/templates/`; whatever comes from data is escaped."""
    fixed = {"script": Markup(_script()), "style": Markup(_asset("serve.css"))}
    return _environment().get_template(template).render(**fixed, **context)


@cache
def policy() -> str:
    """The page's own script and style, and requests to this server: nothing else may run or be loaded."""
    digest = base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def about(service: Service, limits: Limits) -> dict[str, Any]:
    """What `/model` tells of a run."""
    run, features = service.run, service.features
    return {
        "graph": run.graph.name,
        "model": run.title,
        "nodes": run.graph.num_nodes,
        "kept": service.num_kept,
        "classes": list(run.graph.class_names),
        "features": {
            "count": features.width,
            "names": list(features.names[:SHOWN]),
            "may_be_left_out": features.may_be_left_out,
        },
        "weighted": run.graph.edge_weight is not None,
        "limits": {"nodes": limits.nodes, "bytes": limits.body},
        "example": example(service),
    }


def example(service: Service) -> dict[str, Any]:
    """A request that can be sent as it is: a copy of the first node, attached to it."""
    graph, features = service.run.graph, service.features
    row = graph.x[[0]]
    values = (row.toarray() if hasattr(row, "toarray") else row)[0].tolist()
    given: Any = values  # of a table, whose cells are not known any more
    if features.names is features.columns:
        named = zip(features.columns, values, strict=True)
        given = {name: value for name, value in named if value or not features.is_sparse}
    edge: dict[str, Any] = {"target": graph.node_ids[0].item()}
    if graph.edge_weight is not None:
        edge["weight"] = 1.0
    return {"nodes": [{"id": "my-node", "features": given, "edges": [edge]}], "persist": False}


def described(openapi: dict[str, Any]) -> list[dict[str, Any]]:
    """The paths of an OpenAPI document with their fields, for the page."""
    schemas = openapi.get("components", {}).get("schemas", {})
    found = []
    for path, methods in openapi["paths"].items():
        for method, about_it in methods.items():
            body = about_it.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            found.append(
                {
                    "method": method.upper(),
                    "path": path,
                    "summary": about_it.get("summary", ""),
                    "fields": _fields(schemas, body.get("$ref", "")),
                    "statuses": [
                        (code, answer["description"]) for code, answer in sorted(about_it["responses"].items())
                    ],
                }
            )
    return found


def _fields(schemas: dict[str, Any], reference: str, depth: int = 0) -> list[tuple[int, str, bool, str]]:
    """Depth, name, whether it is needed, and meaning of each field."""
    schema = schemas.get(reference.rpartition("/")[2], {})
    rows = []
    for name, field in schema.get("properties", {}).items():
        rows.append((depth, name, name in schema.get("required", ()), field.get("description", "")))
        inner = field.get("items", {}).get("$ref", "")
        rows += _fields(schemas, inner, depth + 1) if inner and depth < 3 else []
    return rows


@cache
def _environment() -> Environment:
    return Environment(loader=PackageLoader("lsgnn.serving"), autoescape=True, undefined=StrictUndefined)


@cache
def _asset(name: str) -> str:
    return (files("lsgnn.serving") / "templates" / name).read_text("utf-8")


def _script() -> str:
    return _asset("serve.js")
