"""Graphs larger than memory: the same method on a folder of memory-mapped arrays, by one process or many.

    source.py      a Graph, or a folder of .npy files        →  GraphArrays
    table_*.py     tables larger than memory                  →  GraphArrays (DuckDB numbers the ids)
    manifest.py    what a store is of
    layout.py      which arrays it holds, and what each must be
    checks.py      the one check before compiled code reads an array
    records.py     digests: what is read is what was written
    store.py       the folder that everything below fills; an existing file is a finished step
    edges.py       edges in any order                         →  sorted neighbour lists on disk (with edge_kernels.py)
    columns.py     features [n, d]                            →  scaled blocks of columns
    tasks.py       one block of columns                       →  its K propagated hops and its share of the similarities
    threads.py     rows shared out to the threads of one task
    executors.py   who runs the tasks: this process, several, or a Ray cluster
    direction.py   some labelled nodes and their neighbours    →  which way the edges help, where that is left open
    filling.py     all of it in order: `precompute`
    settings.py    which settings go with a store
    rows.py        some nodes of the store                    →  `Rows`, what the model reads
    reduced.py     a model's first products, propagated: prediction where no hops are kept
    training.py    mini-batches of rows                       →  trained weights; under torchrun, by several processes
    resumable.py   the state of training after an epoch, from which a killed one goes on
    remembered_choice.py  what a probe chose for it
    labelled_run.py  the labelled nodes as a `Run`, which is scored as any other
    sampling.py    a sample of labelled nodes
    probing.py     hyperparameters that nobody named            →  chosen by short training runs on a sample
    fitting.py     all of that: `fit_stored`
    store_space.py, tuning.py  a search over what a store leaves open: `tune_stored`
    stored_run.py  a trained model that predicts store by store, chunk by chunk
    stored_run_files.py  the same on disk
    explanation.py a node of a store                          →  why it is classified as it is
    surroundings.py  degrees and homophily of its labelled nodes
    run_facts.py   what such a model says of itself, checked

Column blocks do not depend on each other (Â^k X[:, c] needs only X[:, c]), so that propagation is a map over them; and
after it a node is a row, so that training is that of any classifier.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "Store": "store",
    "StoredRun": "stored_run",
    "TablesOnDisk": "table_source",
    "fit_stored": "fitting",
    "joined_world": "world",
    "precompute": "filling",
    "processes": "executors",
    "ray": "executors",
    "read_folder": "source",
    "serial": "executors",
    "tune_stored": "tuning",
}

__all__ = [
    "Store",
    "StoredRun",
    "TablesOnDisk",
    "fit_stored",
    "joined_world",
    "precompute",
    "processes",
    "ray",
    "read_folder",
    "serial",
    "tune_stored",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"lsgnn.out_of_core.{_HOME[name]}"), name)
    raise AttributeError(f"module 'lsgnn.out_of_core' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
