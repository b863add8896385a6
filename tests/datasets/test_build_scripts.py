"""The scripts that build the bundled graphs, and what those graphs must still be."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from lsgnn import datasets

SCRIPTS = Path(__file__).parents[2] / "scripts"

INDEX = """\
Package: editor
Section: editors
Depends: libedit2 (>= 1.0), python3:any | python, editor
Description: small Editor for the terminal (C++)

Package: libedit2
Source: libedit (2.0-1)
Section: contrib/libs
Pre-Depends: libc6 (>= 2.34)
Description: library
 with a long text that is not read

Package: editor
Section: games
Description: a second version
"""


@pytest.fixture
def build_debian(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    path = SCRIPTS / "build_debian.py"
    if not path.is_file():
        pytest.skip("the scripts are not beside these tests (installed package)")
    spec = importlib.util.spec_from_file_location("build_debian", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "build_debian", module)
    spec.loader.exec_module(module)
    return module


def test_package_index_is_read(build_debian: ModuleType) -> None:
    editor, libedit = build_debian.read_index(INDEX)
    assert (editor.name, editor.section, editor.source) == ("editor", "editors", "editor")
    assert editor.depends == ("libedit2", "python3")  # first alternative, no version, not itself
    assert (libedit.section, libedit.source, libedit.depends) == ("libs", "libedit", ("libc6",))


def test_words_are_lower_case_without_stop_words(build_debian: ModuleType) -> None:
    assert build_debian.words("small Editor for the terminal (C++) - GTK3") == {
        "small",
        "editor",
        "terminal",
        "c++",
        "gtk3",
    }


def test_one_package_per_source_and_section(build_debian: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_debian, "SMALLEST_SECTION", 1)

    def package(name: str, source: str, section: str, *depends: str) -> object:
        return build_debian.Package(name=name, source=source, section=section, description="", depends=depends)

    chosen = build_debian.choose(
        [
            package("app", "app", "games", "libz"),
            package("app-data", "app", "games", "libz"),
            package("libz", "z", "libs"),
            package("lonely", "lonely", "games"),
            package("python3-app", "app", "python", "app-data"),
        ]
    )
    assert [p.name for p in chosen] == ["app-data", "libz"]  # something depends on app-data


def test_cora_linqs_is_cora() -> None:
    graph = datasets.load("cora-linqs")
    pairs = np.unique(np.sort(graph.edge_index, axis=0), axis=1)
    assert pairs.shape[1] == 5278  # the paper's "#Edges" of Cora
    sizes = dict(zip(graph.class_names, np.bincount(graph.y).tolist(), strict=True))
    assert sizes["Neural_Networks"] == 818
    assert sizes["Rule_Learning"] == 180
    assert set(np.unique(graph.x.data)) == {1.0}  # type: ignore[union-attr]
    assert 31336 in graph.node_ids


def test_debian_mixes_alike_and_unlike_neighbours() -> None:
    graph = datasets.load("debian")
    same = graph.y[graph.edge_index[0]] == graph.y[graph.edge_index[1]]
    from_library = graph.y[graph.edge_index[0]] == graph.class_names.index("libs")
    assert same[from_library].mean() > 0.95
    assert same[~from_library].mean() < 0.15
