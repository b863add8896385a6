"""What is known about every dataset: who made it, its licence, its statistics, its traps and where to get it.

The facts are data (`registry.toml`), read on first use. `loading` uses them to find a graph and `verify` to
make sure that the graph found is the one meant.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from lsgnn.errors import InputError

if TYPE_CHECKING:
    from lsgnn.graph.graph import Graph

Loader = Literal[
    "bundled",  # <name>.npz in the package
    "fsbm",  # generated
    "planetoid",
    "webkb",
    "wikipedia",
    "actor",
    "heterophilous",
    "yandex",
    "ogb",
    "ogb_year",
    "npz",  # from a data folder only
    "npz_year",  # another dataset's .npz file, by year
]
Metric = Literal["accuracy", "roc_auc"]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One dataset of the registry; `edges` counts the columns of `edge_index`, self loops included."""

    name: str
    title: str
    source: str  # who made it, and the paper that introduced it in this form
    licence: str
    nodes: int
    edges: int
    classes: int
    features: int
    edge_homophily: float
    splits: int  # official train/validation/test divisions; 0 where there are none
    metric: Metric = "accuracy"
    caution: str = ""  # what a careful reader of a result on this dataset must know
    paper_edges: int | None = None  # "#Edges" in the LSGNN paper
    paper_homophily: float | None = None  # H(G) in the LSGNN paper
    loader: Loader
    upstream: str = ""  # the loader's own name for it (a PyG name, or a file)
    edges_slack: int = 0  # how many duplicates the raw edge list may hold (they are merged)
    sha256: str = ""  # of `<name>.npz`
    content_sha256: str = ""  # of the graph itself, whatever file it comes from (see `content`)
    raw_sha256: Mapping[str, str] = field(default_factory=dict)  # of the publisher's files

    @property
    def downloadable(self) -> bool:
        return self.loader not in ("bundled", "fsbm", "npz", "npz_year")

    @property
    def file(self) -> str:
        """The file in a data folder that holds it."""
        return f"{self.upstream if self.loader == 'npz_year' else self.name}.npz"


def names() -> tuple[str, ...]:
    """Every dataset name, the paper's eleven first, in the paper's order."""
    return tuple(_entries())


def dataset_of(graph: Graph) -> str:
    """The dataset that a graph is, by its name; "" for any other, and for tables in a folder of such a name."""
    return graph.name if graph.columns is None and graph.name in _entries() else ""


def info(name: str) -> Entry:
    """The registry's entry of a dataset.

    >>> info("texas").caution
    'one class has a single node; 37 test nodes per split, so one node is 2.7 points'
    """
    entries = _entries()
    if name in entries:
        return entries[name]
    near = get_close_matches(name.lower(), entries, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"the datasets are {', '.join(entries)}"
    raise InputError(f"there is no dataset {name!r}: {hint}")


@cache
def _entries() -> dict[str, Entry]:
    table = tomllib.loads((files("lsgnn.datasets") / "registry.toml").read_text("utf-8"))
    return {name: Entry(name=name, **facts) for name, facts in table.items()}
