"""What the library says is good advice wherever it is read: neither an option of a command nor a call of Python."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src" / "lsgnn"
COMMANDS = re.compile(r"(?<![-\w])--[a-z]|`lsgnn [a-z]")
PYTHON = re.compile(r"\b(lsgnn|np)\.[a-z_]+\b|Graph\.save")
# these write commands for people to copy, are asked from Python alone, or talk to git or to a process of their own
OTHERWISE = (
    *("cli/", "report/", "benchmark/fit_again.py", "datasets/as_graph.py", "reference.py", "__main__.py"),
    *("runs/rivals.py", "train/commit.py", "train/fused/variant.py"),
)


def messages(file: Path) -> Iterator[str]:
    """Every text of a file that is no docstring; of an f-string its fixed parts."""
    tree = ast.parse(file.read_text("utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


FILES = [p for p in sorted(SOURCES.rglob("*.py")) if not p.relative_to(SOURCES).as_posix().startswith(OTHERWISE)]


def test_messages_of_the_library_name_no_option_of_a_command() -> None:
    wrong = [f"{file.name}: {text}" for file in FILES for text in messages(file) if COMMANDS.search(text)]
    assert not wrong, "\n".join(wrong)


def test_messages_of_readers_name_no_call_of_python() -> None:
    """The command line shows these to people who wrote no Python."""
    readers = [file for file in FILES if file.parts[-2] in ("io", "transformers") or file.parent.name == "graph"]
    sentences = [(file, text) for file in readers for text in messages(file) if " " in text.strip()]
    wrong = [f"{file.name}: {text}" for file, text in sentences if PYTHON.search(text)]
    assert len(sentences) > 100
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("text", ["pass --exact too", "run `lsgnn fit` again", "(--json)"])
def test_the_test_sees_what_it_should(text: str) -> None:
    assert COMMANDS.search(text)
    assert not COMMANDS.search("a--b and ---- and -- alone")
