"""Which state of the repository made a result: the commit of the checkout that the package runs from."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

CHANGED = "+changes"
PATIENCE_SECONDS = 10


@cache
def commit() -> str | None:
    """The commit of the checkout; None where the package was installed without one. Git is asked once per process."""
    package = Path(__file__).resolve().parents[1]
    # an installed package may lie in somebody else's repository, whose commits say nothing about it
    return commit_of(package.parents[1]) if package.parent.name == "src" else None


def commit_of(checkout: Path) -> str | None:
    """The commit that a folder is a checkout of, with `+changes` if its `src/` differs; None where git cannot say."""
    if not (checkout / ".git").exists():
        return None
    try:
        found = _git(checkout, "rev-parse", "--short=12", "HEAD")
        return found + (CHANGED if _git(checkout, "status", "--porcelain", "--", "src") else "")
    except (OSError, subprocess.SubprocessError):  # no git, no commit yet, or a repository that it does not trust
        return None


def _git(checkout: Path, *words: str) -> str:
    # a hook of another repository names that one in GIT_DIR and its like
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "--no-optional-locks", "-C", str(checkout), *words]
    done = subprocess.run(
        command, env=own, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS, stdin=subprocess.DEVNULL
    )
    return done.stdout.strip()
