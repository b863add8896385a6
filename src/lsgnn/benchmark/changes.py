"""`gcn.lr=0.05` or `lr=0.05`: which models of a comparison does a change of a hyperparameter mean?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from lsgnn import zoo
from lsgnn.errors import InputError


def changes_by_model(models: Sequence[str], changes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Model → hyperparameters, from `MODEL.name` or, for every model that has it, `name`; of one model both may speak,
    and what names it counts.

    >>> changes_by_model(["mlp", "gcn"], {"lr": 0.1, "gcn.lr": 0.05})
    {'mlp': {'lr': 0.1}, 'gcn': {'lr': 0.05}}
    """
    known = {model: set(zoo.get(model).config().to_dict()) for model in models}
    found: dict[str, dict[str, Any]] = {model: {} for model in models}
    for name, value in changes.items():
        if "." not in name:
            having = [model for model in models if name in known[model]]
            if not having:
                raise _unknown(name, set().union(*known.values()), "none of the compared models has")
            for model in having:
                found[model] = {name: value} | found[model]
    for name, value in changes.items():
        model, dot, setting = name.partition(".")
        if not dot:
            continue
        if model not in models:
            zoo.get(model)  # a name that no model has is another mistake
            raise InputError(f"{name} is set for {model!r}, which is not compared: add it to the models, or drop it")
        if setting not in known[model]:
            raise _unknown(setting, known[model], f"{model} does not have")
        found[model][setting] = value
    return {model: settings for model, settings in found.items() if settings}


def _unknown(name: str, known: set[str], whose: str) -> InputError:
    near = get_close_matches(name, sorted(known), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known))}"
    return InputError(f"{whose} a hyperparameter {name!r}: {hint}")
