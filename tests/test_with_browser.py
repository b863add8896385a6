"""Behind `make test-browser`: a command runs where there is a Chromium, and is told how to get one where not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "with_browser.sh"


def called(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The script with nothing on the path but this folder."""
    command = ["/bin/sh", str(SCRIPT), "/bin/sh", "-c", "echo tested"]
    return subprocess.run(command, env={"PATH": str(folder)} | environment, capture_output=True, text=True, check=False)


def executable(path: Path, body: str = "") -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("name", ["chromium", "google-chrome"])
def test_with_a_browser_the_command_runs(tmp_path: Path, name: str) -> None:
    executable(tmp_path / name)
    executable(tmp_path / "chromedriver")
    assert called(tmp_path).stdout == "tested\n"


def test_without_one_it_fails_and_says_how_to_get_it(tmp_path: Path) -> None:
    executable(tmp_path / "chromium")  # but no driver
    result = called(tmp_path)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert "apt-get install chromium chromium-driver" in result.stderr


def test_on_ci_it_is_installed_by_root(tmp_path: Path) -> None:
    executable(tmp_path / "id", "echo 0")
    programs = f"{tmp_path}/chromium {tmp_path}/chromedriver"
    made = f"for p in {programs}; do echo > $p; done; /bin/chmod +x {programs}"
    executable(tmp_path / "apt-get", f'[ "$1" = update ] || {{ {made}; }}')
    assert called(tmp_path, CI="true").stdout == "tested\n"


@pytest.mark.parametrize(("user", "apt"), [("1000", "exit 0"), ("0", "exit 100")])
def test_on_ci_it_is_skipped_where_it_cannot_be_installed(tmp_path: Path, user: str, apt: str) -> None:
    executable(tmp_path / "id", f"echo {user}")
    executable(tmp_path / "apt-get", apt)
    result = called(tmp_path, CI="true")
    assert (result.returncode, result.stdout) == (0, "")
    assert "browser tests skipped" in result.stderr
