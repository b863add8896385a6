"""What an experiment shows: tables and figures with captions, and how they read in Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

NOT_RUN = "not run yet"


@dataclass(frozen=True)
class Score:
    """A mean and, where there are several values, their spread (population, as this literature reports)."""

    mean: float
    std: float | None = None
    digits: int = 2

    @classmethod
    def of(cls, values: Sequence[float], digits: int = 2) -> Score:
        return cls(float(np.mean(values)), float(np.std(values)) if len(values) > 1 else None, digits)

    def __str__(self) -> str:
        spread = "" if self.std is None else f" ± {self.std:.{self.digits}f}"
        return f"{self.mean:.{self.digits}f}{spread}"


Cell = Score | str | None  # None: not run yet


@dataclass(frozen=True)
class Row:
    """One line of a table; `source` says whose numbers these are: "published" or "ours"."""

    label: str
    cells: tuple[Cell, ...]
    source: str = ""


@dataclass(frozen=True)
class Table:
    """A table.

    Args:
        name: of its label in LaTeX.
        caption: what is shown and how it was measured.
        head: title of the first column.
        columns: titles of the others.
        rows: one cell per column.
        best: whether the highest or the lowest score of a column, among the rows of one source, is set in bold.
    """

    name: str
    caption: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    best: Literal["high", "low", ""] = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(f"row {row.label!r} has {len(row.cells)} cells for {len(self.columns)} columns")

    @property
    def has_sources(self) -> bool:
        return any(row.source for row in self.rows)

    def is_best(self, row: Row, column: int) -> bool:
        """True for the best of at least two scores of the row's own source in that column, as printed."""
        rivals = [r.cells[column] for r in self.rows if r.source == row.source]
        scores = [round(cell.mean, cell.digits) for cell in rivals if isinstance(cell, Score)]
        cell = row.cells[column]
        if not self.best or not isinstance(cell, Score) or len(scores) < 2:
            return False
        return round(cell.mean, cell.digits) == (max(scores) if self.best == "high" else min(scores))


@dataclass(frozen=True)
class Figure:
    """A figure, drawn when it is needed."""

    name: str
    caption: str
    draw: Callable[[], Drawing]


@dataclass(frozen=True)
class Page:
    """Everything an experiment has to show; `findings` are sentences with numbers in them, made from the results."""

    title: str
    items: tuple[Table | Figure, ...]
    findings: tuple[str, ...] = field(default=())


def to_markdown(page: Page) -> str:
    parts = [f"# {page.title}", *(f"- {finding}" for finding in page.findings)]
    text = parts[0] + "\n\n" + "".join(line + "\n" for line in parts[1:]) + ("\n" if page.findings else "")
    return text + "\n".join(_item_markdown(item) for item in page.items)


def _item_markdown(item: Table | Figure) -> str:
    if isinstance(item, Figure):
        return f"![{item.name}]({item.name}.svg)\n\n*{item.caption}*\n"
    titles = [item.head, *(["source"] if item.has_sources else []), *item.columns]
    lines = [_markdown_row(titles), "|---" * len(titles) + "|"]
    for row in item.rows:
        cells = [NOT_RUN if cell is None else str(cell) for cell in row.cells]
        cells = [f"**{cell}**" if item.is_best(row, c) else cell for c, cell in enumerate(cells)]
        lines.append(_markdown_row([row.label, *([row.source] if item.has_sources else []), *cells]))
    return "\n".join(lines) + f"\n\n*{item.caption}*\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def to_latex(page: Page) -> str:
    return "\n".join(_item_latex(item) for item in page.items)


def _item_latex(item: Table | Figure) -> str:
    caption = f"  \\caption{{{latex_text(item.caption)}}}\n"
    if isinstance(item, Figure):
        body = f"  \\includegraphics[width=\\linewidth]{{{item.name}}}\n{caption}  \\label{{fig:{item.name}}}\n"
        return f"\\begin{{figure*}}[t]\n  \\centering\n{body}\\end{{figure*}}\n"
    titles = [item.head, *(["source"] if item.has_sources else []), *item.columns]
    lines = [" & ".join(map(latex_text, titles)) + r" \\", r"\midrule"]
    previous = item.rows[0].source if item.rows else ""
    for row in item.rows:
        if row.source != previous:
            lines.append(r"\midrule")
        previous = row.source
        cells = [latex_text(NOT_RUN if cell is None else str(cell)) for cell in row.cells]
        cells = [f"\\textbf{{{cell}}}" if item.is_best(row, c) else cell for c, cell in enumerate(cells)]
        label = [latex_text(row.label), *([row.source] if item.has_sources else [])]
        lines.append(" & ".join([*label, *cells]) + r" \\")
    columns = "l" * (2 if item.has_sources else 1) + "c" * len(item.columns)
    body = "".join(f"    {line}\n" for line in lines)
    tabular = (
        f"  \\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n    \\toprule\n{body}    \\bottomrule\n  \\end{{tabular}}\n"
    )
    return f"\\begin{{table*}}[t]\n  \\centering\n{tabular}{caption}  \\label{{tab:{item.name}}}\n\\end{{table*}}\n"


_LATEX = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    **{"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"},
    **{"±": r"$\pm$", "×": r"$\times$", "≥": r"$\ge$", "≤": r"$\le$", "−": r"$-$", "–": "--", "→": r"$\to$"},
    **{"…": r"\dots{}", "·": r"$\cdot$", "≈": r"$\approx$", "²": r"$^2$", "₁": r"$_1$", "₂": r"$_2$", "√": r"$\surd$"},
    **{"α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "λ": r"$\lambda$", "μ": r"$\mu$", "ρ": r"$\rho$"},
    **{"σ": r"$\sigma$", "τ": r"$\tau$", "φ": r"$\phi$", "Â": r"$\hat A$", "Ã": r"$\tilde A$", "“": "``", "”": "''"},
    **{"†": r"$\dagger$", "ᵢ": "$_i$", "ⱼ": "$_j$", "P̂": r"$\hat P$"},
}


_SPECIAL = re.compile("|".join(map(re.escape, sorted(_LATEX, key=len, reverse=True))))


def latex_text(text: str) -> str:
    """Plain text with the paper's letters, safe for LaTeX."""
    return _SPECIAL.sub(lambda found: _LATEX[found[0]], text)
