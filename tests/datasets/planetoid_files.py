"""Writes pickles byte for byte as Python 2 wrote Planetoid's in 2016, and whole sets of `ind.NAME.*` files."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsgnn.graph.graph import Graph

START, END = b"\x80\x02", b"."


class Python2:
    """One pickle of protocol 2 in the making; `memo` numbers the objects as cPickle does."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}
        self.memo = 0

    def put(self) -> bytes:
        self.memo += 1
        return b"q" + bytes([self.memo]) if self.memo < 256 else b"r" + struct.pack("<I", self.memo)

    def once(self, key: str, code: bytes) -> bytes:
        """`code` the first time, afterwards a reference to what it made."""
        if key in self.seen:
            return b"h" + bytes([self.seen[key]])
        code += self.put()
        self.seen[key] = self.memo
        return code

    def name(self, module: str, name: str) -> bytes:
        return self.once(f"{module}.{name}", f"c{module}\n{name}\n".encode())

    def kind(self, code: str) -> bytes:
        if code in self.seen:
            return b"h" + bytes([self.seen[code]])
        made = self.name("numpy", "dtype") + string(code.encode()) + b"K\x00K\x01\x87R" + self.put()
        self.seen[code] = self.memo
        return made + b"(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"

    def array(self, array: Any) -> bytes:
        shape = b"".join(map(integer, array.shape)) + {1: b"\x85", 2: b"\x86"}[array.ndim]
        made = self.name("numpy.core.multiarray", "_reconstruct") + self.name("numpy", "ndarray")
        made += b"K\x00\x85U\x01b\x87R" + self.put() + b"(K\x01" + shape
        return made + self.kind(array.dtype.str[1:]) + b"\x89" + string(array.tobytes()) + b"tb"

    def key(self, text: str) -> bytes:
        return string(text.encode()) + self.put()

    def matrix(self, matrix: Any) -> bytes:
        made = self.name("scipy.sparse.csr", "csr_matrix") + b")\x81" + self.put() + b"}" + self.put() + b"("
        made += self.key("format") + string(b"csr")
        made += self.key("_shape") + integer(matrix.shape[0]) + integer(matrix.shape[1]) + b"\x86"
        made += self.key("indptr") + self.array(matrix.indptr.astype("<i4"))
        made += self.key("_cs_matrix__has_sorted_indices") + b"\x88"
        made += self.key("indices") + self.array(matrix.indices.astype("<i4"))
        made += self.key("maxprint") + b"K\x32"
        return made + self.key("data") + self.array(matrix.data) + b"ub"

    def neighbours(self, neighbours: dict[int, list[int]]) -> bytes:
        made = self.name("collections", "defaultdict") + self.name("__builtin__", "list") + b"\x85R" + self.put()
        for node, others in neighbours.items():
            made += integer(node) + b"]" + self.put() + b"(" + b"".join(map(integer, others)) + b"es"
        return made


def integer(value: int) -> bytes:
    if 0 <= value < 256:
        return b"K" + bytes([value])
    return b"M" + struct.pack("<H", value) if 0 <= value < 65536 else b"J" + struct.pack("<i", value)


def string(content: bytes) -> bytes:
    head = b"U" + bytes([len(content)]) if len(content) < 256 else b"T" + struct.pack("<i", len(content))
    return head + content


def pickled(value: Any) -> bytes:
    """An array, a CSR matrix or a dict of lists as Planetoid's files hold it."""
    python2 = Python2()
    write = python2.matrix if sp.issparse(value) else python2.array if hasattr(value, "dtype") else python2.neighbours
    return START + write(value) + END


def parts_of(graph: Graph, late: Any, num_early: int, num_labelled: int) -> dict[str, bytes]:
    """The eight files of a graph whose nodes `late` come after the first `num_early`; other nodes are left out."""
    x, late = sp.csr_array(graph.x), np.asarray(late)
    one_hot = np.eye(graph.num_classes, dtype="<i4")[graph.y]
    neighbours: dict[int, list[int]] = {node: [] for node in range(graph.num_nodes)}
    for source, target in graph.edge_index.T.tolist():
        neighbours[source].append(target)
    neighbours[0] += [0, *neighbours[0][:1]]  # loops and links given twice occur in the real files
    tables = {"x": x[:num_labelled], "allx": x[:num_early], "tx": x[late]}
    tables |= {"y": one_hot[:num_labelled], "ally": one_hot[:num_early], "ty": one_hot[late]}
    files = {part: pickled(value) for part, value in (tables | {"graph": neighbours}).items()}
    return files | {"test.index": "".join(f"{node}\n" for node in late).encode()}


def write_planetoid(folder: Path, name: str, graph: Graph, late: Any, num_early: int, num_labelled: int = 1) -> None:
    """The eight files and Geom-GCN's ten files of masks."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, content in parts_of(graph, late, num_early, num_labelled).items():
        (folder / f"ind.{name}.{part}").write_bytes(content)
    assert graph.splits is not None
    for s in range(10):
        split = graph.splits[s % len(graph.splits)]
        masks = {f"{part}_mask": getattr(split, part) for part in ("train", "val", "test")}
        np.savez(folder / f"{name}_split_0.6_0.2_{s}.npz", **masks)
