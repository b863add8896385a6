"""The tree follows the data: imports point one way along the stages, wherever they stand in a file."""

import ast
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src" / "lsgnn"
STAGES = (
    *("graph", "datasets", "propagate", "nn", "train", "zoo", "runs", "tuning", "auto", "benchmark"),
    *("estimators", "out_of_core", "report", "serving", "cli"),
)
ALONE = {"reference": "runs", "__main__": "cli"}  # files at the top that stand beside a stage; the others are below all


def stage(module: str) -> int:
    """The number of the stage a module belongs to; 0 for what lies below all of them."""
    first = module.split(".")[1] if "." in module else ""
    first = ALONE.get(first, first)
    return 1 + STAGES.index(first) if first in STAGES else 0


def imports(file: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "lsgnn":
            found += [f"lsgnn.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
    return [name for name in found if name.split(".")[0] == "lsgnn"]


def test_no_stage_imports_a_later_one() -> None:
    wrong = []
    for file in sorted(SOURCES.rglob("*.py")):
        module = ".".join(("lsgnn", *file.relative_to(SOURCES).with_suffix("").parts))
        if module == "lsgnn.__init__":  # the public names come from everywhere, on first use
            continue
        wrong += [f"{module} imports {other}" for other in imports(file) if stage(other) > stage(module)]
    assert not wrong, "\n".join(wrong)


def test_every_folder_is_a_stage() -> None:
    folders = {path.name for path in SOURCES.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert folders == set(STAGES)


def test_the_test_sees_what_it_should() -> None:
    assert stage("lsgnn.zoo.gcn") > stage("lsgnn.train.loop") > stage("lsgnn.graph.graph") > stage("lsgnn.config")
    assert "lsgnn.train.train_lsgnn" in imports(SOURCES / "zoo" / "lsgnn.py")  # inside a function
