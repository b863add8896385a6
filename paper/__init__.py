"""The paper, re-run: one file per table or figure, each a set of small resumable units and a pure rendering of them.

A second product beside the package, run from the repository: `python -m paper` (see `__main__.py`). Raw results lie
under `paper/results/`; tables and figures are made from these files alone, so that every number in the documentation
can be traced to a file in the repository.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from lsgnn.errors import InputError

if TYPE_CHECKING:
    from paper.frame import Experiment

__all__ = ["get", "names"]

_HOME = {
    "main": "main_table",
    "tuning": "tuning",
    "equal-budget": "equal_budget",
    "peers": "peers",
    "large": "large",
    "cost": "cost",
    "depth": "depth",
    "plug-in": "plug_in",
    "ablation": "ablation",
    "gap": "gap",
    "localsim": "localsim",
    "homophily": "homophily",
    "toy": "toy",
    "theorem": "theorem",
}


def names() -> tuple[str, ...]:
    """All experiments, in the order of the paper."""
    return tuple(_HOME)


def get(name: str) -> Experiment:
    """The experiment of that name."""
    if name not in _HOME:
        near = get_close_matches(name.lower(), _HOME, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(_HOME)}, or all"
        raise InputError(f"there is no experiment {name!r}: {hint}")
    experiment: Experiment = import_module(f"paper.{_HOME[name]}").EXPERIMENT
    return experiment
