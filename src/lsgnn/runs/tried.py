"""`Tried`: one candidate of a probe, as a run keeps it and its page shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tried:
    """One candidate of a stage, and what it scored on the validation nodes (higher is better)."""

    stage: str
    candidate: str
    score: float
    taken: bool

    @classmethod
    def of(cls, saved: Mapping[str, Any]) -> Tried:
        """The way back from a saved run; raises where it is damaged."""
        tried = cls(saved["stage"], saved["candidate"], float(saved["score"]), saved["taken"])
        if not isinstance(tried.stage, str) or not isinstance(tried.candidate, str) or type(tried.taken) is not bool:
            raise TypeError("what was tried is no table of candidates")
        return tried
