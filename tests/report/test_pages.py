"""Pages are whole HTML files that load nothing, fit a phone, and cannot be broken by what users call their nodes."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lsgnn import InputError, Run
from lsgnn.benchmark.comparison import Comparison
from lsgnn.report import Diagnosis, diagnosis_page, run_page, write_diagnosis_page, write_run_page
from tests.report.graphs import EVIL_CLASS, EVIL_ID
from tests.trained import small_run

VOID = {"meta", "br", "input", "line", "circle", "rect", "path", "polyline"}


class Reader(HTMLParser):
    """Checks that tags are balanced; remembers tags, attributes, ids and the text of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.data: dict[str, str] = {}
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID or tag in ("circle", "rect", "path", "polyline"):  # those may hold a title
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.data[self.tags[-1][1].get("id") or "script"] = data


@pytest.fixture(scope="module")
def pages(pages: dict[str, Path], run: Run, board: Comparison) -> dict[str, str]:
    """The text of every page."""
    return {name: path.read_text("utf-8") for name, path in pages.items()} | {"run with board": run_page(run, board)}


@pytest.mark.parametrize("name", ["diagnosis", "run", "run with board", "comparison", "runs", "tuning"])
def test_a_page_is_one_balanced_file_that_loads_nothing(pages: dict[str, str], name: str) -> None:
    reader = Reader(pages[name])
    assert not re.search(r"https?://", pages[name])
    for tag, attributes in reader.tags:
        assert tag not in ("link", "img", "iframe", "object", "base", "form")
        assert "src" not in attributes
        assert not any(attribute.startswith("on") for attribute in attributes)
        assert attributes.get("href") is None or attributes["href"].startswith("#")
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {attributes["href"][1:] for _, attributes in reader.tags if attributes.get("href")}
    assert targets <= set(ids)


@pytest.mark.parametrize("name", ["diagnosis", "run", "comparison", "runs", "tuning"])
def test_a_page_fits_a_phone_and_only_its_own_script_may_run(pages: dict[str, str], name: str) -> None:
    metas = [attributes for tag, attributes in Reader(pages[name]).tags if tag == "meta"]
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in metas
    policy = next(meta["content"] for meta in metas if meta.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")
    assert "script-src 'sha256-" in policy


@pytest.mark.parametrize("name", ["diagnosis", "run", "runs"])
def test_names_are_text_and_nothing_else(pages: dict[str, str], name: str) -> None:
    page = pages[name]
    assert EVIL_CLASS not in page
    assert EVIL_ID not in page
    assert "evil &#34;&lt;b&gt;&#34; graph" in page
    scripts = [attributes for tag, attributes in Reader(page).tags if tag == "script"]
    assert scripts[0] == {}  # the page's own
    assert {"cut-data", "node-data", "why-data"} >= {script.get("id") for script in scripts[1:]}
    assert all(script["type"] == "application/json" for script in scripts[1:])


def test_the_node_table_holds_the_names_as_they_are(pages: dict[str, str], run: Run) -> None:
    data = json.loads(Reader(pages["run"]).data["node-data"])
    assert EVIL_ID in [row[0] for row in data["rows"]]
    assert data["classes"] == list(run.graph.class_names)
    assert len(data["rows"]) == run.graph.num_nodes


def test_no_class_of_a_test_node_is_in_the_page(pages: dict[str, str], run: Run) -> None:
    reader = Reader(pages["run"])
    nodes, why = (json.loads(reader.data[name]) for name in ("node-data", "why-data"))
    tested = {str(id) for id in run.graph.node_ids[run.split.test]}
    assert all(row[2] == -1 and row[6] is None for row in nodes["rows"] if row[0] in tested)
    assert all(known == -1 for id, known in zip(why["ids"], why["known"], strict=True) if id in tested)
    drawn = [(a["data-node"], a["class"]) for tag, a in reader.tags if "data-node" in a]
    assert {look for node, look in drawn if node in tested} == {"faint-fill pt"}
    assert len(drawn) == run.graph.num_nodes


def test_the_test_score_is_shown_once_and_the_rest_is_validation(pages: dict[str, str]) -> None:
    assert pages["run"].count("test accuracy") == 1
    assert "validation nodes</span>" in pages["run"]
    assert "test nodes</span>" not in pages["run"]


def test_the_test_nodes_are_taken_apart_only_when_asked_for(run: Run) -> None:
    assert "test nodes</span>" in run_page(run, part="test")
    with pytest.raises(InputError, match="part='train'"):
        run_page(run, part="train")  # type: ignore[arg-type]


def test_the_leader_board_names_every_model(pages: dict[str, str]) -> None:
    for name in ("run with board", "comparison"):
        assert "Majority class" in pages[name]
        assert "Twin look-up" in pages[name]
    assert "Leader board" not in pages["run"]


def test_a_saved_run_gives_the_same_page(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run")
    loaded = Run.load(tmp_path / "run")
    write_run_page(loaded, tmp_path / "page.html")
    assert "Most confident mistakes" in (tmp_path / "page.html").read_text("utf-8")


def test_pages_are_the_same_every_time(run: Run, diagnosis: Diagnosis, tmp_path: Path) -> None:
    write_diagnosis_page(diagnosis, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == diagnosis_page(diagnosis)
    assert run_page(run) == run_page(run)


@pytest.fixture
def fraud_page(pages: dict[str, str]) -> str:
    return pages["fraud"]


def test_a_page_on_a_rare_class_speaks_of_its_metric(fraud_page: str, fraud_run: Run) -> None:
    Reader(fraud_page)
    assert "test average precision of fraud, read once" in fraud_page
    assert f"<b>{100 * fraud_run.metrics['test_average_precision']:.1f} %</b>" in fraud_page
    assert f"chance {100 * fraud_run.graph.y[fraud_run.split.test].mean():.1f} %" in fraud_page
    assert "Validation average precision by epoch" in fraud_page
    assert "Recall of fraud by degree" in fraud_page
    assert "Accuracy by degree" not in fraud_page
    assert "The run's own threshold: the one with the highest F1 on validation nodes." in fraud_page
    assert "Test nodes are scored here, in the curves and in the lift of the ranking." in fraud_page


def test_slider_confusion_and_classes_agree_on_the_threshold(fraud_page: str, fraud_run: Run) -> None:
    cut = json.loads(Reader(fraud_page).data["cut-data"])
    threshold, hits, wrong = cut["rows"][cut["start"]]
    rows = fraud_run.split.val
    flagged = fraud_run.predict().probabilities[rows, 1] >= fraud_run.decision.threshold
    assert (threshold, hits + wrong) == (fraud_run.decision.threshold, flagged.sum())
    assert hits == (flagged & (fraud_run.graph.y[rows] == 1)).sum()
    assert cut["positives"] + cut["negatives"] == rows.sum()
    nodes = json.loads(Reader(fraud_page).data["node-data"])["rows"]
    assert sum(row[3] for row in nodes if row[1] == 2) == flagged.sum()  # predicted fraud among validation nodes


def test_only_two_classes_are_ranked() -> None:
    assert "Curves, threshold, lift" not in run_page(small_run())
