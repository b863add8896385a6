"""The checks behind `Graph`: each field in its one stored form, or an error that names value, rule and fix. Edges have
theirs in `edge_checks`.

Pure functions, for `Graph` and for whatever else takes such a field from a user (new nodes, estimators, readers).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.graph.arrays import as_array, as_float32, as_text, text_array
from lsgnn.graph.edge_checks import Edges
from lsgnn.graph.shown import short, shown
from lsgnn.memory import require_memory

Features: TypeAlias = "NDArray[np.float32] | sp.csr_array"

MAX_UNNAMED_CLASSES = 1000  # or one per node: beyond that, y holds years or ids rather than classes


def as_features(x: Any) -> Features:
    """Features as float32, dense [n, d] or CSR; refuses what is not a finite table of numbers."""
    if hasattr(x, "is_sparse") and str(x.layout) != "torch.strided":
        x = _torch_sparse_to_scipy(x)
    if sp.issparse(x):
        require_sound(x, "x")
        if x.ndim == 2:
            what = f"x has {x.shape[1]} columns, and a single number for each"
            require_memory(4 * x.shape[1], what, "drop the empty ones, and check the shape that was declared")
        # a copy, because putting it in canonical form below would reorder the caller's own index arrays
        x = sp.csr_array(x, copy=True)
        values = x.data
    else:
        x = values = as_array(x)
    if x.ndim != 2:
        raise InputError(f"x has {x.ndim} dimension(s), but features are a table [nodes, features]: reshape it")
    if x.shape[0] == 0:
        raise InputError("the graph has no nodes: pass at least one row of features")
    if x.shape[1] == 0:
        raise InputError("x has no columns: pass at least one feature per node (a column of ones will do)")
    if values.dtype.kind not in "fiub":
        raise InputError(f"x holds {values.dtype} values, but features are numbers: encode text or categories first")
    values = as_float32(values)
    bad = ~np.isfinite(values)
    if bad.any():
        first = int(bad.argmax())
        row = int(np.searchsorted(x.indptr, first, "right") - 1) if sp.issparse(x) else first // x.shape[1]
        raise InputError(
            f"x has {int(bad.sum())} NaN or infinite value(s), the first in row {row}: fill or drop them first"
        )
    if not sp.issparse(x):
        return np.ascontiguousarray(values)
    x = sp.csr_array((values, x.indices, x.indptr), shape=x.shape)
    x.sum_duplicates()
    if not np.isfinite(x.data).all():
        row = int(np.searchsorted(x.indptr, np.isfinite(x.data).argmin(), "right") - 1)
        raise InputError(
            f"x has repeated entries in row {row} that add up to more than a float32 holds (3.4e+38): "
            "divide that column by a constant, or drop the repetitions"
        )
    x.eliminate_zeros()
    return x


def as_labels(y: Any, n: int) -> NDArray[np.int64]:
    """Class numbers as int64 [n]; None means that no label is known, NaN (as OGB writes it) that this one is not."""
    if y is None:
        return np.full(n, -1, dtype=np.int64)
    y = as_array(y)
    if y.ndim == 2 and y.shape[1] == 1:  # OGB's shape
        y = y[:, 0]
    if y.shape != (n,):
        raise InputError(f"y has shape {y.shape}, but the graph has {n} nodes: pass one class number per node")
    if y.dtype.kind == "f":
        with np.errstate(over="ignore"):  # what no double can hold becomes infinite
            y = np.where(np.isnan(y), -1, y).astype(np.float64)
        odd = (y != np.round(y)) | (np.abs(y) > 2**53)  # infinity is caught by the second
        if odd.any():
            raise InputError(
                f"y holds {y[odd][0]}, but classes are whole numbers 0, 1, … (-1 = unknown): "
                "LSGNN classifies nodes; cut a quantity into classes first"
            )
    elif y.dtype.kind not in "iub":
        raise InputError(
            f"y holds {y.dtype} values, but classes are numbers 0, 1, … (-1 = unknown): "
            "number them, or read a table, in which classes have names"
        )
    labels: NDArray[np.int64] = y.astype(np.int64)
    if labels.min() < -1:
        raise InputError(
            f"y holds {int(labels.min())}, but classes are numbers 0, 1, … and -1 for unknown: renumber them"
        )
    return labels


def as_names(names: Any, what: str) -> tuple[str, ...]:
    """Names as text, in their order; None means none."""
    if names is None:
        return ()
    # a text is a list of letters, and a dictionary one of its keys, but neither is meant
    unlisted = isinstance(names, str | bytes | Mapping | Set) or not isinstance(names, Iterable)
    if unlisted or getattr(names, "ndim", 1) != 1:
        raise InputError(f"{what} is {shown(names)}, but names are a list: pass a list of text")
    found = tuple(str(name) for name in names)
    try:
        "".join(found).encode()
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise InputError(
            f"{what} holds the character number {code}, which is none in Unicode: write the text again"
        ) from error
    return found


def as_class_names(given: Any, y: NDArray[np.int64]) -> tuple[str, ...]:
    """One distinct name per class number, "0" … "C-1" where none are given."""
    count = int(y.max()) + 1
    names = as_names(given, "class_names")
    if not names:
        if count > max(len(y), MAX_UNNAMED_CLASSES):
            raise InputError(
                f"y holds class {count - 1} in a graph of {len(y)} nodes, but classes are numbered without gaps: "
                "renumber them, or give the classes names"
            )
        return tuple(str(c) for c in range(count))
    if len(names) < count:
        raise InputError(f"y holds class {count - 1}, but only {len(names)} class names were given: name every class")
    if len(set(names)) < len(names):
        raise InputError(f"class names {short(list(names))} are not distinct: give each class its own name")
    return names


def as_feature_names(names: Any, d: int) -> tuple[str, ...]:
    """One distinct name per feature column, or none at all."""
    found = as_names(names, "feature_names")
    if found and len(found) != d:
        raise InputError(f"there are {len(found)} feature names for {d} columns of x: name every column, or none")
    if len(set(found)) < len(found):
        twice = next(name for name, count in Counter(found).items() if count > 1)
        raise InputError(f"two feature columns are called {short(twice)}: give each column its own name")
    return found


def as_node_ids(given: Any, n: int) -> NDArray[Any]:
    """The user's names of the nodes [n], integers or strings, each once; 0 … n-1 where none are given."""
    if given is None:
        return np.arange(n, dtype=np.int64)
    ids = as_array(given)
    if ids.ndim != 1:
        raise InputError(f"node_ids has shape {ids.shape}, but it is a list of ids: pass one id per node")
    if len(ids) != n:
        raise InputError(f"there are {len(ids)} node ids for {n} nodes: pass one id per node")
    if ids.dtype.kind == "O":
        # an integer beyond 64 bits is as good an id in text
        whole = all(isinstance(v, int) and -(2**63) <= v < 2**63 for v in ids)
        ids = ids.astype(np.int64) if whole else text_array([str(v) for v in ids], "node_ids")
    elif ids.dtype.kind == "V":
        raise InputError(f"node_ids holds {ids.dtype} values, but an id is text or a whole number: pass one value each")
    ids = ids.astype(ids.dtype.newbyteorder("="), copy=False) if ids.dtype.kind in "iu" else as_text(ids, "node_ids")
    if len(set(ids.tolist())) < n:  # quicker than sorting names
        distinct, counts = np.unique(ids, return_counts=True)
        twice = distinct[counts.argmax()].item()
        raise InputError(
            f"node id {short(twice)} stands {counts.max()} times: ids must be distinct, so rename or drop some"
        )
    return ids


