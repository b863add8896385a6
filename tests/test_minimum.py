"""The counts of `make test-minimum`."""

from pathlib import Path

from tests.minimum import PROJECT, counts


def test_folders_are_added_up_and_versions_compared_with_those_declared(tmp_path: Path) -> None:
    for part, failed in (("graph", 0), ("nn", 2)):
        suite = f'<testsuite tests="10" failures="{failed}" errors="0" skipped="1"/>'
        (tmp_path / f"{part}.xml").write_text(f"<testsuites>{suite}</testsuites>")
    declared = [line.strip(' ",') for line in PROJECT.read_text("utf-8").splitlines() if line.startswith('  "')]
    (tmp_path / "installed.txt").write_text("\n".join(line.replace(">=", "==").replace("-", "_") for line in declared))
    found = counts(tmp_path)
    assert (found["passed"], found["failed"], found["skipped"]) == (16, 2, 2)
    assert found["folders"] == ["graph", "nn"]
    assert found["lowest"] == list(found["versions"])
    (tmp_path / "installed.txt").write_text("\n".join(line.replace(">=", "==9") for line in declared))
    assert counts(tmp_path)["lowest"] == []
