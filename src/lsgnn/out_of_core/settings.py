"""Which settings go with a store."""

from __future__ import annotations

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.out_of_core.manifest import PRECOMPUTED
from lsgnn.out_of_core.store import Store


def require_suited(store: Store, config: LSGNNConfig) -> None:
    """Raises where the store was made with other settings, or where a model keeps something for every node."""
    require_storable(config)
    for name in PRECOMPUTED:
        wanted, made = getattr(config, name), getattr(store.config, name)
        if wanted > made if name == "K" else wanted != made:
            raise InputError(f"{name}={wanted!r}, but the store was made with {made!r}: use that, or another store")


def require_storable(config: LSGNNConfig) -> None:
    """Raises where no store could be used."""
    if config.structure_features != "none":
        raise InputError(
            f"structure_features={config.structure_features!r} is not for stores: use 'none', or write log degrees "
            "into x as columns of your own"
        )
    if config.direction == "both":
        raise InputError("direction='both' needs the powers of two filters, and a store holds one: use 'out' or 'in'")
    if config.localsim_space != "features":
        raise InputError(
            f"localsim_space={config.localsim_space!r} compares what a store does not hold: use 'features', or train "
            "in memory"
        )
    if config.localsim_hops:
        raise InputError(
            f"localsim_hops={config.localsim_hops} reads the φ of other nodes, which a row of a store does not know: "
            "use 0, or train in memory"
        )
    if kept := config.kept_per_node:
        raise InputError(f"{kept} keeps parameters of each node and is not for stores: train without it")
