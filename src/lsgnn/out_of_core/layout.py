"""Which arrays a store holds: their names, and what each must be before compiled code may read it."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.out_of_core.manifest import Manifest

PARTIAL = "partial"  # folder of what blocks add to the similarities, until they are added up
PARTIAL_ROWS = "partial-rows"  # folder of the blocks' labelled rows, until they are put side by side
LARGEST_DOUBLE = float(np.finfo(np.float64).max)
LARGEST = float(np.finfo(np.float32).max)
SMALLEST = float(np.finfo(np.float32).smallest_subnormal)


@dataclass(frozen=True)
class Layout:
    """What an array must be.

    Args:
        kind: its type, or, in one letter, its kind of types.
        bounds: least and greatest value (None: any); NaN is in no bounds.
        rule: the bounds in words, for people.
        order: what must hold of each value and the one before.
        first: what it must begin with (None: anything).
    """

    kind: str
    shape: tuple[int, ...]
    bounds: tuple[float, float] | None
    rule: str = ""
    order: Callable[[Any, Any], Any] | None = None
    first: int | None = None


def hop(s: int, block: int) -> str:
    """Name of Â^s X at the columns of a block [n, width]."""
    return f"hop{s}/block{block}"


def partial_similarity(block: int) -> str:
    """Name of what the columns of a block add to each edge's similarity [E]."""
    return f"{PARTIAL}/block{block}"


def partial_rows(block: int) -> str:
    """Name of Â^s X of the labelled nodes at the columns of a block [m, K+1, width]; only where no hops are kept."""
    return f"{PARTIAL_ROWS}/block{block}"


def neighbour_lists(direction: str, self_loops: bool) -> str:
    """Name of a folder with the neighbours that each node reads: indptr [n+1], indices [E], weights [E]."""
    return f"neighbours-{direction}{'-and-self' if self_loops else ''}"


def filter_neighbours(config: LSGNNConfig) -> str:
    """The neighbour lists that propagation reads."""
    return neighbour_lists(config.direction, self_loops=False)


def similarity_neighbours(config: LSGNNConfig) -> str:
    """The neighbour lists that LocalSim reads; by default those that propagation reads."""
    return neighbour_lists(config.similarity_direction, config.localsim_self_loops)


def list_files(name: str, weighted: bool) -> list[str]:
    """The arrays of some neighbour lists."""
    return [f"{name}/{file}" for file in ("indptr", "indices", *(("weights",) if weighted else ()))]


def column_files(manifest: Manifest) -> list[str]:
    """The arrays of the scaled features."""
    return [*(hop(0, block) for block in range(len(manifest.blocks))), "squared_length"]


def all_files(manifest: Manifest, config: LSGNNConfig) -> list[str]:
    """Names of the arrays of a finished store, none before those that its layout depends on."""
    lists = dict.fromkeys((filter_neighbours(config), similarity_neighbours(config)))
    kept = range(1, config.K + 1) if manifest.keep == "all" else ()
    hops = [hop(s, block) for s in kept for block in range(len(manifest.blocks))]
    neighbours = [file for name in lists for file in list_files(name, manifest.weighted)]
    inputs = ["y", "node_ids", "train", "val", "test", *neighbours, "filter_values", *column_files(manifest)]
    return [*inputs, *hops, "similarity", "labelled", "rows"]


def layout_of(name: str, manifest: Manifest, config: LSGNNConfig, array: Callable[[str], NDArray[Any]]) -> Layout:
    """What the array `name` must be; `array` opens others, on which it depends."""
    n, d, finite = manifest.num_nodes, manifest.num_features, ((-LARGEST, LARGEST), "finite")
    largest = float(np.finfo(manifest.dtype).max)
    features = ((-largest, largest), "finite" if manifest.dtype == "float32" else f"between ±{largest:.0f}")

    def edges(lists: str) -> tuple[int]:
        return (int(array(f"{lists}/indptr")[-1]),)

    def labelled() -> int:
        return int(np.count_nonzero(array("y") >= 0))

    folder, _, file = name.rpartition("/")
    block = re.fullmatch(r"(hop\d+|partial|partial-rows)/block(\d+)", name)
    if block and block[1] == PARTIAL:
        return Layout("float32", edges(similarity_neighbours(config)), *finite)
    if block:
        first, last = manifest.blocks[int(block[2])]
        if block[1] == PARTIAL_ROWS:
            return Layout(manifest.dtype, (labelled(), config.K + 1, last - first), *features)
        return Layout(manifest.dtype, (n, last - first), *features)
    if folder:
        nodes = "int32" if n < 2**31 else "int64"
        return {
            "indptr": lambda: Layout("int64", (n + 1,), (0, 2**62), "at least 0", operator.ge, first=0),
            "indices": lambda: Layout(nodes, edges(folder), (0, n - 1), f"between 0 and {n - 1}"),
            "weights": lambda: Layout("float32", edges(folder), (SMALLEST, LARGEST), "positive and finite"),
        }[file]()
    classes = len(manifest.class_names)
    mask = Layout("bool", (n,), (0, 1), "0 or 1")
    return {
        "y": lambda: Layout("int64", (n,), (-1, classes - 1), f"between -1 and {classes - 1}"),
        "node_ids": lambda: Layout("iuU", (n,), None),
        **dict.fromkeys(("train", "val", "test"), lambda: mask),
        "filter_values": lambda: Layout("float32", edges(filter_neighbours(config)), *finite),
        "squared_length": lambda: Layout("float64", (n,), (0, LARGEST_DOUBLE), "at least 0 and finite"),
        "similarity": lambda: Layout("float32", edges(similarity_neighbours(config)), *finite),
        "labelled": lambda: Layout("int64", (labelled(),), (0, n - 1), f"between 0 and {n - 1}", operator.gt),
        "rows": lambda: Layout(manifest.dtype, (labelled(), config.K + 1, d), *features),
    }[file]()
