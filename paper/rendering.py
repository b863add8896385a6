"""From a page to files: `<name>.md`, `<name>.tex` and each figure as SVG and PNG, the same bytes every time."""

from __future__ import annotations

from pathlib import Path

from lsgnn.benchmark.made_with import made_with
from lsgnn.files import make_folder, write_text
from paper.figures import save_figure
from paper.frame import Experiment, Results
from paper.page import Figure, to_latex, to_markdown


def render(experiment: Experiment, results: Results, out: Path) -> list[Path]:
    """Writes the experiment's page and figures into the folder `out`; returns the files."""
    page = experiment.render(results)
    make_folder(out)
    written = [out / f"{experiment.name}.md", out / f"{experiment.name}.tex"]
    write_text(written[0], "\n".join(filter(None, (to_markdown(page), made_with(experiment.sources(results))))))
    write_text(written[1], to_latex(page))
    for item in page.items:
        if isinstance(item, Figure):
            written += save_figure(item.draw(), out / item.name)
    return written
