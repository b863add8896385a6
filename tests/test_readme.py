"""Numbers in README come from the files under results/, and are those of today."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_generated_tables_are_not_stale() -> None:
    spec = importlib.util.spec_from_file_location("readme", ROOT / "scripts" / "readme.py")
    assert spec is not None
    assert spec.loader is not None
    readme = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(readme)
    text = (ROOT / "README.md").read_text()
    for name in readme.SECTIONS:
        assert f"<!-- begin {name} " in text
    assert readme.render(text, ROOT / "results") == text, "README.md is stale: run python scripts/readme.py"
