"""The documentation keeps its word: its Python runs, its commands exist, and no command or public name is missing."""

import contextlib
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command as click_command

import lsgnn
import paper
from lsgnn.benchmark.changes import changes_by_model
from lsgnn.cli.given_settings import parse_settings
from lsgnn.cli.main import run as run_command_line
from lsgnn.cli.show import say
from paper.__main__ import app as paper_app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)]

# pages whose console lines are run for real, between their Python blocks
REALLY_RUN = ("tutorials/csv.md", "tutorials/export.md", "tutorials/explain.md", "tutorials/large.md")
# what pages call a folder of arrays, stores, and a folder of tables
FOLDERS = ("arrays", "store", "lean", "bank-store", "bank")

FENCE = re.compile(
    r"(?:^<!-- no-run: (?P<reason>.+?) -->\n+)?^```(?P<language>python|console)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; `line` is that of its first line of code, `reason` why it is not run, if it is not."""

    page: Path
    language: str
    code: str
    line: int
    reason: str | None

    @property
    def commands(self) -> list[list[str]]:
        """The words of each `$ …` line; a backslash goes on in the next line."""
        joined = self.code.replace("\\\n", " ")
        lines = [line[2:] for line in joined.splitlines() if line.startswith("$ ")]
        return [shlex.split(line, comments=True) for line in lines]


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    return [
        Block(page, m["language"], m["code"], text.count("\n", 0, m.start("code")) + 1, m["reason"])
        for m in FENCE.finditer(text)
    ]


BLOCKS = {page: blocks_of(page) for page in PAGES}
COMMANDS = [
    pytest.param(words, id=f"{page.relative_to(ROOT)}: {' '.join(words)}")
    for page, blocks in BLOCKS.items()
    for block in blocks
    if block.language == "console"
    for words in block.commands
]
RUNNABLE = [page for page, blocks in BLOCKS.items() if any(b.language == "python" for b in blocks)]


@pytest.fixture
def generated() -> Iterator[Any]:
    """docs/generated.py, which makes the reference pages when Sphinx runs."""
    with contextlib.ExitStack() as stack:
        sys.path.insert(0, str(DOCS))
        stack.callback(sys.path.remove, str(DOCS))
        import generated

        yield generated


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__docs__"}
    for block in BLOCKS[page]:
        if block.reason is not None:
            continue
        if block.language == "python":
            padded = "\n" * (block.line - 1) + block.code  # so that a traceback names the line of the page
            exec(compile(padded, str(page), "exec"), namespace)
        elif page.is_relative_to(DOCS) and str(page.relative_to(DOCS)) in REALLY_RUN:
            for words in block.commands:
                say(" ".join(words))
                monkeypatch.setattr(sys, "argv", words)
                assert exit_code_of_command_line() == 0, " ".join(words)


def exit_code_of_command_line() -> int:
    try:
        run_command_line()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_line_of_the_docs_can_be_parsed(words: list[str], generated: Any) -> None:
    """The command and all its options exist, and names of settings, datasets and models are known; nothing is run."""
    if words[0] == "torchrun":
        words = words[words.index("-m") + 1 :]
    program = words[0].removeprefix(".venv/bin/")
    if program == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), f"no target {words[1]!r}"
    if words[:3] == ["python", "-m", "paper"]:
        if words[3:]:
            given = click_command(paper_app).commands[words[3]].make_context(words[3], words[4:]).params
            assert given["name"] in ("all", *paper.names())
        return
    if words[:2] == ["python", "-m"] and words[2].startswith("paper.scripts."):
        script = import_module(words[2])
        if hasattr(script, "app"):
            click_command(script.app).make_context(words[2], words[3:])
        elif hasattr(script, "parser"):
            script.parser().parse_args(words[3:])
        else:
            assert len(words) == 3, "give the script a function `parser`, so that its options can be checked"
        return
    if program != "lsgnn":
        assert program in ("make", "pip", "python3"), f"unexpected program {program!r}"
        return
    command = generated.command_line().commands[words[1]]
    given = command.make_context(words[1], words[2:]).params
    if given.get("set") and words[1] == "compare":
        changes_by_model(given["models"].split(","), parse_settings(given["set"]))
    elif given.get("set") and given.get("model", "lsgnn") == "lsgnn":
        lsgnn.LSGNNConfig().replace(**parse_settings(given["set"]))
    for name in (given.get("models") or "").split(","):
        assert name in ("", "all", *lsgnn.zoo.names())
    graph = given.get("graph")
    assert graph is None or graph.endswith(".npz") or graph in (*FOLDERS, *lsgnn.datasets.names())


def test_cheap_commands_of_the_docs_run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for line in ("lsgnn datasets", "lsgnn datasets chameleon"):
        assert any(line.split() == parameter.values[0] for parameter in COMMANDS), f"{line} is in no page any more"
        monkeypatch.setattr(sys, "argv", line.split())
        assert exit_code_of_command_line() == 0
    assert "chameleon-filtered" in capsys.readouterr().out


def test_hardly_anything_is_left_out() -> None:
    """A block that cannot run offline says why; there are few of them."""
    left_out = [block for blocks in BLOCKS.values() for block in blocks if block.reason is not None]
    assert len(left_out) <= 4, [f"{b.page.name}:{b.line} {b.reason}" for b in left_out]


def test_the_command_reference_knows_every_command_and_option(generated: Any) -> None:
    page = generated.filled((DOCS / "commands.md").read_text("utf-8"))
    for name, command in generated.command_line().commands.items():
        assert f"## `lsgnn {name}`" in page
        for option in (o for p in command.params if p.param_type_name == "option" for o in p.opts):
            assert f"`{option}" in page


def test_every_command_file_is_part_of_the_command_line(generated: Any) -> None:
    """A file that defines a function of its own name is a command."""
    sources = {path.stem: path.read_text("utf-8") for path in (ROOT / "src" / "lsgnn" / "cli").glob("*.py")}
    files = {name for name, text in sources.items() if re.search(rf"^def {name}\(", text, re.MULTILINE)} - {"main"}
    assert {name.replace("_", "-") for name in files} == set(generated.command_line().commands)


def test_the_version_is_the_newest_of_the_changelog_and_the_citation() -> None:
    newest = re.findall(r"^## (\d[\d.]*)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[0]
    assert newest == lsgnn.__version__
    assert f"version: {newest}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_the_settings_page_knows_every_setting(generated: Any) -> None:
    table = generated.settings()
    for name in lsgnn.LSGNNConfig().to_dict():
        assert f"| `{name}` |" in table


def test_the_api_page_knows_every_public_name() -> None:
    page = (DOCS / "api.md").read_text("utf-8")
    shown = set(re.findall(r"^\.\. [\w:]+:: lsgnn\.([\w.]+)$", page, re.MULTILINE))
    assert {*lsgnn.__all__} - {"__version__"} <= shown
    for part in (lsgnn.datasets, lsgnn.report, lsgnn.zoo):
        folder = part.__name__.removeprefix("lsgnn.")
        missing = [name for name in part.__all__ if not {name, f"{folder}.{name}"} & shown]
        assert not missing, folder


def test_pages_are_reached_from_the_index() -> None:
    """Sphinx warns of orphans; this tells without building."""
    index = (DOCS / "index.md").read_text("utf-8")
    for page in PAGES[1:]:
        name = page.relative_to(DOCS).with_suffix("").as_posix()
        assert name == "index" or name.startswith("results/") or re.search(rf"^{name}$", index, re.MULTILINE)
