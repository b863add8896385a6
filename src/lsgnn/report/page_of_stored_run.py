"""`stored_run_page`: the page of a run on a store, which shows its labelled nodes and takes them apart as any run's.

Degrees and homophily are those of the whole graph. Single nodes are explained by `StoredRun.explain`, not in the page.
"""

from __future__ import annotations

from pathlib import Path

from lsgnn.files import write_text
from lsgnn.out_of_core.layout import filter_neighbours
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.stored_run import StoredRun
from lsgnn.out_of_core.surroundings import surroundings
from lsgnn.report.page_of_run import Part, page_of, seen_of


def stored_run_page(run: StoredRun, store: Store, *, part: Part = "val") -> str:
    """The whole page as text; arguments as in `run_page`."""
    own = run.on(store)
    edges = int(store.array(f"{filter_neighbours(store.config)}/indptr")[-1])
    size = (
        f"{own.graph.num_nodes:,} labelled of {store.num_nodes:,} nodes, which read {edges:,} neighbours, "
        f"{own.graph.num_classes} classes"
    )
    return page_of(seen_of(own, part, *surroundings(store)), size=size)


def write_stored_run_page(run: StoredRun, store: Store, path: str | Path, *, part: Part = "val") -> None:
    """Writes the page, whole or not at all."""
    write_text(path, stored_run_page(run, store, part=part))
