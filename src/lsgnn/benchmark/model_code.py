"""Which version of a model made a result: a digest of the code that is the model.

That is its file of the zoo and what it imports, directly or not, from `zoo`, `nn` and `propagate`; comments and
docstrings do not count. Training and metrics are not the model: `environment` has the commit for those. Where code
chooses among models, a digest of its modules and of theirs says which version chose.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

PACKAGES = ("zoo", "nn", "propagate")
SHARED = ("lsgnn.zoo.protocol", "lsgnn.zoo.prepared")  # by all models alike
SOURCES = Path(__file__).parents[1]

Read = Callable[[str], str | None]  # a module's name → its source; None where there is no such file


@cache
def model_code(model: str) -> str:
    """The digest of a model of the zoo, as it is now."""
    return digest_of([f"lsgnn.zoo.{model}"], source_of)


def digest_of(modules: Sequence[str], read: Read, packages: Collection[str] = PACKAGES) -> str:
    """The digest of a few modules and of what they import from the packages."""
    found: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in found or name in SHARED or (source := read(name)) is None:
            continue
        tree = ast.parse(source)
        waiting += _imported(tree, packages)
        found[name] = ast.unparse(_without_docstrings(tree))
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()[:12]


def source_of(module: str) -> str | None:
    file = SOURCES.joinpath(*module.split(".")[1:]).with_suffix(".py")
    return file.read_text("utf-8") if file.is_file() else None


def _imported(tree: ast.Module, packages: Collection[str]) -> Iterator[str]:
    """The modules that a file imports, wherever in it, from the packages."""
    for node in ast.walk(tree):
        path = (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom) and path[0] == "lsgnn" and path[1:2] and path[1] in packages:
            yield from (".".join(path), *(".".join((*path, alias.name)) for alias in node.names))


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:] or [ast.Pass()]
    return tree
