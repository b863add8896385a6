"""`lsgnn diagnose`: what graph is this? A verdict in plain words, and a page with all the numbers behind it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsgnn.cli import given_graph, given_settings, options
from lsgnn.cli.show import answer, answer_json, progress, say

if TYPE_CHECKING:
    from lsgnn.report.diagnosis import Diagnosis


def diagnose(
    graph: options.GraphName = None,
    edges: options.Edges = None,
    nodes: options.Nodes = None,
    label: options.Label = None,
    id: options.Id = None,
    column: options.Column = None,
    missing: options.Missing = "impute",
    delimiter: options.Delimiter = None,
    name: options.Name = None,
    out: Annotated[Path | None, typer.Option(help="File for the page (.html).")] = None,
    metric: options.Metric = None,
    probes: Annotated[bool, typer.Option("--probes/--no-probes", help="Also train a few quick models.")] = True,
    seed: Annotated[int, typer.Option(help="Of shuffled labels and probes.", min=0)] = 0,
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    """Measure a graph, probe it with quick models and say in words what to make of it."""
    start = time.perf_counter()
    options.check_places((out, (".html",)))
    how: dict[str, Any] = dict(missing=missing, delimiter=delimiter, name=name)
    g = given_graph.open_graph(graph, edges, nodes, label, id, column, data_dir, **how)
    from lsgnn.report.diagnosis import diagnose as examine
    from lsgnn.report.diagnosis import num_steps

    with progress(f"looking at {g.name}", num_steps(g, probes)) as step:
        found = examine(g, metric=given_settings.checked_metric(metric), probes=probes, seed=seed, on_step=step)
    if out is not None:
        from lsgnn.report import write_diagnosis_page

        with progress(f"writing {out}", None):
            write_diagnosis_page(found, out)
    if json:
        answer_json(found.to_dict())
        return
    for line in summary_lines(found, given_graph.as_typed(graph, edges, nodes, label, id, column, **how)):
        answer(line)
    if out is not None:
        say(f"page written to {out}")
    say(f"done in {time.perf_counter() - start:.1f} s")


def summary_lines(found: Diagnosis, graph: str) -> list[str]:
    """What the command prints: size, verdict, warnings, and the command to go on with (`graph` as it was typed)."""
    from lsgnn.report.edge_evidence import told, told_interval
    from lsgnn.train.metrics import about

    s, c, title = found.structure, found.classes, about(found.probes.metric).title
    lines = [
        f"{found.graph}: {s.nodes:,} nodes ({c.labelled:,} labelled), {s.edges:,} edges, "
        f"{found.features.columns:,} features, {len(c.names)} classes"
    ]
    if found.measures:
        values = (f"{m.name.replace('_', ' ')} {m.value:.3f} (chance {m.chance:.3f})" for m in found.measures)
        lines.append("homophily: " + ", ".join(values))
    for row in found.probes.rows:
        around = f"  [{between}]" if (between := told_interval(found.probes, row)) else ""
        lines.append(f"  {row.title:45} validation {title} {told(found.probes, row):>7}{around}")
    if found.probes.rows:
        many, nodes = found.probes.num_splits, f"about {found.probes.validation_nodes:,} validation nodes"
        splits = f"{many} {found.probes.splits} split{'s' * (many > 1)}"
        lines.append(f"  (brackets: 95 % {found.probes.interval}; {splits} with {nodes})")
    else:
        lines.append(f"no probes: {found.probes.not_run}")
    lines += [f"- {sentence}" for sentence in found.verdict.sentences]
    lines += [f"! {warning}" for warning in found.verdict.warnings]
    if not c.labelled:
        return lines  # there is nothing to fit yet
    return [*lines, f"start with: {found.verdict.command(graph, tried=bool(found.probes.rows))}"]
