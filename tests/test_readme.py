"""Numbers in README and docs/results.md come from the files under results/, and are those of today."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def readme() -> Any:
    spec = importlib.util.spec_from_file_location("readme", ROOT / "scripts" / "readme.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_generated_parts_are_not_stale(readme: Any) -> None:
    for file in readme.FILES:
        text = file.read_text()
        assert readme.render(text, ROOT / "results") == text, f"{file.name} is stale: run python scripts/readme.py"


def test_every_generated_part_is_shown_somewhere(readme: Any) -> None:
    shown = "".join(file.read_text() for file in readme.FILES)
    for name in readme.SECTIONS:
        assert f"<!-- begin {name} " in shown, name


def test_a_changed_number_makes_it_stale(readme: Any) -> None:
    text = (ROOT / "README.md").read_text()
    changed = text.replace("88.12 ± 1.43", "99.12 ± 1.43")
    assert changed != text
    assert readme.render(changed, ROOT / "results") == text
