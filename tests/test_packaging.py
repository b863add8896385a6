"""What pip gets is the package: the paper's re-run and stored numbers stay in the repository."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def shipped(kind: str) -> dict[str, Path]:
    """Path in the wheel or sdist → its file here, as the build backend of pyproject.toml itself selects them."""
    pytest.importorskip("hatchling", reason="the build backend is part of the dev extra")
    from hatchling.builders.sdist import SdistBuilder
    from hatchling.builders.wheel import WheelBuilder

    builder = {"wheel": WheelBuilder, "sdist": SdistBuilder}[kind](str(ROOT))
    return {file.distribution_path: Path(file.path) for file in builder.recurse_included_files()}


def test_the_wheel_holds_the_package_and_nothing_else() -> None:
    files = shipped("wheel")
    assert {path.partition("/")[0] for path in files} == {"lsgnn"}
    assert {"lsgnn/cli/main.py", "lsgnn/py.typed", "lsgnn/datasets/presets/texas.toml"} <= set(files)
    assert not [path for path in files if path.startswith(("lsgnn/paper/", "lsgnn/results/"))]


def test_the_sdist_holds_neither_the_paper_nor_stored_results() -> None:
    files = shipped("sdist")
    assert {"src/lsgnn/cli/main.py", "Makefile", "tests/test_packaging.py"} <= set(files)
    assert not [path for path in files if path.startswith(("paper/", "results/", "benchmarks/results/"))]
    assert not [path for path in files if path.endswith(".jsonl") and "tests/fixtures/" not in path]


def test_nothing_in_the_sdist_needs_the_paper() -> None:
    sources = (file for file in shipped("sdist").values() if file.suffix == ".py")
    needs_it = re.compile(r"^\s*(from|import) paper\b", re.MULTILINE)
    assert [file for file in sources if needs_it.search(file.read_text("utf-8"))] == []


def test_what_is_shipped_is_named_from_the_root_of_the_repository() -> None:
    """Also where the build backend is not installed: "results" alone would name paper/results as well."""
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"] == {"packages": ["src/lsgnn"]}
    assert all(path.startswith("/") for path in targets["sdist"]["include"])
    assert not {"/", "/paper", "/results"} & set(targets["sdist"]["include"])
    assert {"/benchmarks/results", "/tests/paper"} <= set(targets["sdist"]["exclude"])
