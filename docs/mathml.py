"""Formulas as MathML, which browsers show by themselves: pages need no script from the network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

SIZE = re.compile(r"\\(?:big|Big|bigg|Bigg)(?![A-Za-z])")  # docutils knows \left and \bigl, but not these
ACCENT = re.compile(r"\\(hat|tilde|bar) ?\{?([A-Za-z])\}?")  # in braces, or an index after it is set below it


def to_mathml(node: Any, as_block: bool) -> str:
    latex = SIZE.sub("", node.astext()).replace(r"\dots", r"\ldots")
    latex = ACCENT.sub(r"{\\\1 \2}", latex)
    try:
        return tex2mathml(latex, as_block=as_block)
    except MathError as error:
        logging.getLogger(__name__).warning("cannot show the formula %r: %s", latex, error, location=node)
        return f"<code>{latex}</code>"


def inline(writer: Any, node: Any) -> None:
    writer.body.append(to_mathml(node, as_block=False))
    raise nodes.SkipNode


def block(writer: Any, node: Any) -> None:
    writer.body.append(f'<div class="math">{to_mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
