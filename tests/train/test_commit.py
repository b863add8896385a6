"""The commit that a result carries: that of the checkout, and none where there is no checkout or no git."""

import shutil
import subprocess
from pathlib import Path

import pytest

from lsgnn.train import commit as module
from lsgnn.train.commit import commit, commit_of
from lsgnn.train.environment import environment

NAME = ("-c", "user.name=a", "-c", "user.email=a@example.org")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with one commit of `src/one.py`."""
    if shutil.which("git") is None:
        pytest.skip("there is no git on this machine")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "one.py").write_text("1\n")
    for words in (("init", "-q"), ("add", "."), (*NAME, "commit", "-qm", "one")):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    return tmp_path


def test_changes_of_the_sources_are_told_and_others_are_not(checkout: Path) -> None:
    clean = commit_of(checkout)
    assert clean is not None
    assert len(clean) == 12
    (checkout / "notes.md").write_text("beside the sources\n")
    assert commit_of(checkout) == clean
    (checkout / "src" / "one.py").write_text("2\n")
    assert commit_of(checkout) == f"{clean}+changes"


def test_the_repository_that_a_hook_names_is_not_asked(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clean = commit_of(checkout)
    monkeypatch.setenv("GIT_DIR", str(checkout / "elsewhere"))
    assert commit_of(checkout) == clean


def test_without_git_or_a_checkout_there_is_no_commit_and_no_error(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert commit_of(tmp_path_factory.mktemp("plain")) is None
    monkeypatch.setenv("PATH", "")
    assert commit_of(checkout) is None


def test_git_is_asked_once_per_process(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []
    monkeypatch.setattr(module, "commit_of", lambda root: asked.append(root) or "abc")
    commit.cache_clear()
    try:
        assert environment() == environment()
    finally:
        commit.cache_clear()
    assert len(asked) <= 1


def test_the_environment_has_the_versions_of_what_computes() -> None:
    found = environment()
    assert {"lsgnn", "python", "torch", "numpy", "scipy", "scikit-learn"} <= found.keys()
    assert found.get("commit") == commit()
