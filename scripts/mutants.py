"""Would a test notice? Changes one operator, number or statement of the source at a time and runs its tests.

    python scripts/mutants.py --folder build/mutants --count 160 --record        # what `make mutants` does
    python scripts/mutants.py --folder build/mutants --list                      # the survivors so far

The mutants are drawn with a fixed seed, the same number from each file as far as it has them. Each is tried in a
process forked from one that has imported the libraries, with a limit of processor time that a run without a mutant
stays well within. Outcomes are lines of `mutants.jsonl` in the folder, so that a run that was stopped goes on. A
survivor that changes nothing anyone could see has its reason in `scripts/mutants.toml`.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.abc
import importlib.util
import os
import random
import resource
import signal
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPO = Path(__file__).parents[1]
SOURCES = REPO / "src" / "lsgnn"
REASONS = Path(__file__).with_suffix(".toml")
SEED = 23
# the tests of each file: its own first, so that most mutants die early
TESTS = {
    "graph/graph.py": "graph/test_graph.py graph/io/test_npz.py",
    "graph/homophily.py": "graph/test_homophily.py",
    "graph/splits.py": "graph/test_splits.py graph/test_split_checks.py",
    "graph/split_checks.py": "graph/test_split_checks.py graph/test_splits.py",
    "graph/csr_parts.py": "graph/test_csr_parts.py graph/test_graph.py",
    "graph/lookup.py": "graph/test_lookup.py",
    "graph/node_folds.py": "graph/test_node_folds.py",
    "graph/resampled_splits.py": "graph/test_resampled_splits.py",
    "graph/arrays.py": "graph/test_arrays.py graph/test_graph.py",
    "graph/edge_checks.py": "graph/test_graph.py",
    "graph/validate.py": "graph/test_graph.py graph/test_split_checks.py",
    "graph/structural_features.py": "graph/test_structural_features.py",
    "propagate/filters.py": "propagate/test_filters.py propagate/test_precompute.py",
    "propagate/irdc.py": "propagate/test_irdc.py",
    "propagate/feature_norm.py": "propagate/test_feature_norm.py",
    "propagate/column_scale.py": "propagate/test_column_scale.py",
    "propagate/similarity.py": "propagate/test_similarity.py propagate/test_precompute.py",
    "propagate/precompute.py": "propagate/test_precompute.py propagate/test_extremes.py",
    "propagate/structure_features.py": "propagate/test_structure_features.py",
    "nn/localsim.py": "nn/test_localsim.py nn/test_model.py",
    "nn/fusion.py": "nn/test_fusion.py nn/test_model.py",
    "nn/model.py": "nn/test_model.py nn/test_deep.py",
    "nn/channel_norm.py": "nn/test_channel_norm.py nn/test_model.py",
    "nn/rows.py": "nn/test_rows.py nn/test_size.py nn/test_model.py",
    "nn/sparse.py": "nn/test_sparse.py nn/test_model.py",
    "nn/deep.py": "nn/test_deep.py nn/test_model.py",
    "nn/attached_channels.py": "nn/test_attached_channels.py",
    "nn/attached_rows.py": "nn/test_attached_rows.py",
    "nn/size.py": "nn/test_size.py",
    "train/calibration.py": "train/test_calibration.py",
    "train/class_weights.py": "train/test_class_weights.py",
    "train/decision.py": "train/test_decision.py runs/test_decision.py",
    "train/metrics.py": "train/test_metrics.py",
    "train/selection.py": "train/test_selection.py train/test_loop.py",
    "train/loop.py": "train/test_loop.py",
    "train/ensemble.py": "train/test_ensemble.py",
    "train/saved_history.py": "train/test_saved_history.py",
    "train/seeded.py": "train/test_seeded.py",
    "runs/checkpoint.py": "runs/test_checkpoint.py",
    "runs/predictions.py": "runs/test_predictions.py",
    "files.py": "test_files.py",
    "digests.py": "test_digests.py runs/test_checkpoint.py",
}
SWAPS: dict[type, type] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult},
}


@dataclass(frozen=True)
class Mutant:
    """One change: the `number`-th that could be made to a file."""

    file: str
    number: int
    line: int
    what: str

    @property
    def key(self) -> str:
        return f"{self.file}:{self.line} {self.what}"


def mutants_of(file: str) -> list[Mutant]:
    """Every mutant of a file."""
    tree = ast.parse((SOURCES / file).read_text("utf-8"))
    return [Mutant(file, number, line, what) for number, (line, what, _) in enumerate(_changes(tree))]


def changed(mutant: Mutant) -> ast.Module:
    """The tree of the mutant's file, with the change."""
    tree = ast.parse((SOURCES / mutant.file).read_text("utf-8"))
    _, _, change = list(_changes(tree))[mutant.number]
    change()
    return ast.fix_missing_locations(tree)


