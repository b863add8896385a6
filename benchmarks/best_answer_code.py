"""Which version of the code made a line of `best_answer.py`: a digest of what decides, by what was measured."""

from __future__ import annotations

from functools import cache

from lsgnn.auto.families import LOOK_UP, NAMES
from lsgnn.benchmark.model_code import PACKAGES, digest_of, model_code, source_of

DECIDES = {  # modules that choose, and those of the models they choose from
    "default": ("lsgnn.config", "lsgnn.runs.probe", "lsgnn.zoo.lsgnn"),
    "auto": ("lsgnn.config", "lsgnn.auto.best_answer", *(f"lsgnn.zoo.{model}" for model in (*NAMES, LOOK_UP))),
}


@cache
def code_of(what: str, model: str = "") -> str:
    """The digest as the code is now."""
    return model_code(model) if what == "zoo" else digest_of(DECIDES[what], source_of, (*PACKAGES, "runs", "auto"))
