"""Writes the generated parts of README.md and docs/ from stored results; `--check` tells if one is stale.

python -m paper.scripts.readme [--check]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import paper
from paper.frame import Results, read_json
from paper.inputs import Tuned, read_tuned, read_zoo
from paper.page import Score
from paper.places import BENCHMARKS, REPOSITORY, RESULTS
from paper.published import OTHERS, nine, printed_lsgnn, title
from paper.scripts.regenerate import regenerate
from paper.scripts.scale_tables import (
    before_table,
    lake_table,
    machines_table,
    papers100m_table,
    random_rows_table,
    sign_table,
    stage_table,
)
from paper.scripts.speed_tables import (
    first_minute_table,
    localsim_share_table,
    roofline_table,
    side_by_side_table,
    speed_table,
    store_epochs_table,
    store_table,
    sweep_table,
    threads_table,
    time_to_accuracy_table,
    tuning_time_table,
)

PAGES = ("README.md", "docs/results.md", "docs/speed.md", "docs/scale.md", "docs/tutorials/large.md")
FILES = tuple(REPOSITORY / name for name in PAGES)


@dataclass(frozen=True)
class Stored:
    """The folders that the numbers come from: raw results, and what the scripts in benchmarks/ measured."""

    results: Path
    benchmarks: Path


# what the authors' training logs end with (github.com/draym28/LSGNN, beside their configurations)
AUTHORS_LOG = {
    "cora": 88.14,
    "citeseer": 77.43,
    "pubmed": 89.84,
    "chameleon": 79.01,
    "squirrel": 72.62,
    "actor": 36.17,
    "cornell": 87.30,
    "cornell-fixed": 74.86,
    "texas": 90.27,
    "wisconsin": 90.00,
}


def headline_table(stored: Stored) -> str:
    """Five datasets and the mean of the nine, for the README."""
    found = {t.dataset: t for t in read_tuned(stored.results) if (t.model, t.space, t.rule) == BEST}
    lines = ["| dataset | published | ours, released | ours, tuned |", "|---|---|---|---|"]
    released: dict[str, list[float]] = {}
    for name in nine():
        if document := _read(stored.results / "released" / f"{name}.json"):
            released[name] = document["test_accuracy"]["per_split"]
    tuned = {name: list(found[name].test) for name in nine() if name in found}
    for name in HEADLINE:
        scores = (str(Score.of(scores[name])) if name in scores else "not run yet" for scores in (released, tuned))
        lines.append(f"| {' | '.join((title(name), _or_dash(printed_lsgnn()[name]), *scores))} |")
    means = (f"{mean(map(mean, s.values())):.2f}" if len(s) == len(nine()) else "" for s in (released, tuned))
    published = mean(printed_lsgnn()[name] for name in nine())
    return "\n".join([*lines, f"| {' | '.join(('**mean of the nine**', f'{published:.2f}', *means))} |"])


def released_table(stored: Stored) -> str:
    """One row per dataset: ours beside the authors' log and the published number."""
    lines = [
        "| dataset | direction | fused engine | torch loop | authors' log | published |",
        "|---|---|---|---|---|---|",
    ]
    for name, log in AUTHORS_LOG.items():
        engines = [_read(stored.results / folder / f"{name}.json") for folder in ("released", "released-torch")]
        known = next((result for result in engines if result), None)
        direction = known["config"]["direction"] if known else ""
        cells = (title(name), direction, *map(_score, engines), f"{log:.2f}", _or_dash(printed_lsgnn().get(name)))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


ONE, ENSEMBLE = "single seed", "seed ensemble"
BEST = ("lsgnn", "extended", ENSEMBLE)  # model, space and test protocol of the README's column
HEADLINE = ("cora", "pubmed", "chameleon", "squirrel", "texas")
PAPERS_SPACE = {  # title of a column → space, test protocol
    "single seed": ("paper", ONE),
    "seed ensemble": ("paper", ENSEMBLE),
    "resampled splits, ensemble": ("paper-refolds", ENSEMBLE),
}
EXTENDED_SPACE = {"single seed": ("extended", ONE), "seed ensemble": ("extended", ENSEMBLE)}


def tuned_table(space: str, protocols: Mapping[str, tuple[str, str]], stored: Stored) -> str:
    """One row per dataset: LSGNN tuned on validation nodes in one search space, beside the published."""
    found = {(t.dataset, t.space, t.rule): t for t in read_tuned(stored.results) if t.model == "lsgnn"}
    titles = ("dataset", "published", "trials", *protocols)
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for name in (*nine(), *OTHERS):
        own = [found.get((name, *protocol)) for protocol in protocols.values()]
        search = found.get((name, space, ONE))
        unit = ", ROC AUC" if any(t is not None and t.metric == "roc_auc" for t in own) else ""
        trials = "–" if search is None else str(search.trials)
        scores = ["–" if t is None else str(Score.of(t.test)) for t in own]
        lines.append(f"| {' | '.join((title(name) + unit, _or_dash(printed_lsgnn().get(name)), trials, *scores))} |")
    means = [_mean_of_nine(found, *protocol) for protocol in protocols.values()]
    published = mean(printed_lsgnn()[name] for name in nine())
    lines.append(f"| {' | '.join(('**mean of the nine**', f'{published:.2f}', '', *means))} |")
    return "\n".join(lines)


