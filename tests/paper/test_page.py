"""Tables and figures: what they look like in Markdown and LaTeX, and that figures never change by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paper.figures import drawing, save_figure
from paper.page import Figure, Page, Row, Score, Table, latex_text, to_latex, to_markdown

TABLE = Table(
    "small",
    "Accuracy, 10 % of β.",
    "model",
    ("Texas", "Cora"),
    (
        Row("GCN", (Score(59.46), Score(87.28)), "published"),
        Row("GCN", (Score(58.0, 4.5), None), "ours"),
        Row("LSGNN", (Score(88.0, 3.25), Score(87.0)), "ours"),
    ),
    best="high",
)


def test_scores_show_mean_and_population_deviation() -> None:
    assert str(Score.of([80.0, 90.0])) == "85.00 ± 5.00"
    assert str(Score.of([80.0])) == "80.00"


def test_a_table_in_markdown() -> None:
    assert to_markdown(Page("Title", (TABLE,), ("one finding",))) == (
        "# Title\n\n- one finding\n\n"
        "| model | source | Texas | Cora |\n|---|---|---|---|\n"
        "| GCN | published | 59.46 | 87.28 |\n"
        "| GCN | ours | 58.00 ± 4.50 | not run yet |\n"
        "| LSGNN | ours | **88.00 ± 3.25** | 87.00 |\n\n"
        "*Accuracy, 10 % of β.*\n"
    )


def test_a_table_in_latex() -> None:
    text = to_latex(Page("Title", (TABLE,)))
    assert r"\begin{tabular}{@{}llcc@{}}" in text
    assert r"LSGNN & ours & \textbf{88.00 $\pm$ 3.25} & 87.00 \\" in text
    assert r"\caption{Accuracy, 10 \% of $\beta$.}" in text
    assert text.count(r"\midrule") == 2  # under the head, and between published and ours


def test_letters_and_marks_are_safe_in_latex() -> None:
    assert latex_text("P̂x & λ₁ ≥ 5 %") == r"$\hat P$x \& $\lambda$$_1$ $\ge$ 5 \%"


def test_bars_in_titles_do_not_break_a_markdown_table() -> None:
    table = Table("t", "", "weights", ("|λ| ≥ 1",), (Row("a|b", ("1",)),))
    assert "| weights | \\|λ\\| ≥ 1 |\n|---|---|\n| a\\|b | 1 |" in to_markdown(Page("Title", (table,)))


def test_a_row_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="1 cells for 2 columns"):
        Table("t", "", "model", ("a", "b"), (Row("x", ("1",)),))


def test_figures_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    def draw() -> Any:
        with drawing(2, 2) as (figure, axes):
            axes[0, 0].plot([0, 1], [1, 0], label="a line")
            axes[0, 0].legend()
        return figure

    first, second = (save_figure(draw(), tmp_path / name) for name in ("first", "second"))
    for a, b in zip(first, second, strict=True):
        assert a.read_bytes() == b.read_bytes()
    assert b"<dc:date>" not in first[0].read_bytes()


def test_a_figure_is_shown_with_its_caption() -> None:
    page = Page("Title", (Figure("toy", "A map.", lambda: None),))  # type: ignore[arg-type, return-value]
    assert to_markdown(page) == "# Title\n\n![toy](toy.svg)\n\n*A map.*\n"
    assert r"\includegraphics[width=\linewidth]{toy}" in to_latex(page)
