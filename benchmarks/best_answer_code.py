"""Which version of the code made a line of `best_answer.py`: a digest of what decides, by what was measured.

LSGNN itself is left out: its tests hold it to stored outputs, and an option that it gains changes no answer.
"""

from __future__ import annotations

from functools import cache

from lsgnn.auto.families import LOOK_UP, NAMES
from lsgnn.benchmark.model_code import digest_of, model_code, source_of
from lsgnn.lines import key_of


@cache
def code_of(what: str, model: str = "") -> str:
    """The digest as the code is now: of a model of the zoo, of the probe, or of the search and its baselines."""
    if what == "zoo":
        return model_code(model)
    probe = digest_of(["lsgnn.runs.probe"], source_of, ["runs"])
    if what == "default":
        return probe
    baselines = [model_code(name) for name in (*NAMES, LOOK_UP) if name != "lsgnn"]
    return key_of(digest_of(["lsgnn.auto.best_answer"], source_of, ["auto"]), probe, *baselines)[:12]