def observations(x: Features, edges: Edges, merged: int) -> list[str]:
    """What a careful user would like to know about an accepted graph."""
    touched = np.zeros(x.shape[0], dtype=bool)
    touched[edges[:, edges[0] != edges[1]].ravel()] = True
    filled = np.diff(sp.csr_array(x).indptr) > 0 if sp.issparse(x) else np.asarray(x).any(axis=1)
    facts = {
        "duplicate edge(s) merged": merged,
        "self loop(s) (ignored by the filters)": int((edges[0] == edges[1]).sum()),
        "isolated node(s)": int((~touched).sum()),
        "node(s) with all-zero features": int((~filled).sum()),
    }
    return [f"{count} {what}" for what, count in facts.items() if count]


def require_sound(matrix: Any, what: str) -> None:
    """Raises if the index arrays of a scipy matrix point outside it: compiled code would follow them."""
    if hasattr(matrix, "check_format"):
        try:
            matrix.check_format(full_check=True)
        except (ValueError, TypeError, AttributeError, IndexError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"{what} is not a sound sparse matrix ({reason}): build it again") from error


def _torch_sparse_to_scipy(x: Any) -> sp.coo_array:
    x = x.detach().cpu().to_sparse_coo().coalesce()
    return sp.coo_array((as_array(x.values()), tuple(x.indices().numpy())), shape=tuple(x.shape))
