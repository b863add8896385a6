"""Numbers in README and docs/results.md come from the stored results, and are those of today."""

from paper.places import BENCHMARKS, REPOSITORY, RESULTS
from paper.scripts import readme
from paper.scripts.regenerate import stale

STORED = readme.Stored(RESULTS, BENCHMARKS)


def test_the_generated_parts_are_not_stale() -> None:
    assert stale(readme.contents()) == [], "run python -m paper"


def test_every_generated_part_is_shown_somewhere() -> None:
    shown = "".join(file.read_text("utf-8") for file in readme.FILES)
    for name in readme.SECTIONS:
        assert f"<!-- begin {name} " in shown, name


def test_a_changed_number_makes_it_stale() -> None:
    text = (REPOSITORY / "README.md").read_text("utf-8")
    changed = text.replace("88.12 ± 1.43", "99.12 ± 1.43")
    assert changed != text
    assert readme.render(changed, STORED) == text
