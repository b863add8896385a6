"""Do edges help, and by what? By a node's neighbours, by how many it has (its degrees), or by neither.

"Edges add nothing" is said only where neighbours and degrees were both asked about and neither helps.
"""

from __future__ import annotations

from typing import Any, Literal

from lsgnn.report.probes import DEGREES, FEATURES, SMOOTHED, TREES, TREES_ALONE, Probe, Probes
from lsgnn.train.metrics import about

WORTH_IT = 0.5  # points below which a difference is not worth a hyperparameter
LIKELY = 5.0  # points from which a difference is told even if the validation nodes are too few to be sure
Help = Literal["surely", "perhaps", "no", "unknown"]


def told(probes: Probes, row: Probe) -> str:
    """The score of a probe in words."""
    return f"{row.score.mean:.1f} %" if about(probes.metric).percent else f"{row.score.mean:.3f}"


def told_interval(probes: Probes, row: Probe) -> str:
    """Its 95 % interval, in the same digits; empty where there is none."""
    digits = 1 if about(probes.metric).percent else 3
    return "" if row.score.interval is None else f"{row.score.low:.{digits}f} to {row.score.high:.{digits}f}"


def surely_better(probes: Probes, probe: Probe, than: Probe) -> bool:
    gain = probes.gain(probe, than)
    return gain.mean >= WORTH_IT and gain.interval is not None and gain.low > 0


def help_of(probes: Probes, probe: Probe | None, than: Probe | None) -> Help:
    """How sure it is that `probe` is ahead."""
    if probe is None or than is None:
        return "unknown"
    if surely_better(probes, probe, than):
        return "surely"
    return "perhaps" if probes.gain(probe, than).mean >= LIKELY else "no"


def neighbours_help(probes: Probes, settings: dict[str, Any]) -> Help:
    """By LSGNN in the direction to start with, or by plain smoothing, over an MLP that reads the same features."""
    mlp = probes.get(FEATURES)
    answers = [help_of(probes, row, mlp) for row in (probes.lsgnn(settings["direction"]), probes.get(SMOOTHED))]
    return next((answer for answer in ("surely", "perhaps", "no") if answer in answers), "unknown")


def degrees_help(probes: Probes) -> Help:
    return help_of(probes, probes.get(DEGREES), probes.get(FEATURES))


def edges_sentence(probes: Probes, settings: dict[str, Any]) -> str:
    """What edges are good for, with the scores this rests on; empty without probes."""
    mlp, lsgnn, degrees = probes.get(FEATURES), probes.lsgnn(settings["direction"]), probes.get(DEGREES)
    if mlp is None or lsgnn is None:
        return ""
    by_neighbours, by_degrees = neighbours_help(probes, settings), degrees_help(probes)
    in_trees = help_of(probes, probes.get(TREES), probes.get(TREES_ALONE))
    rows = [("MLP on the features", mlp), ("LSGNN", lsgnn)]
    if (sgc := probes.get(SMOOTHED)) is not None and probes.best([lsgnn, sgc]) is sgc:
        rows.append(("SGC", sgc))
    if degrees is not None:
        rows.append(("MLP on features and degrees", degrees))
    numbers = f"validation {about(probes.metric).title}: " + ", ".join(f"{name} {told(probes, r)}" for name, r in rows)
    if by_neighbours == by_degrees == "surely":
        both = "" if degrees is None or not surely_better(probes, degrees, lsgnn) else ", degrees more"
        return f"Edges help: neighbours do, and so do degrees, how many edges a node has{both} ({numbers})."
    if by_degrees == "surely":
        rest = "neighbours' features perhaps, too" if by_neighbours == "perhaps" else "neighbours' features do not"
        return f"Edges help: degrees, how many edges a node has, tell its class; {rest} ({numbers})."
    if by_neighbours == "surely":
        rest = "; degrees perhaps, too" if by_degrees == "perhaps" else ", degrees alone do not"
        return f"Edges help: neighbours do{rest if degrees is not None else ''} ({numbers})."
    if in_trees == "surely":
        return f"Edges help boosted trees, by neighbours' means and degrees ({_in_trees(probes)}; {numbers})."
    if "perhaps" in (by_neighbours, by_degrees, in_trees):
        what = {"neighbours": by_neighbours, "degrees": by_degrees, "both, in boosted trees": in_trees}
        names = " and ".join(name for name, answer in what.items() if answer == "perhaps")
        return f"Edges may help ({names}), but the validation nodes are too few to be sure ({numbers})."
    if by_degrees == "unknown":
        return f"Neighbours add nothing that can be measured here ({numbers})."
    return (
        f"Edges add nothing that can be measured here, neither neighbours nor degrees ({numbers}): "
        "prefer the simpler model until tuning disagrees."
    )


def _in_trees(probes: Probes) -> str:
    alone, whole = probes.get(TREES_ALONE), probes.get(TREES)
    return "" if alone is None or whole is None else f"with them {told(probes, whole)}, without {told(probes, alone)}"
