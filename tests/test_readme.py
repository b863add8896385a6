"""Numbers in README and docs come from the stored results, and are those of today."""

import re

import pytest

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


@pytest.mark.parametrize("number", [r"\d+\.\d\d ± \d", r"\d\.\d\d \|", r"\d+\.\d ×"])  # a mean, a score, a ratio
def test_a_changed_number_makes_it_stale(number: str) -> None:
    text = (REPOSITORY / "README.md").read_text("utf-8")
    changed = re.sub(number, r"9\g<0>", text)
    assert changed != text
    assert readme.render(changed, STORED) == text


def test_the_readme_has_at_most_two_short_tables() -> None:
    text = (REPOSITORY / "README.md").read_text("utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(tables) <= 2
    assert all(table.count("\n") <= 8 for table in tables)  # a head, a rule and six rows


def test_pictures_of_the_readme_exist_and_are_small() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (REPOSITORY / "README.md").read_text("utf-8"))
    assert pictures
    for picture in pictures:
        assert (REPOSITORY / picture).stat().st_size < 300_000
