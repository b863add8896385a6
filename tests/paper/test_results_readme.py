"""paper/results/README.md keeps its word: its pandas makes the committed table, its fields are those of the lines."""

import json
import re
from typing import Any

import pytest

from lsgnn import zoo
from paper.places import PAGES, REPOSITORY, RESULTS
from paper.published import CORRECTED, nine, published

README = (RESULTS / "README.md").read_text("utf-8")


def committed_rows() -> dict[str, list[list[str]]]:
    """Label → the cells of its rows that are ours in docs/results/main.md: over the nine, then on corrected data."""
    rows: dict[str, list[list[str]]] = {}
    for line in (PAGES / "main.md").read_text("utf-8").replace("**", "").splitlines():
        if line.startswith("| ") and " | ours | " in line:
            label, _, *cells = line.strip("| ").split(" | ")
            rows.setdefault(label, []).append(cells)
    return rows


def test_its_code_makes_the_committed_table(monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(REPOSITORY)
    names: dict[str, Any] = {}
    exec(compile(code, "paper/results/README.md", "exec"), names)
    committed, table, compared = committed_rows(), names["table"], 0
    labels = {entry["zoo"]: label for label, entry in published()["main"].items()}
    for model in set(table.index) - {"majority", "twin_lookup"}:
        label = "LSGNN, released configuration" if model == "lsgnn" else labels.get(model, zoo.get(model).title)
        for datasets, cells in zip((nine(), CORRECTED), committed[label], strict=False):
            for dataset, cell in zip(datasets, cells, strict=False):
                if cell != "not run yet":
                    assert table.loc[model, dataset] == cell, (model, dataset)
                    compared += 1
    assert compared >= 200  # 22 models on the nine, and a few on corrected data


@pytest.mark.parametrize("folder", ["zoo", "experiments"])
def test_it_explains_every_field_of_every_line(folder: str) -> None:
    explained = README.partition(f"| field in `{folder}/` |")[2].partition("\n\n")[0]
    rows = [row for row in explained.splitlines() if row.startswith("| `") and not row.startswith("| field")]
    names = {name: "(later)" in row for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    from_the_start = {name for name, later in names.items() if not later}
    for path in (RESULTS / folder).rglob("*.jsonl"):
        for line in path.read_text("utf-8").splitlines():
            assert from_the_start <= json.loads(line).keys() <= names.keys(), path


def test_it_names_every_folder() -> None:
    for folder in (path.name for path in RESULTS.iterdir() if path.is_dir() and path.name != "quick"):
        assert f"`{folder}/" in README, folder