def _changes(tree: ast.Module) -> Iterator[tuple[int, str, Any]]:
    """(line, what, function that makes the change) in the order of the tree, leaving out words and types."""
    for node in _code(tree):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            new = SWAPS[type(node.ops[0])]
            yield node.lineno, f"{_name(node.ops[0])} → {new.__name__}", lambda n=node, o=new: n.ops.__setitem__(0, o())
        elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPS:
            new = SWAPS[type(node.op)]
            yield node.lineno, f"{_name(node.op)} → {new.__name__}", lambda n=node, o=new: setattr(n, "op", o())
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            yield (
                node.lineno,
                f"{_name(node.op)} left out",
                lambda n=node: (
                    setattr(n, "op", ast.UAdd())
                    if isinstance(n.op, ast.USub)
                    else _become(n, ast.Call(ast.Name("bool", ast.Load()), [n.operand], []))
                ),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
            new = not node.value if isinstance(node.value, bool) else node.value + 1
            yield node.lineno, f"{node.value!r} → {new!r}", lambda n=node, v=new: setattr(n, "value", v)
        elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
            yield node.lineno, "return None", lambda n=node: setattr(n, "value", ast.Constant(None))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield node.lineno, "call left out", lambda n=node: setattr(n, "value", ast.Constant(None))


def _name(op: ast.AST) -> str:
    return type(op).__name__


def _become(node: Any, other: ast.AST) -> None:
    node.__class__, node.__dict__ = other.__class__, other.__dict__


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that are neither text, nor annotation, nor what is said in an error."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "keywords_defaults"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(
                child, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom
            ):
                continue
            if isinstance(child, ast.FunctionDef) and child.name in ("__repr__", "__str__"):
                continue
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                continue
            yield child
            yield from _code(child)


def drawn(count: int) -> list[Mutant]:
    """So many mutants, the same ones every time; the same number of each file as far as it has them."""
    left = {file: mutants_of(file) for file in TESTS}
    for file, found in left.items():
        random.Random(f"{SEED}/{file}").shuffle(found)
    chosen: list[Mutant] = []
    while len(chosen) < count and any(left.values()):
        chosen += [found.pop() for found in left.values() if found]
    return chosen[:count]


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a changed file; Numba then compiles its kernels anew."""

    def __init__(self, module: str, file: Path) -> None:
        self.module, self.file = module, file

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        return importlib.util.spec_from_file_location(name, self.file) if name == self.module else None


def tried(file: str, tree: ast.Module | None, folder: Path, limit: float) -> tuple[str, float]:
    """`killed`, `timed out` or `survived` by the tests of a file, and the processor seconds that took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pid = os.fork()
    if pid == 0:
        _test(file, tree, folder, limit)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    outcomes = {0: "survived", -signal.SIGXCPU: "timed out", -signal.SIGKILL: "timed out", -signal.SIGALRM: "timed out"}
    return outcomes.get(status, "killed"), seconds


