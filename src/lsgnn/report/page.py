"""From facts and charts to one self-contained HTML file: no network, light and dark, readable on a phone.

Everything a user may have typed (node ids, class names, graph names) is escaped by the template engine; the page's own
script is the only one its content security policy lets run, so that nothing in the data ever could.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

NOT_DEFINED = "–"


def render(template: str, **context: Any) -> str:
    """Fills one of `report/templates/`; charts in `context` must come as `drawn`."""
    import lsgnn

    script, style = _asset("page.js"), _asset("page.css")
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    page = _environment().get_template(template)
    fixed = {"script": Markup(script), "style": Markup(style), "script_hash": digest, "version": lsgnn.__version__}
    return page.render(**fixed, **context)


def drawn(chart: str) -> Markup:
    """A chart of `report.charts`, which escapes its own text."""
    return Markup(chart)


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], words: Sequence[int] = (0,)) -> dict[str, Any]:
    """A table for the page; columns in `words` hold text, the others numbers. A cell is text, or (text, sort key)."""
    cells = [[cell if isinstance(cell, tuple) else (cell, None) for cell in row] for row in rows]
    return {"head": list(head), "rows": cells, "words": set(words)}


def percent(share: float | None, digits: int = 1) -> str:
    """0.123 → 12.3 %."""
    return NOT_DEFINED if share is None or not math.isfinite(share) else f"{100 * share:.{digits}f} %"


def number(value: float | None, digits: int = 3) -> str:
    """Counts with thousands apart, other numbers with so many decimals and a true minus sign."""
    if value is None or not math.isfinite(value):
        return NOT_DEFINED
    if isinstance(value, int):
        return f"{value:,}"
    shown = f"{value:.{digits}f}"
    return shown.replace("-", "−" if float(shown) else "")


def kept_together(words: str) -> str:
    """No line break between a number and its per cent sign."""
    return words.replace(" %", "\u00a0%")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("lsgnn.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "number": number, "kept_together": kept_together}
    return environment


@cache
def _asset(name: str) -> str:
    return (files("lsgnn.report") / "templates" / name).read_text("utf-8")