def _mean_of_nine(found: Mapping[tuple[str, str, str], Tuned], space: str, rule: str) -> str:
    """Empty unless all nine were tested; splits are resampled on the smallest, the others count as without it."""
    instead = "paper" if space == "paper-refolds" else space
    tested = [found.get((name, space, rule)) or found.get((name, instead, rule)) for name in nine()]
    scores = [mean(t.test) for t in tested if t is not None]
    return f"{mean(scores):.2f}" if len(scores) == len(tested) else ""


def explained_table(stored: Stored) -> str:
    """What direction, twins and corrected data do to the sets with the largest published gains."""
    lines = ["| | Chameleon | Squirrel |", "|---|---|---|"]
    datasets = ("chameleon", "squirrel")
    zoo = {d: read_zoo(stored.results, d) for name in datasets for d in (name, f"{name}-filtered")}
    results = Results(stored.results, "ablation")

    def ablation(variant: str) -> list[str]:
        units = (results.get(f"{d}/{variant}") for d in datasets)
        return [str(Score.of(unit["test"])) if unit else "not run yet" for unit in units]

    def model(name: str, filtered: bool = False) -> list[str]:
        found = (zoo[f"{d}-filtered" if filtered else d].get(name) for d in datasets)
        return [str(Score.of(scores)) if scores else "not run yet" for scores in found]

    rows = {
        "LSGNN, published": [f"{printed_lsgnn()[d]:.2f}" for d in datasets],
        "LSGNN, released configuration (out-neighbours)": ablation("lsgnn"),
        "the same, undirected, as the paper says": ablation("undirected"),
        "the same, graph-level weights instead of LocalSim": ablation("graph_weights"),
        "twin look-up, which learns nothing": model("twin_lookup"),
        "nearly without twins (filtered data): LSGNN, released configuration": model("lsgnn", filtered=True),
        "nearly without twins: twin look-up": model("twin_lookup", filtered=True),
        "nearly without twins: GCN": model("gcn", filtered=True),
    }
    return "\n".join([*lines, *(f"| {label} | {' | '.join(cells)} |" for label, cells in rows.items())])


def findings(experiment: str, stored: Stored) -> str:
    """The sentences with numbers that an experiment's page begins with."""
    page = paper.get(experiment).render(Results(stored.results, experiment, benchmarks=stored.benchmarks))
    return "\n".join(f"* {line}" for line in page.findings) or "* not run yet"


def _read(file: Path) -> Any:
    return read_json(file) if file.exists() else None


def _score(result: Any) -> str:
    return "not run yet" if result is None else str(Score.of(result["test_accuracy"]["per_split"]))


def _or_dash(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def measured(file: str, table: Callable[[dict[str, Any]], str]) -> Callable[[Stored], str]:
    """A table of what a script in benchmarks/ wrote to a file."""

    def made(stored: Stored) -> str:
        document = _read(stored.benchmarks / f"{file}.json")
        return "not run yet" if document is None else table(document)

    return made


SECTIONS: dict[str, Callable[[Stored], str]] = {
    "headline": headline_table,
    "headline-speed": measured("train_cost", partial(speed_table, datasets=(*HEADLINE, "synthetic-arxiv"))),
    "released": released_table,
    "speed": measured("train_cost", speed_table),
    "threads": measured("threads", threads_table),
    "roofline": measured("roofline", roofline_table),
    "time-to-accuracy": measured("time_to_accuracy", time_to_accuracy_table),
    "localsim-share": measured("localsim_share", localsim_share_table),
    "side-by-side": measured("side_by_side", side_by_side_table),
    "sweep": measured("sweep", sweep_table),
    "first-minute": measured("first_minute", first_minute_table),
    "tuning-time": measured("tune_time", tuning_time_table),
    "store": measured("store", store_table),
    "store-epochs": measured("store_epochs", store_epochs_table),
    "random-rows": measured("random_rows", random_rows_table),
    "scale": measured("scale", stage_table),
    "before": measured("before", before_table),
    "papers100m": measured("scale", papers100m_table),
    "machines": measured("scale", machines_table),
    "lake": measured("lake", lake_table),
    "sign": measured("sign", sign_table),
    "tuned": partial(tuned_table, "paper", PAPERS_SPACE),
    "tuned-extended": partial(tuned_table, "extended", EXTENDED_SPACE),
    "explained": explained_table,
    **{f"findings-{name}": partial(findings, name) for name in paper.names()},
}


def render(text: str, stored: Stored) -> str:
    """The text with every generated section made anew."""

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}{SECTIONS[match[2]](stored)}\n{match[3]}"

    return re.sub(r"(<!-- begin ([\w-]+) .*?-->\n).*?(<!-- end \2 -->)", fill, text, flags=re.DOTALL)


def contents() -> dict[Path, str]:
    """Each file with its generated parts, from what the repository stores."""
    return {file: render(file.read_text("utf-8"), Stored(RESULTS, BENCHMARKS)) for file in FILES}


if __name__ == "__main__":
    sys.exit(regenerate(contents(), __doc__))
