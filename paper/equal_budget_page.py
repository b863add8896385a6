"""The page of the equal budget: a row per model, a column per dataset, and what each search had time for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paper.frame import Results
from paper.inputs import read_zoo
from paper.page import Cell, Page, Row, Score, Table
from paper.provenance import mixed_rows
from paper.published import CORRECTED, OURS, average, nine, nine_columns, title

OTHERS = (*CORRECTED, "tolokers", "arxiv-2023")
FIXED = ("classic",)  # baselines that are in the table whatever the zoo's results say
LEARN_NOTHING = ("majority", "twin_lookup")
BASELINES = 10
TITLE = "Tuned with one budget"
Found = Mapping[str, Mapping[str, Any]]  # name of a unit → its result


def render(results: Results) -> Page:
    found = {name: results.get(name) for name in results.finished()}
    models = models_of(results)
    others = tuple(dict.fromkeys((*OTHERS, *(d for name in found if (d := name.partition("/")[0]) not in nine()))))
    caption = _caption(results, found)
    over_nine = [_row(model, nine(), found) for model in models]
    averages = tuple(Row(row.label, (*row.cells, average(row.cells)), OURS) for row in over_nine)
    rest = tuple(_row(model, others, found) for model in models)
    tables = (
        Table("equal-budget", caption, "model", nine_columns(), averages, best="high"),
        Table(
            "equal-budget-corrected",
            "The same on corrected and on other data.",
            "model",
            _columns(others),
            rest,
            "high",
        ),
        _effort(models, (*nine(), *others), found),
    )
    return Page(TITLE, tables, _findings(averages, nine()) + _findings(rest, others))


def models_of(results: Results) -> tuple[str, ...]:
    """LSGNN, `FIXED`, the baselines with the best mean test score over the nine in the zoo's results, and whatever has
    run already."""
    zoo = [read_zoo(results.root, dataset) for dataset in nine()]
    complete = set.intersection(*map(set, zoo)) - {"lsgnn", *FIXED, *LEARN_NOTHING}
    mean = {model: np.mean([np.mean(scores[model]) for scores in zoo]) for model in complete}
    strongest = sorted(complete, key=lambda model: (-mean[model], model))[:BASELINES]
    done = [name.partition("/")[2] for name in results.finished()]
    return tuple(dict.fromkeys(("lsgnn", *FIXED, *strongest, *done)))


def _row(model: str, datasets: Sequence[str], found: Found) -> Row:
    results = [found.get(f"{dataset}/{model}") for dataset in datasets]
    return Row(_label(model), tuple(map(_score, results)), OURS)


def _score(result: Mapping[str, Any] | None) -> Cell:
    if result is None:
        return None
    return "cannot run" if "error" in result else Score.of(result["test"])


def _effort(models: Sequence[str], datasets: Sequence[str], found: Found) -> Table:
    """Trials and CPU minutes of every search."""

    def cell(result: Mapping[str, Any] | None) -> Cell:
        if result is None or "error" in result:
            return None if result is None else "–"
        return f"{result['num_trials']} ({result['search_cpu_seconds'] / 60:.1f})"

    rows = (Row(_label(m), tuple(cell(found.get(f"{d}/{m}")) for d in datasets)) for m in models)
    caption = "Trials that each search finished, and its minutes of a core."
    return Table("equal-budget-trials", caption, "model", _columns(datasets), tuple(rows))


def _caption(results: Results, found: Found) -> str:
    if not found:
        return "Test scores (%), mean ± std over splits. ours: not run yet: `python -m paper run equal-budget`."
    facts = [results.arguments(name) for name in found]
    budgets = sorted({(fact["trials"], fact["minutes"]) for fact in facts})
    told = " or ".join(f"{trials} trials or {minutes:g} minutes of one core" for trials, minutes in budgets)
    text = (
        f"Test scores (%), mean ± std over splits. Every model is tuned by its own search space with the same budget, "
        f"{told} per dataset, whichever ends first (one trial is always finished, and the best three are scored again "
        "with fresh seeds on top of it). Trials are judged by the validation nodes of "
        f"{_by_dataset(facts, 'search_splits', '{} split(s)')}; the first is the model's preset. The chosen "
        "configuration is trained on all splits with a seed that the search has not seen, and each test score is read "
        "once. ours: LSGNN in the paper's space; the ten baselines with the best average in the main table, and tuned "
        "classic GNNs; official splits, of which test nodes of one may be validation nodes of another."
    )
    if any("epochs" in fact for fact in facts):
        capped = [fact for fact in facts if "epochs" in fact]
        text += f" At most so many epochs, for all models alike: {_by_dataset(capped, 'epochs', '{}')}."
    few = {n: len(r["test"]) for n, r in found.items() if "test" in r and len(r["test"]) < _most(n, found)}
    if few:
        text += f" Fewer splits tested: {'; '.join(f'{_unit(name)} {count}' for name, count in few.items())}."
    wrong = {name: result["error"] for name, result in found.items() if "error" in result}
    if wrong:
        text += f" Cannot run: {'; '.join(f'{_unit(name)} ({why})' for name, why in wrong.items())}."
    codes: dict[str, dict[str, str]] = {}
    for name in found:
        dataset, _, model = name.partition("/")
        codes.setdefault(_label(model), {})[title(dataset)] = results.code(name)
    return text + mixed_rows(codes)


def _most(name: str, found: Found) -> int:
    """The most splits that any model was tested on, on the same dataset."""
    start = name.partition("/")[0] + "/"
    return max(len(result["test"]) for other, result in found.items() if other.startswith(start) and "test" in result)


def _by_dataset(facts: Sequence[Mapping[str, Any]], name: str, words: str) -> str:
    """`3 split(s) (Texas, Cora), 1 split(s) (Pubmed)`."""
    where: dict[int, list[str]] = {}
    for fact in facts:
        datasets = where.setdefault(fact[name], [])
        if title(fact["dataset"]) not in datasets:
            datasets.append(title(fact["dataset"]))
    return ", ".join(f"{words.format(value)} ({', '.join(names)})" for value, names in sorted(where.items()))


def _findings(rows: Sequence[Row], datasets: Sequence[str]) -> tuple[str, ...]:
    """Averages, and LSGNN beside the best baseline of each dataset, as far as both have run."""
    lines = []
    averages = [(row.cells[-1], row.label) for row in rows if len(row.cells) > len(datasets)]
    means = sorted(((cell.mean, label) for cell, label in averages if isinstance(cell, Score)), reverse=True)
    if means:
        lines.append(f"on average over the nine: {'; '.join(f'{label} {mean:.2f}' for mean, label in means)}")
    own = next((row for row in rows if row.label == _label("lsgnn")), None)
    beside = []
    for column, dataset in enumerate(datasets):
        rivals = [(c.mean, r.label) for r in rows if r is not own and isinstance(c := r.cells[column], Score)]
        cell = own.cells[column] if own else None
        if rivals and isinstance(cell, Score):
            best, label = max(rivals)
            beside.append(f"{title(dataset)} {cell.mean - best:+.2f} ({label})")
    if beside:
        lines.append(f"LSGNN minus the best baseline that has run: {'; '.join(beside)}")
    return tuple(lines)


def _label(model: str) -> str:
    from lsgnn.zoo import get

    return get(model).title


def _columns(datasets: Sequence[str]) -> tuple[str, ...]:
    return tuple(title(dataset) + (", ROC AUC" if dataset == "tolokers" else "") for dataset in datasets)


def _unit(name: str) -> str:
    dataset, _, model = name.partition("/")
    return f"{title(dataset)} {_label(model)}"
