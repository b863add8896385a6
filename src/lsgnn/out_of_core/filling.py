"""`precompute`: a graph, maybe larger than memory → a `Store`. Killed at any time, the same call goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.graph.graph import Graph
from lsgnn.out_of_core.columns import column_blocks, write_columns
from lsgnn.out_of_core.edge_parts import edge_parts
from lsgnn.out_of_core.edges import write_neighbours
from lsgnn.out_of_core.executors import Executor, serial
from lsgnn.out_of_core.filter_values import write_filter
from lsgnn.out_of_core.kernels import cosines
from lsgnn.out_of_core.layout import (
    PARTIAL,
    PARTIAL_ROWS,
    all_files,
    filter_neighbours,
    hop,
    partial_rows,
    partial_similarity,
    similarity_neighbours,
)
from lsgnn.out_of_core.manifest import DTYPES, KEEPS, Manifest, is_store
from lsgnn.out_of_core.settings import require_storable
from lsgnn.out_of_core.source import GraphArrays, is_folder, open_source
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.table_source import WORKING, TablesOnDisk, give_memory_back, open_tables
from lsgnn.out_of_core.tasks import propagate_block
from lsgnn.out_of_core.threads import all_cores
from lsgnn.propagate.irdc import MAX_BASIS_K
from lsgnn.runs.defaults import Draft, suited_to

SMALLEST_MEMORY = 1_000_000  # bytes; with less, files are read in crumbs
LOOKED_AT = 100_000  # rows of a table whose columns are compared
OnTask = Callable[[int, int], None]  # tasks that are done, and how many there are


def precompute(
    source: Any,
    out: str | Path,
    config: LSGNNConfig | Draft | None = None,
    *,
    split: int = 0,
    max_memory: int = 4 << 30,
    keep: str = "all",
    dtype: str = "float32",
    jobs: int = 1,
    threads: int | None = None,
    executor: Executor = serial,
    on_task: OnTask | None = None,
    on_note: Callable[[str], None] | None = None,
) -> Store:
    """Computes everything of LSGNN that has no parameters, block by block, into the folder `out`.

    Args:
        source: a folder of arrays (see `lsgnn.out_of_core.source.read_folder`), tables that are larger than memory
            (`TablesOnDisk`), or anything `lsgnn.as_graph` takes.
        config: settings; the store depends on some of them (`lsgnn.out_of_core.manifest.PRECOMPUTED`), `fit_stored`
            starts from the others. Without one, or in a draft that leaves `feature_norm` open, columns of very
            different sizes are standardised, unless `source` is a folder. `direction="auto"` is decided by a sample of
            the labelled nodes and their neighbours (`lsgnn.out_of_core.direction`).
        split: which of a graph's splits to use; a folder of arrays has one.
        max_memory: bytes to allocate at most, by all jobs together, besides a few numbers for each node and the edges
            of the node that has most (files are mapped: the system keeps as much of them in memory as there is room).
        keep: "all" propagated features, or those of "labelled" nodes only: `fit_stored` needs no others, and prediction
            then multiplies first and propagates the products.
        dtype: "float32", or "float16" for features on disk, propagated or not; sums are those of float32 all the same.
        jobs: tasks that `executor` runs at a time, which share the memory.
        threads: of each task, which share its memory; the result is the same. Default: all cores, if this process runs
            the tasks, else one.
        executor: who runs the tasks; see `lsgnn.out_of_core.executors`.
        on_task: called with how many tasks are done, and of how many.
        on_note: called with what was chosen, or done to columns of tables, a sentence at a time.
    """
    given = config if isinstance(config, Draft) else Draft(config or LSGNNConfig(), _open_to(config))
    if given.config.direction == "auto" and is_store(out):  # as it was chosen when the store was begun
        given = replace(given, config=given.config.replace(direction=Store(out).config.direction))
    _require_fit(given.config, keep, dtype, max_memory, jobs)
    if isinstance(source, TablesOnDisk):
        if (store := _finished(source, out, given, keep, dtype)) is not None:
            return store
        arrays, notes = open_tables(source, Path(out).expanduser(), max_memory, threads=jobs)
        if on_note is not None:
            for note in notes:
                on_note(note)
        looked_at: Any = Graph(x=arrays.x[slice(0, LOOKED_AT)], edge_index=np.zeros((2, 0), np.int64))
    else:
        looked_at = None if is_folder(source) else as_graph(source)
        arrays = open_source(source if looked_at is None else looked_at, split)
    suited: LSGNNConfig = given.config
    if looked_at is not None and "feature_norm" in given.open_to:
        suited = suited_to(looked_at, suited)
    if suited.direction == "auto":
        from lsgnn.out_of_core.direction import probed_direction  # which trains, with all that this takes to load

        suited, choice = probed_direction(arrays, suited)
        if on_note is not None:
            on_note(f"direction={suited.direction!r}, as all edges go both ways" if choice is None else str(choice))
    n, d = arrays.x.shape
    memory = max_memory // jobs
    is_new = not is_store(out)
    store = Store.create(
        out,
        Manifest(
            source=arrays.identity,
            num_nodes=n,
            num_features=d,
            class_names=arrays.class_names,
            settings=suited.to_dict(),
            blocks=column_blocks(n, d, memory),
            memory=memory,
            feature_names=arrays.feature_names,
            weighted=arrays.edge_weight is not None,
            keep=keep,
            dtype=dtype,
        ),
    )
    threads = threads or (all_cores() if executor is serial else 1)
    with store.locked():
        store.sweep()
        try:
            write_inputs(store, arrays, threads)
        except InputError:
            if is_new:
                store.remove("")  # data that turned out wrong shall not be in the way of the corrected ones
            raise
        del arrays, looked_at  # else a row group of the tables, and a sample of their rows, would stay
        if isinstance(source, TablesOnDisk):
            give_memory_back()
        tasks = [(str(store.folder), block, threads) for block in range(len(store.manifest.blocks))]
        for done, _ in enumerate(executor(propagate_block, tasks), start=1):
            if on_task is not None:
                on_task(done, len(tasks))
        write_similarity(store)
        write_labelled_rows(store)
        store.remove(WORKING)
        store.sweep()  # what tasks of a machine that died have begun
    return store


def _require_fit(config: LSGNNConfig, keep: str, dtype: str, max_memory: int, jobs: int) -> None:
    """Raises where no store can be made so."""
    if config.K > MAX_BASIS_K:
        raise InputError(f"K={config.K} is out of range for a store: it must be at most {MAX_BASIS_K}")
    if config.filter != "weighted_self_loop":
        raise InputError(f"filter={config.filter!r} is not for stores: use 'weighted_self_loop'")
    require_storable(config)
    for name, value, choices in (("keep", keep, KEEPS), ("dtype", dtype, DTYPES)):
        if value not in choices:
            raise InputError(f"{name}={value!r} is not known: use one of {', '.join(choices)}")
    if max_memory < SMALLEST_MEMORY * jobs:
        raise InputError(f"max_memory={max_memory} is too little: give each job at least {SMALLEST_MEMORY} bytes")


def _open_to(config: LSGNNConfig | None) -> frozenset[str]:
    return frozenset({"feature_norm"} if config is None else ())


def _finished(tables: TablesOnDisk, out: str | Path, given: Draft, keep: str, dtype: str) -> Store | None:
    """The store, if it is there and of these tables: its working folder is gone, and nothing need be read again."""
    if not is_store(out):
        return None
    store = Store(out)
    chosen = {name: store.manifest.settings[name] for name in given.open_to & store.manifest.settings.keys()}
    wanted = replace(store.manifest, settings=given.config.to_dict() | chosen, keep=keep, dtype=dtype)
    same = (store.manifest.source, store.manifest.depends_on) == (tables.identity, wanted.depends_on)
    return store if same and store.has(*all_files(store.manifest, store.config)) else None


def write_inputs(store: Store, arrays: GraphArrays, threads: int = 1) -> None:
    """Labels, masks and ids; neighbour lists; Â; the scaled features in blocks of columns."""
    parts = {"train": arrays.split.train, "val": arrays.split.val, "test": arrays.split.test}
    for name, values in {"y": arrays.y, "node_ids": arrays.node_ids, **parts}.items():
        store.save(name, np.asarray(values))
    config = store.config
    write_neighbours(store, arrays, filter_neighbours(config), config.read_direction, False, threads)
    direction = config.similarity_direction
    write_neighbours(store, arrays, similarity_neighbours(config), direction, config.localsim_self_loops, threads)
    write_filter(store)
    write_columns(store, arrays)


def write_similarity(store: Store) -> None:
    """similarity [E]: the blocks' shares, added up."""
    if not store.has("similarity"):
        _add_up(store)
    store.remove(PARTIAL)


