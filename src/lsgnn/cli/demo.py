"""`lsgnn demo`: the main job on the two bundled real graphs, from homophily to predictions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from lsgnn.cli import options
from lsgnn.cli.show import answer, answer_json, answer_table, progress
from lsgnn.files import make_folder

GRAPHS = ("cora-linqs", "debian")


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the predictions.")] = Path("demo-output"),
    splits: Annotated[int, typer.Option(help="How many of the ten splits to average over.", min=1, max=10)] = 3,
    json: options.Json = False,
) -> None:
    """Measure homophily, fit LSGNN and two simpler models on the bundled graphs, compare, write predictions."""
    start = time.perf_counter()
    make_folder(out)
    results = []
    with progress("demo", len(GRAPHS) * 4) as step:
        for name in GRAPHS:
            results += [_one_graph(name, splits, out, step)]
    document = {"graphs": results, "seconds": round(time.perf_counter() - start, 1)}
    if json:
        answer_json(document)
        return
    from rich.table import Table

    from lsgnn.benchmark.evaluate import shown

    title = f"test accuracy in %, mean ± std over {splits} splits; settings as default, best epoch by validation"
    table = Table("graph", "nodes", "edges", "edge homophily", "MLP", "graph-level weights", "LSGNN", title=title)
    for r in results:
        scores = (r["test_accuracy"][model] for model in ("mlp", "graph", "lsgnn"))
        cells = (shown(score, digits=1) for score in scores)
        table.add_row(r["graph"], f"{r['nodes']:,}", f"{r['edges']:,}", f"{r['homophily']['edge']:.2f}", *cells)
    answer_table(table)
    for r in results:
        answer(f"predictions for {r['graph']}: {r['predictions']}")
    answer(f"done in {document['seconds']} s; next: lsgnn fit --edges edges.csv --nodes nodes.csv --label CLASS")


def _one_graph(name: str, splits: int, out: Path, step: Any) -> dict[str, Any]:
    from dataclasses import asdict

    from lsgnn.benchmark.compare import compare
    from lsgnn.benchmark.evaluate import evaluate, summary
    from lsgnn.datasets import load, preset
    from lsgnn.graph.homophily import homophily
    from lsgnn.runs.fit import fit
    from lsgnn.zoo.presets import zoo_preset

    graph, config = load(name), preset(name).config
    which = range(splits)
    lsgnn = evaluate(graph, config, which=which)
    step()
    level = evaluate(graph, config.replace(weights="graph"), which=which)
    step()
    quick = zoo_preset("mlp", name).replace(patience=40)
    mlp = compare(graph, ["mlp"], which=which, configs={"mlp": quick}).rows[0]
    step()
    path = out / f"{name}.csv"
    fit(graph, config).predict().save(path)
    step()
    return {
        "graph": name,
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "homophily": asdict(homophily(graph)),
        "test_accuracy": {"mlp": summary(mlp.test), "graph": summary(level.test), "lsgnn": summary(lsgnn.test)},
        "predictions": str(path),
    }
