"""The scores of a run, or of a search, as lines, whichever way the graph is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsgnn.runs.run_metrics import Scored
    from lsgnn.train.metrics import Metric
    from lsgnn.tuning import Tuning


def score_lines(run: Scored, class_names: Sequence[str]) -> list[str]:
    """The run's own metric first, then accuracy, the threshold if there is one, and what an ensemble gains."""
    from lsgnn.runs.run_metrics import ensemble_gain, one_member_metric
    from lsgnn.train.metrics import about, shown

    found = run.metrics
    own = [(part, run.metric) for part in ("val", "test") if run.metric != "accuracy"]
    wanted: list[tuple[str, Metric]] = [*own, ("train", "accuracy"), ("val", "accuracy"), ("test", "accuracy")]
    keys = [(part, metric, f"{part}_{metric}") for part, metric in wanted]
    lines = [f"{part:>5} {about(m).title} {shown(m, found[key]):>8}" for part, m, key in keys if key in found]
    if run.decision is not None:
        said = f"{class_names[run.decision.positive]!r} from a probability of {run.decision.threshold:.3f} on"
        names = [f"{part} {name}" for part in ("val", "test") for name in ("precision", "recall")]
        scores = [f"{name} {100 * found[key]:.1f} %" for name in names if (key := name.replace(" ", "_")) in found]
        lines.append(f"{said} ({run.decision.rule}): {', '.join(scores)}")
    if metric := one_member_metric(run):
        kind = "training runs" if getattr(run, "board", ()) else "seeds"
        gain, alone = ensemble_gain(run), shown(metric, found[f"val_{metric}_one_member"])
        lines.append(f"ensemble of {len(run.members)} {kind}: {gain:+.2f} points on validation over one ({alone})")
    return lines


def tuning_lines(tuning: Tuning, metric: Metric) -> list[str]:
    """What a search has chosen, and what that scored."""
    from lsgnn.train.metrics import about, digits_of

    score, count = f"{tuning.rescored[0]['val']:.{digits_of(metric)}f}", len(tuning.trials)
    return [
        f"chosen on validation: {', '.join(f'{name}={value}' for name, value in tuning.settings.items())}",
        f"validation {about(metric).title} {score} on fresh seeds, after {count} trials",
    ]
