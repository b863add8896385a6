"""The pages in a real browser: clicks sort, search, page through nodes and switch the colours; names stay text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from lsgnn import Run
from tests.report.browser import cells, click, head
from tests.report.graphs import EVIL_CLASS, EVIL_ID

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(pages: dict[str, Path]) -> Iterator[str]:
    """The pages by HTTP: what a file stores, Chromium keeps late or not at all."""
    folder = pages["run"].parent
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def run_view(browser: Any, pages: dict[str, Path]) -> Any:
    browser.get(pages["run"].as_uri())
    return browser


def test_a_click_sorts_the_nodes_and_a_second_one_turns_them_round(run_view: Any) -> None:
    click(run_view, head(run_view, "#nodes-table", 5))
    down = [float(text.split()[0]) for text in cells(run_view, "#nodes-table", 5)]
    assert len(down) == 25
    assert down == sorted(down, reverse=True)
    click(run_view, head(run_view, "#nodes-table", 5))
    up = [float(text.split()[0]) for text in cells(run_view, "#nodes-table", 5)]
    assert up == sorted(up)
    assert up[0] < down[0]
    assert (
        run_view.find_element("css selector", "#nodes-table th:nth-child(5)").get_attribute("aria-sort") == "ascending"
    )


def test_a_click_sorts_the_scores_of_classes(run_view: Any) -> None:
    table = "#classes + .grid table"
    click(run_view, head(run_view, table, 3))
    recalls = [float(text.split()[0]) for text in cells(run_view, table, 3)]
    assert recalls == sorted(recalls, reverse=True)


def test_searching_an_id_leaves_that_node(run_view: Any) -> None:
    search = run_view.find_element("id", "node-search")
    search.send_keys("node-17")
    assert cells(run_view, "#nodes-table", 1) == ["node-17"]
    assert run_view.find_element("id", "node-status").text == "1 nodes · page 1 of 1"


def test_names_that_are_html_are_shown_as_text_and_do_nothing(run_view: Any) -> None:
    run_view.find_element("id", "node-search").send_keys("pwned = true")
    assert cells(run_view, "#nodes-table", 1) == [EVIL_ID]
    assert EVIL_CLASS in run_view.find_element("id", "classes").find_element("xpath", "following::table[1]").text
    assert run_view.execute_script("return window.pwned === undefined && document.images.length === 0")


def test_pages_of_nodes_turn(run_view: Any, run: Run) -> None:
    first = cells(run_view, "#nodes-table", 1)
    click(run_view, run_view.find_element("id", "node-next"))
    second = cells(run_view, "#nodes-table", 1)
    click(run_view, run_view.find_element("id", "node-next"))
    assert len(first) + len(second) + len(cells(run_view, "#nodes-table", 1)) == run.graph.num_nodes
    assert not run_view.find_element("id", "node-next").is_enabled()
    click(run_view, run_view.find_element("id", "node-back"))
    assert cells(run_view, "#nodes-table", 1) == second


def test_the_slider_moves_the_threshold_and_counts_who_is_flagged(run_view: Any, run: Run) -> None:
    def count(name: str) -> int:
        return int(run_view.find_element("id", f"cut-{name}").text.replace(",", ""))

    def move(place: str) -> None:
        script = (
            f"const s = document.getElementById('cut-slider'); s.value = s.{place}; s.dispatchEvent(new Event('input'))"
        )
        run_view.execute_script(script)

    own = run_view.find_element("id", "cut-own")
    assert own.is_displayed()  # it starts at the threshold of the run
    nodes = int(run.split.val.sum())
    for place, flagged in (("max", nodes), ("min", None)):
        move(place)
        assert sum(map(count, ("tp", "fp", "fn", "tn"))) == nodes
        assert count("flagged") == count("tp") + count("fp")
        assert flagged in (None, count("flagged"))
        assert not own.is_displayed()
    assert count("flagged") < nodes
    precision = run_view.find_element("id", "cut-precision").text
    assert precision == f"{100 * count('tp') / count('flagged'):.1f} %"


@pytest.mark.parametrize("name", ["run", "diagnosis"])
def test_the_button_turns_light_to_dark_and_the_page_remembers(browser: Any, site: str, name: str) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
    )
    browser.get(f"{site}/{name}.html")
    browser.execute_script("localStorage.clear()")
    browser.refresh()

    def becomes(colour: str) -> bool:
        """A busy machine paints late: what counts is what the page settles on."""
        from selenium.webdriver.support.wait import WebDriverWait

        script = "return getComputedStyle(document.body).backgroundColor"
        return bool(WebDriverWait(browser, 20).until(lambda page: page.execute_script(script) == colour))

    assert becomes("rgb(246, 247, 249)")
    for colour in ("rgb(15, 19, 24)", "rgb(246, 247, 249)"):
        browser.find_element("id", "theme").click()
        assert becomes(colour)
        browser.refresh()
        assert becomes(colour)