def _add_up(store: Store) -> None:
    config, blocks = store.config, range(len(store.manifest.blocks))
    partial = [store.array(partial_similarity(block)) for block in blocks]
    name, length = similarity_neighbours(store.config), np.sqrt(store.array("squared_length")).astype(np.float32)
    indptr, indices = store.array(f"{name}/indptr"), store.array(f"{name}/indices")
    with store.writing("similarity", indices.shape, np.float32) as out:
        for part, first in edge_parts(store, indptr):
            total = partial[0][part].astype(np.float64)
            for sums in partial[1:]:
                total += sums[part]
            if config.similarity == "cosine":
                cosines(indptr, indices, first, part.start, total, length[:, None], out[part])
            else:
                out[part] = config.euclid_sign * (total if config.similarity == "squared" else np.sqrt(total))


def write_labelled_rows(store: Store) -> None:
    """labelled [m], the nodes with a label, and rows [m, K+1, d], their propagated features side by side."""
    labelled = np.flatnonzero(store.array("y") >= 0)
    store.save("labelled", labelled)
    if not store.has("rows"):
        _side_by_side(store, labelled)
    store.remove(PARTIAL_ROWS)


def _side_by_side(store: Store, labelled: NDArray[np.int64]) -> None:
    K, d = store.config.K, store.manifest.num_features
    at_once = max(1, store.manifest.memory // (8 * (K + 1) * d))
    with store.writing("rows", (len(labelled), K + 1, d), store.manifest.dtype) as out:
        for start in range(0, len(labelled), at_once):
            part = slice(start, start + at_once)
            for block, (first, last) in enumerate(store.manifest.blocks):
                if store.manifest.keep == "labelled":
                    out[part, :, first:last] = store.array(partial_rows(block))[part]
                    continue
                for s in range(K + 1):
                    out[part, s, first:last] = store.array(hop(s, block))[labelled[part]]
