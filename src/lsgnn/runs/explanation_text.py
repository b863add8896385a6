"""An `Explanation` as plain text, for terminals and logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lsgnn.runs.explanation import Explanation

MOST_NEIGHBOURS = 10


def lines_of(why: Explanation) -> list[str]:
    """What the node is taken for, its LocalSim, what each hop and channel adds to the winning logit, its neighbours."""
    c = why.class_names.index(why.prediction)  # by a threshold it may not be the most probable class
    order = [k for k in np.argsort(-why.probabilities, kind="stable") if k != c]
    known = "" if why.label is None else f"; known class {why.label}" + (f" ({why.part})" if why.part else "")
    others = ", ".join(f"{why.class_names[k]} {why.probabilities[k]:.1%}" for k in order[:2])
    lines = [f"node {why.node_id}: {why.prediction} {why.probabilities[c]:.1%} ({others}){known}"]
    if why.localsim is not None and why.localsim_percentile is not None:
        lines.append(f"LocalSim {why.localsim:.3f}, above {why.localsim_percentile:.0f} % of the nodes")
    if why.neighbours:
        lines.append(f"mean similarity {why.naive_localsim:.3f}, above {why.naive_percentile:.0f} % of the nodes")
    lines += [
        "",
        f"what adds up to the logit of {why.prediction} (weight α in brackets)",
        f"{'':>6}{'own':>18}{'low-pass':>18}{'high-pass':>18}",
        f"{'itself':>6}{why.own[c]:+9.3f}",
    ]
    for name, alpha, hop in zip(why.hop_names, why.alpha, why.hops, strict=True):
        cells = "".join(f"{term[c]:+9.3f} ({a:+5.2f})".rjust(18) for a, term in zip(alpha, hop, strict=True))
        lines.append(f"{name:>6}{cells}")
    if np.any(why.links):
        lines.append(f"{'links':>6}{why.links[c]:+9.3f}")
    lines += [f"{'bias':>6}{why.bias[c]:+9.3f}", f"{'logit':>6}{why.logits[c]:+9.3f}"]
    if why.members > 1:
        lines.append(f"means over an ensemble of {why.members}")
    return [*lines, "", *_neighbour_lines(why)]


def _neighbour_lines(why: Explanation) -> list[str]:
    count = len(why.neighbours)
    if not count:
        return ["it reads no neighbours"]
    lines = [f"it reads {count} neighbour(s)", f"{'similarity':>12}{'weight':>9}  node (known class; predicted class)"]
    lines += [
        f"{near.similarity:12.3f}{near.weight:9.3f}  {near.node_id} ({near.label or '?'}; {near.prediction or '?'})"
        for near in why.neighbours[:MOST_NEIGHBOURS]
    ]
    if count > MOST_NEIGHBOURS:
        lines.append(f"… and {count - MOST_NEIGHBOURS} more")
    return lines
