"""GraphML files (networkx, DGL by way of networkx, Gephi, igraph) → `Graph`.

XML can declare entities that unfold to gigabytes or point to other files; a graph needs none, so that whoever declares
some is refused before a parser sees the file.
"""

from __future__ import annotations

import re
from pathlib import Path

from lsgnn.errors import InputError
from lsgnn.extras import optional
from lsgnn.graph.graph import Graph
from lsgnn.graph.io.networkx_graph import from_networkx
from lsgnn.graph.io.read_limit import read_limit
from lsgnn.graph.paths import existing_file

TIMES = 20  # what the graph takes in memory for a byte of the file
ENCODINGS = ("utf-8", "us-ascii", "ascii", "iso-8859-1", "latin-1")  # in which a declaration cannot hide
ENCODING = re.compile(rb"""^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']*)["']""")


def load_graphml(path: str | Path) -> Graph:
    """Reads a graph with its node attributes as columns and the edge attribute `weight`; named after the file."""
    path = existing_file(path)
    networkx = optional("networkx", "networkx")
    on_disk = path.stat().st_size
    read_limit(path.name, on_disk).require(TIMES * on_disk, "takes in memory")
    text = path.read_bytes()
    _require_plain(text, path)
    try:
        graph = networkx.parse_graphml(text.decode(_encoding(text)))
    except Exception as error:  # the parser, the reader and its conversions of values raise what they like
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{path.name} is not a readable GraphML file ({reason}): write it again") from error
    if graph.is_multigraph():
        graph = networkx.DiGraph(graph) if graph.is_directed() else networkx.Graph(graph)
    return from_networkx(graph, name=path.stem)


def _require_plain(text: bytes, path: Path) -> None:
    if b"\0" in text or _encoding(text) not in ENCODINGS:
        raise InputError(f"{path.name} cannot be read (it is no UTF-8 text): save it as UTF-8")
    if re.search(rb"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise InputError(
            f"{path.name} declares a document type or entities, which GraphML does not need and which can unfold to "
            "anything: remove the declaration"
        )


def _encoding(text: bytes) -> str:
    found = ENCODING.match(text.removeprefix(b"\xef\xbb\xbf"))
    return found[1].decode("ascii", "replace").lower() if found else "utf-8"
