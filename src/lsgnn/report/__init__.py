"""Pages for people: what graph is this (`diagnose`), how did a run go (`run_page`), and how do several compare.

>>> from lsgnn.report import diagnose, write_diagnosis_page
>>> diagnosis = diagnose(graph)  # doctest: +SKIP
>>> write_diagnosis_page(diagnosis, "graph.html")  # doctest: +SKIP

The folder in data-flow order: facts (`structure`, `homophily_vs_chance`, `neighbourhoods`, `twins`, `composition`,
`probes` of a graph; `run_scores`, `run_insides`, `node_table`, `explained_nodes` of a run; `compared_runs` of several;
`searched` of a tuning) → words (`verdict`, `runs_verdict`) → charts (`charts/`) → one HTML file (`page` and
`templates/`). Names are imported on first use: charts and templates are not needed to train.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lsgnn.report.diagnosis import Diagnosis, diagnose
    from lsgnn.report.page_of_comparison import comparison_page, write_comparison_page
    from lsgnn.report.page_of_diagnosis import diagnosis_page, write_diagnosis_page
    from lsgnn.report.page_of_run import run_page, write_run_page
    from lsgnn.report.page_of_runs import runs_page, write_runs_page
    from lsgnn.report.page_of_stored_run import stored_run_page, write_stored_run_page
    from lsgnn.report.page_of_tuning import tuning_page, write_tuning_page

_HOME = {
    "Diagnosis": "diagnosis",
    "comparison_page": "page_of_comparison",
    "diagnose": "diagnosis",
    "diagnosis_page": "page_of_diagnosis",
    "run_page": "page_of_run",
    "runs_page": "page_of_runs",
    "stored_run_page": "page_of_stored_run",
    "tuning_page": "page_of_tuning",
    "write_comparison_page": "page_of_comparison",
    "write_diagnosis_page": "page_of_diagnosis",
    "write_run_page": "page_of_run",
    "write_runs_page": "page_of_runs",
    "write_stored_run_page": "page_of_stored_run",
    "write_tuning_page": "page_of_tuning",
}

__all__ = [
    "Diagnosis",
    "comparison_page",
    "diagnose",
    "diagnosis_page",
    "run_page",
    "runs_page",
    "stored_run_page",
    "tuning_page",
    "write_comparison_page",
    "write_diagnosis_page",
    "write_run_page",
    "write_runs_page",
    "write_stored_run_page",
    "write_tuning_page",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"lsgnn.report.{_HOME[name]}"), name)
    raise AttributeError(f"module 'lsgnn.report' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
