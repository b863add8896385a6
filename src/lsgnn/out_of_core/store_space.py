"""What a search may choose for a store: a space of LSGNN without what the store has settled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from optuna import Trial

from lsgnn.config import LSGNNConfig
from lsgnn.out_of_core.manifest import PRECOMPUTED
from lsgnn.out_of_core.store import Store
from lsgnn.zoo.lsgnn_space import Space

REFUSED = ("localsim_space", "localsim_hops", "adjacency_embedding")  # what no store serves (`require_storable`)


def space_of_store(space: Space, store: Store, config: LSGNNConfig) -> Space:
    """The space with what is settled left as it is, and as many hops as the store has at most."""
    fixed = {name: getattr(config, name) for name in (*PRECOMPUTED, *REFUSED) if name != "K"}

    def within(trial: Trial) -> dict[str, Any]:
        settings = space(cast(Trial, _Open(trial, fixed, store.config.K)))
        return {name: value for name, value in settings.items() if name not in fixed}

    return within


class _Open:
    """A trial that is asked for what is open only."""

    def __init__(self, trial: Trial, fixed: Mapping[str, Any], K: int) -> None:
        self._trial, self._fixed, self._K = trial, fixed, K

    def suggest_float(self, name: str, *limits: Any, **how: Any) -> Any:
        return self._fixed[name] if name in self._fixed else self._trial.suggest_float(name, *limits, **how)

    def suggest_categorical(self, name: str, choices: tuple[Any, ...]) -> Any:
        if name in self._fixed:
            return self._fixed[name]
        if name == "K":
            choices = tuple(sorted({*(k for k in choices if k <= self._K), self._K}))
        return self._trial.suggest_categorical(name, choices)