def _test(file: str, tree: ast.Module | None, folder: Path, limit: float) -> None:
    code = 1
    try:
        os.setsid()
        with open(folder / "last.log", "w") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 3))
        signal.alarm(int(40 * limit))  # one that waits for ever uses no processor
        for name in [name for name in sys.modules if name.partition(".")[0] in ("lsgnn", "tests")]:
            del sys.modules[name]
        if tree is not None:
            place = folder / "mutant" / f"{os.getpid()}" / Path(file).name
            place.parent.mkdir(parents=True)
            place.write_text(ast.unparse(tree))
            sys.meta_path.insert(0, Mutated("lsgnn." + file.removesuffix(".py").replace("/", "."), place))
        import pytest

        os.environ["CI"] = "1"  # the same examples every time
        where = [str(REPO / "tests" / name) for name in TESTS[file].split()]
        how = [
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-W",
            "ignore::pytest.PytestAssertRewriteWarning",
        ]
        code = int(pytest.main([*how, "-m", "not dataset", *where]))
    except BaseException:
        code = 1
    finally:
        os._exit(code)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="for outcomes and changed files")
    parser.add_argument("--count", type=int, default=160)
    parser.add_argument("--list", action="store_true", help="only show the survivors so far")
    parser.add_argument("--only", help="only files whose name holds this text")
    parser.add_argument("--again", action="store_true", help="try the survivors again, after a test was mended")
    parser.add_argument("--record", action="store_true", help="write the counts to benchmarks/results/reliability.json")
    args = parser.parse_args()
    sys.path[:0] = [str(REPO), str(REPO / "src")]
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])
    os.chdir(REPO)
    from lsgnn.lines import LineFile

    args.folder.mkdir(parents=True, exist_ok=True)
    outcomes = LineFile(args.folder.resolve() / "mutants.jsonl")
    chosen = [mutant for mutant in drawn(args.count) if not args.only or args.only in mutant.file]
    if not args.list:
        _warm_up()
        for mutant in chosen:
            known = outcomes.lines().get(mutant.key, {}).get("outcome")
            if known is None or (args.again and known == "survived"):
                _try(mutant, outcomes, args.folder.resolve())
    return _summed_up(chosen, outcomes, args.record)


def _try(mutant: Mutant, outcomes: Any, folder: Path) -> None:
    baseline = f"baseline {mutant.file}"
    if baseline not in outcomes.lines():
        outcome, seconds = tried(mutant.file, None, folder, 300)
        if outcome != "survived":
            raise SystemExit(f"the tests of {mutant.file} fail without a mutant")
        outcomes.add(baseline, {"outcome": outcome, "seconds": seconds})
    tree = changed(mutant)
    begun = time.monotonic()
    outcome, seconds = tried(mutant.file, tree, folder, 10 + 5 * outcomes.lines()[baseline]["seconds"])
    outcomes.add(mutant.key, {"outcome": outcome, "seconds": round(seconds, 2)})
    print(f"{mutant.key}: {outcome} ({seconds:.1f} CPU s, {time.monotonic() - begun:.0f} s)", flush=True)


def _warm_up() -> None:
    """What every test needs, so that a fork has it: libraries, not our own modules, which it imports anew."""
    import lsgnn
    import lsgnn.runs.fit
    import lsgnn.train.fused.cpu

    assert lsgnn.__version__
    for name in (
        "hypothesis",
        "pytest",
        "scipy.sparse",
        "sklearn.metrics",
        "torch_geometric.data",
        "pyarrow",
        "networkx",
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _summed_up(chosen: list[Mutant], outcomes: Any, keep: bool) -> int:
    reasons = tomllib.loads(REASONS.read_text("utf-8")) if REASONS.exists() else {}
    known = {m.key: outcomes.lines()[m.key]["outcome"] for m in chosen if m.key in outcomes.lines()}
    survivors = sorted(key for key, outcome in known.items() if outcome == "survived")
    killed = len(known) - len(survivors)
    for key in survivors:
        print(f"survived: {key}: {reasons.get(key, 'no reason is known')}")
    print(f"{len(known)} mutants, {killed} killed ({100 * killed / max(1, len(known)):.1f} %)")
    if keep:
        from tests.reliability import record

        counts = {
            "mutants": len(known),
            "killed": killed,
            "survivors": {key: reasons.get(key, "") for key in survivors},
        }
        record("mutants", counts)
    return 0 if killed >= 0.9 * len(known) else 1


if __name__ == "__main__":
    sys.exit(main())
