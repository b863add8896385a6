"""Writes what `tune_datasets` chose as the preset `tuned` of each dataset; `--check` tells if one is stale.

    python -m paper.scripts.write_presets [--check]

Of the spaces that were searched on the same splits, the one whose choice is better on the validation nodes of fresh
seeds counts; else the paper's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from lsgnn.config import LSGNNConfig, toml_of
from paper.places import REPOSITORY, RESULTS
from paper.scripts.regenerate import regenerate

PRESETS = REPOSITORY / "src" / "lsgnn" / "datasets" / "presets"
HEAD = "[tuned]\n"
SPACES = ("paper", "extended")


def tuned_tables(results: Path) -> dict[str, str]:
    """Dataset → its table in TOML."""
    best: dict[str, tuple[float, dict[str, Any]]] = {}
    for space in SPACES:
        for file in sorted((results / "tuning" / space).glob("*.json")):
            document = json.loads(file.read_text())
            score = next(c["val"] for c in document["rescored"] if c["settings"] == document["chosen"])
            rival = best.get(file.stem)
            if rival is None or (_splits(document) == _splits(rival[1]) and score > rival[0]):
                best[file.stem] = (score, document)
    return {name: _table(score, document) for name, (score, document) in sorted(best.items())}


def _splits(document: dict[str, Any]) -> int:
    """How many splits the search has seen; all ten where an earlier document does not say."""
    return int(document.get("search_splits", 10))


def _table(score: float, document: dict[str, Any]) -> str:
    config = LSGNNConfig.from_dict(document["base"]).replace(**document["chosen"])
    name = f"paper/results/tuning/{document['space']}/{document['dataset']}.json"
    notes = (
        f"chosen by us by mean validation score over splits: {document['num_trials']} trials, {document['space']} "
        f"space, validation {document['metric']} {score:.2f} on fresh seeds; {name}"
    )
    return f'{HEAD}splits = "official"\nnotes = {json.dumps(notes)}\n{toml_of(config.naming_settings)}'


def with_table(text: str, table: str) -> str:
    """A preset file with its table `tuned` replaced, which is the last one."""
    others = text.partition(HEAD)[0].rstrip("\n")
    return f"{others}\n\n{table}" if others else table


def presets(results: Path) -> dict[Path, str]:
    """Every preset file that a stored search has settings for, with them."""
    contents = {}
    for name, table in tuned_tables(results).items():
        file = PRESETS / f"{name}.toml"
        contents[file] = with_table(file.read_text() if file.exists() else "", table)
    return contents


if __name__ == "__main__":
    sys.exit(regenerate(presets(RESULTS), __doc__))
