"""Builds the bundled graph `debian` from the package index of one Debian release (bookworm, main, amd64).

    python scripts/build_debian.py [--packages Packages]

Without --packages, the list apt keeps on this machine is read. Nodes are packages (their names are the node ids), an
edge leads from a package to each package it depends on (Depends and Pre-Depends, first alternative), features are
the words of the short description (0/1), and the class is the section: what is this program for?

Which packages, so that the graph is small and the question honest:

1. sections that say what a package is for, and `libs`. Left out are sections that name a language or a form (python,
   haskell, libdevel, doc, …), which the description or the name repeats, and catch-alls (misc, oldlibs, …);
2. one package per source and section, the one most others depend on: binary packages cut from one source have
   nearly the same description and dependencies, and such twins on both sides of a split would be a leak;
3. sections with at least 100 packages left, and of those the largest connected component.

Programs depend on libraries (classes differ) and libraries on libraries (classes agree), so homophily is near 1 for a
quarter of the nodes and near 0 for the rest. Package names are not features: they often hold the answer.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from lsgnn.graph.graph import Graph
from lsgnn.graph.homophily import homophily, labelled_edges, node_homophily
from lsgnn.graph.splits import authors_splits

TARGET = Path(__file__).parents[1] / "src/lsgnn/datasets/bundled/debian.npz"
APT_LISTS = Path("/var/lib/apt/lists")
INDEX = "*_dists_bookworm_main_binary-amd64_Packages*"
SECTIONS = frozenset(
    """
    admin comm database devel editors electronics fonts games gnome graphics hamradio httpd interpreters kde libs
    mail math net science sound tex text utils vcs video web x11
    """.split()  # noqa: SIM905  # reads better than 27 quoted words
)
SMALLEST_SECTION = 100
RAREST_WORD = 10  # packages that must hold a word for it to be a feature
STOP_WORDS = frozenset(
    """
    an and as at based be by for from in into is it its like of on or that the this to via with your
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Package:
    name: str
    source: str
    section: str
    description: str
    depends: tuple[str, ...]


def read_index(text: str) -> list[Package]:
    """The packages of a Packages file, by name; of several versions the first counts."""
    found: dict[str, Package] = {}
    for paragraph in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in paragraph.split("\n") if re.match(r"[A-Z][\w-]*: ", line))
        if "Package" in fields:
            name = fields["Package"]
            relations = ", ".join(fields.get(kind, "") for kind in ("Pre-Depends", "Depends"))
            package = Package(
                name=name,
                source=fields.get("Source", name).split(" ")[0],
                section=fields.get("Section", "").rpartition("/")[2],
                description=fields.get("Description", ""),
                depends=tuple(dict.fromkeys(d for d in first_alternatives(relations) if d != name)),
            )
            found.setdefault(name, package)
    return sorted(found.values(), key=lambda package: package.name)


def first_alternatives(relations: str) -> Iterator[str]:
    """`libc6 (>= 2.34), a | b, perl:any` → libc6, a, perl."""
    for clause in relations.split(","):
        if name := re.split(r"[\s(:|\[]", clause.strip(), maxsplit=1)[0]:
            yield name


def choose(packages: list[Package]) -> list[Package]:
    """The three steps of the module's docstring, the third until nothing changes."""
    dependents = Counter(name for package in packages for name in package.depends)
    chosen: dict[tuple[str, str], Package] = {}
    for package in packages:
        if package.section in SECTIONS:
            rival = chosen.setdefault((package.source, package.section), package)
            if dependents[package.name] > dependents[rival.name]:
                chosen[package.source, package.section] = package
    kept = sorted(chosen.values(), key=lambda package: package.name)
    while True:
        sizes = Counter(package.section for package in kept)
        smaller = largest_component([package for package in kept if sizes[package.section] >= SMALLEST_SECTION])
        if len(smaller) == len(kept):
            return kept
        kept = smaller


def largest_component(packages: list[Package]) -> list[Package]:
    n = len(packages)
    edges = edge_list(packages)
    joined = sp.coo_array((np.ones(edges.shape[1]), (edges[0], edges[1])), shape=(n, n))
    _, component = sp.csgraph.connected_components(joined, directed=False)
    largest = np.bincount(component).argmax()
    return [package for package, c in zip(packages, component, strict=True) if c == largest]


def edge_list(packages: list[Package]) -> np.ndarray:
    number = {package.name: i for i, package in enumerate(packages)}
    pairs = [(i, number[name]) for i, package in enumerate(packages) for name in package.depends if name in number]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2).T


def words(description: str) -> set[str]:
    found = re.findall(r"[a-z][a-z0-9+#]+", description.lower())
    return {word for word in found if word not in STOP_WORDS}


def build(packages: list[Package]) -> Graph:
    bags = [words(package.description) for package in packages]
    counts = Counter(word for bag in bags for word in bag)
    vocabulary = {word: j for j, word in enumerate(sorted(w for w, count in counts.items() if count >= RAREST_WORD))}
    entries = [(i, vocabulary[word]) for i, bag in enumerate(bags) for word in sorted(bag) if word in vocabulary]
    rows, columns = np.array(entries).T
    sections, y = np.unique([package.section for package in packages], return_inverse=True)
    return Graph(
        x=sp.csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(packages), len(vocabulary))),
        edge_index=edge_list(packages),
        y=y,
        node_ids=np.array([package.name for package in packages]),
        class_names=tuple(map(str, sections)),
        splits=authors_splits(y),
        name="debian",
    )


def apt_index() -> str:
    """The index as apt keeps it (compressed; apt's own helper prints it)."""
    paths = sorted(APT_LISTS.glob(INDEX))
    if not paths:
        raise SystemExit(f"there is no {INDEX} in {APT_LISTS}: run `apt update` on Debian 12, or pass --packages")
    command = ["/usr/lib/apt/apt-helper", "cat-file", str(paths[0])]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--packages", type=Path, help="a Packages file, uncompressed")
    given = arguments.parse_args()
    index = read_index(given.packages.read_text("utf-8") if given.packages else apt_index())
    graph = build(choose(index))
    graph.save(TARGET)
    print(f"{len(index)} packages in the index\n{graph}\n{homophily(graph)}")
    share = node_homophily(labelled_edges(graph.edge_index[::-1], graph.y), graph.y)  # of what a package depends on
    for c, name in enumerate(graph.class_names):
        members = graph.y == c
        print(f"  {name:14} {members.sum():5} packages, {np.nanmean(share[members]):.2f} of their dependencies in it")
    print(*graph.notes, f"{TARGET}: {TARGET.stat().st_size:,} bytes", sep="\n")


if __name__ == "__main__":
    main()
