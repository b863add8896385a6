"""The parts of the documentation that the package can tell best itself, as Markdown.

A page asks for one with a line `<!-- generated: commands -->`; it is filled in when Sphinx reads the page, so that it
cannot grow old.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OFFICIAL = "Against the official code: "
PLACE = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)


def commands() -> str:
    """Every command of `lsgnn` with its arguments and options."""
    return "\n".join(_command(name, command) for name, command in command_line().commands.items())


def command_line() -> Any:
    from typer.main import get_command

    from lsgnn.cli.main import app

    return get_command(app)


def _command(name: str, command: Any) -> str:
    arguments = " ".join(_placeholder(p) for p in command.params if p.param_type_name == "argument")
    usage = f"lsgnn {name} {arguments} [OPTIONS]".replace("  ", " ")
    rows = [f"| {_spelling(p)} | {_meaning(p)} |" for p in command.params if p.name != "help"]
    help_text = inspect.cleandoc(command.help or "")
    table = "\n".join(["| argument or option | meaning |", "|---|---|", *rows])
    return f"## `lsgnn {name}`\n\n{help_text}\n\n```text\n{usage}\n```\n\n{table}\n"


def _placeholder(parameter: Any) -> str:
    metavar: str = parameter.metavar or parameter.name.upper()
    return metavar if parameter.required or metavar.startswith("[") else f"[{metavar}]"


def _spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_placeholder(parameter)}`"
    flag = getattr(parameter, "is_flag", False)
    value = "" if flag else f" {parameter.metavar or parameter.name.upper()}"
    return ", ".join(f"`{name}{value}`" for name in (*parameter.opts, *parameter.secondary_opts))


def _meaning(parameter: Any) -> str:
    text = _cell(parameter.help or "")
    if parameter.required:
        return f"{text} Required."
    default = parameter.default
    if default is None or default is False or callable(default):
        return text
    default = parameter.opts[0] if default is True else default
    return f"{text} Default: `{default}`."


def settings() -> str:
    """The fields of `LSGNNConfig` in the order of its source, with their defaults, choices and comments."""
    from lsgnn.config import LSGNNConfig, TrainingConfig

    rows = [row for cls in (LSGNNConfig, TrainingConfig) for row in _fields(cls)]
    return "\n".join(["| hyperparameter | default | choices or range |", "|---|---|---|", *rows])


def _fields(cls: type) -> Iterator[str]:
    from typing import Literal, get_args, get_origin, get_type_hints

    kinds = get_type_hints(cls)
    field = re.compile(r"^    (\w+): .+? = (.+?)(?:  # (.*))?$")
    body = inspect.getsource(cls).split("    def ")[0]
    own = [f.name for f in dataclasses.fields(cls)]
    for line in body.splitlines():
        if (match := field.match(line)) and match[1] in own:
            name, default, comment = match.groups()
            kind = kinds[name]
            choices = ", ".join(f"`{c}`" for c in get_args(kind)) if get_origin(kind) is Literal else kind.__name__
            yield f"| `{name}` | `{default.strip(chr(34))}` | {choices}{'; ' + _cell(comment) if comment else ''} |"


def datasets() -> str:
    """The registry: size, edge homophily, official splits, and where a graph comes from."""
    from lsgnn.datasets import info, names

    lines = ["| name | nodes | edges | classes | features | edge homophily | splits | where |", "|---" * 8 + "|"]
    for entry in map(info, names()):
        where = "downloaded" if entry.downloadable else "`.npz` folder" if entry.loader.startswith("npz") else "bundled"
        sizes = " | ".join(f"{v:,}" for v in (entry.nodes, entry.edges, entry.classes, entry.features))
        lines.append(f"| `{entry.name}` | {sizes} | {entry.edge_homophily:.2f} | {entry.splits} | {where} |")
    return "\n".join(lines)


def zoo() -> str:
    """All models: name, title, paper, and whether they apply to new nodes and to other graphs."""
    from lsgnn import zoo as models

    lines = ["| name | model | source | new nodes | other graphs |", "|---|---|---|---|---|"]
    for name in models.names():
        model, doc = models.get(name), inspect.getdoc(import_module(f"lsgnn.zoo.{name}")) or ""
        first = " ".join(doc.split("\n\n")[0].split())
        config = model.config()
        applies = " | ".join("no" if tie else "yes" for tie in (config.tied_to_nodes, config.tied_to_graph))
        lines.append(f"| `{name}` | {model.title} | {_cell(first.partition(': ')[2] or first)} | {applies} |")
    return "\n".join(lines)


def official() -> str:
    """How each model differs from its official code, in the words of its own file."""
    from lsgnn import zoo as models

    lines = []
    for name in models.names():
        doc = inspect.getdoc(import_module(f"lsgnn.zoo.{name}")) or ""
        said = [" ".join(part.split()) for part in doc.split("\n\n") if part.startswith(OFFICIAL)]
        lines += [f"- `{name}`: {text.removeprefix(OFFICIAL)}" for text in said]
    return "\n".join(lines)


def results() -> str:
    """A table of contents of the pages that `python -m paper` rendered; the folder may not exist yet."""
    pages = sorted(path.stem for path in (HERE / "results").glob("*.md"))
    if not pages:
        return "No result has been rendered yet."
    return "\n".join(["```{toctree}", ":maxdepth: 1", "", *(f"results/{page}" for page in pages), "```"])


def best_answer() -> str:
    """What `benchmarks/best_answer.py` has measured so far."""
    return _measured("best_answer_table", "best_answer")


def neighbour_labels() -> str:
    """What `benchmarks/neighbour_labels.py` has measured."""
    return _measured("neighbour_labels", "neighbour_labels")


def _measured(module: str, results: str) -> str:
    """The table that a benchmark makes of its lines, and what they were made with."""
    root = HERE.parent
    sys.path.insert(0, str(root))
    try:
        table_of = import_module(f"benchmarks.{module}").table_of
        from lsgnn.benchmark.made_with import made_with
        from lsgnn.lines import LineFile
    finally:
        sys.path.remove(str(root))
    stored = root / "benchmarks" / "results" / f"{results}.jsonl"
    return f"{table_of(stored)}\n{made_with(LineFile(stored).lines().values())}"


def classic() -> str:
    """Classic GNNs with the published configuration, on the graphs where that was run: ten splits each."""
    lines = ["| graph | test accuracy, % | published | splits |", "|---|---|---|---|"]
    for name, published in (("squirrel-filtered", "45.01 ± 1.63"), ("chameleon-filtered", "46.29 ± 3.40")):
        file = HERE.parent / "benchmarks" / "results" / f"classic-{name}.json"
        if file.is_file():
            result = json.loads(file.read_text("utf-8"))
            score = result["test_accuracy"]
            cells = f"{score['mean']:.2f} ± {score['std']:.2f} | {published} | {len(result['splits'])}"
            lines.append(f"| {name} | {cells} |")
    return "\n".join(lines)


def serving() -> str:
    """What `benchmarks/serve.py` has measured, if it has."""
    file = HERE.parent / "benchmarks" / "results" / "serve.json"
    if not file.is_file():
        return "It has not been run yet."
    found = json.loads(file.read_text("utf-8"))
    speed, batch, memory, kills = (found[part] for part in ("speed", "batches", "memory", "kills"))
    rows = [
        (
            f"single new nodes, {speed['clients']} clients, {speed['workers']} worker(s)",
            f"{speed['requests_per_second']:.0f} requests per second; p50 {speed['p50_ms']:.1f} ms, "
            f"p99 {speed['p99_ms']:.1f} ms; {speed['server_cpu_ms_per_request']:.2f} ms of the server's CPU time each",
        ),
        (f"{batch['nodes']:,} new nodes in one request", f"{batch['seconds_median']:.2f} s"),
        (
            f"memory over {memory['requests']:,} requests",
            f"{memory['megabytes_early']:.0f} MB after a tenth of them, {memory['megabytes_late']:.0f} MB at the end",
        ),
        (
            f"{kills['kills']} kills under load",
            f"{kills['acknowledged']:,} nodes acknowledged, {kills['lost']} lost, {kills['doubled']} doubled",
        ),
        ("largest difference from `Run.predict_new`", f"{found['equal']['largest_difference']:.1e} of a probability"),
    ]
    return "\n".join(["| what | measured |", "|---|---|", *(f"| {what} | {value} |" for what, value in rows)])


def reliability() -> str:
    """The counts of the last full run of each kind of test, and the kills of the service."""
    results = HERE.parent / "benchmarks" / "results"
    files = [results / f"{name}.json" for name in ("reliability", "serve")]
    found, serve = (json.loads(file.read_text("utf-8")) if file.is_file() else {} for file in files)
    rows = []
    if part := found.get("faults"):
        kinds = ", ".join(f"{count} × {kind}" for kind, count in part["kind"].items())
        failed = "".join(f"; {key}: {_cell(why)}" for key, why in part.get("failed", {}).items())
        rows.append(("make faults", f"{part['faults']} faults ({kinds}), {part['failures']} failures{failed}", part))
    if part := serve.get("kills"):
        told = f"{part['kills']} kills of the service under load, {part['acknowledged']:,} nodes acknowledged"
        told += f", {part['lost']} lost, {part['doubled']} doubled"
        rows.append(("python benchmarks/serve.py", told, serve.get("environment", {})))
    if part := found.get("fuzz"):
        told = f"{part['cases']:,} cases of {len(part['tests'])} tests, {part['failures']} failures"
        rows.append(("make fuzz", told, part))
    if part := found.get("mutants"):
        share = 100 * part["killed"] / part["mutants"]
        rows.append(("make mutants", f"{part['mutants']} mutants, {part['killed']} killed ({share:.1f} %)", part))
    if part := found.get("million"):
        graph = f"{part['nodes']:,} nodes with {part['features']} features and {part['edges']:,} edges"
        rows.append(("make load", f"`lsgnn predict` of {graph}: {part['megabytes']:,} MB at most", part))
    if part := found.get("readers"):
        told = f"{part['processes']} processes read one run at once, {part['different']} differ"
        rows.append(("make load", told, part))
    if part := found.get("study"):
        told = f"two processes in one study for {part['minutes']:g} minutes: {part['finished']} trials finished"
        rows.append(("make load", f"{told}, {part['lost']} lost, {part['doubled']} doubled", part))
    if part := found.get("minimum"):
        told = f"{part['passed']:,} tests of {', '.join(part['folders'])} passed, {part['failed']} failed"
        lowest = f"{len(part['lowest'])} of {len(part['versions'])} dependencies in the lowest version declared"
        rows.append(("make test-minimum", f"{told}, {part['skipped']} skipped; {lowest}", part))
    if not rows:
        return "No full run has been recorded yet."
    cells = [f"| `{what}` | {told} | {(made.get('commit') or 'not kept')} |" for what, told, made in rows]
    return "\n".join(["| command | counted | commit |", "|---|---|---|", *cells])


def survivors() -> str:
    """Mutants that no test noticed, and why."""
    file = HERE.parent / "benchmarks" / "results" / "reliability.json"
    found = json.loads(file.read_text("utf-8")).get("mutants", {}) if file.is_file() else {}
    lines = [f"| `{key}` | {_cell(why) or 'a hole in the tests'} |" for key, why in found.get("survivors", {}).items()]
    return "\n".join(["| mutant | why it lives |", "|---|---|", *lines]) if lines else "None is known."


PARTS = {
    part.__name__: part
    for part in (
        *(commands, settings, datasets, zoo, official, results, best_answer, neighbour_labels, classic, serving),
        *(reliability, survivors),
    )
}


def filled(source: str) -> str:
    """A page with its generated parts in their places; where a score breaks in a narrow cell, it does so before ±."""
    return PLACE.sub(lambda match: PARTS[match[1]](), source).replace("± ", "±\u00a0")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def _fill(app: Any, docname: str, source: list[str]) -> None:
    source[0] = filled(source[0])


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
