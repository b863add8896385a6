"""A click on a node of a run page says why it has its class and draws its neighbours; runs show where they differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lsgnn import Run
from lsgnn.propagate.filters import adjacency
from tests.report.browser import cells, click, text
from tests.report.graphs import EVIL_ID

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Any, pages: dict[str, Path]) -> Any:
    browser.get(pages["run"].as_uri())
    return browser


def chosen(page: Any, id: str) -> Any:
    """The button of a node in the table, after a search for it."""
    search = page.find_element("id", "node-search")
    search.clear()
    search.send_keys(id)
    return page.find_element("css selector", "#nodes-table button.node")


def test_a_click_shows_what_run_explain_says(page: Any, run: Run) -> None:
    assert not page.find_element("id", "why").is_displayed()
    click(page, chosen(page, "node-17"))
    why = run.explain("node-17")
    assert text(page, "why-title") == "Node node-17"
    assert f"Predicted {why.prediction};" in text(page, "why-known")
    best = page.find_element("css selector", "#why-classes .bar b").text
    assert best == f"{100 * why.probabilities.max():.1f} %"
    c = int(why.logits.argmax())
    sums = {row.text.split()[0]: row.text for row in page.find_elements("css selector", "#why-sums tbody tr")}
    total = float(sums["logit"].split()[-1].replace("\N{MINUS SIGN}", "-"))
    assert total == pytest.approx(why.logits[c], abs=0.02)
    assert set(cells(page, "#why-near", 1)) == {near.node_id for near in why.neighbours}


def test_the_drawing_has_a_circle_and_a_line_for_every_neighbour(page: Any, run: Run) -> None:
    click(page, chosen(page, "node-17"))
    degree = int(np.diff(adjacency(run.graph, run.direction).indptr)[17])
    drawing = page.find_element("id", "why-drawing")
    assert len(drawing.find_elements("css selector", "circle")) == 1 + degree
    assert len(drawing.find_elements("css selector", "line.edge")) == degree
    assert text(page, "why-count").startswith(f"{degree} neighbour")


def test_neighbours_lead_on_and_closing_leads_back(page: Any) -> None:
    click(page, chosen(page, "node-17"))
    first = page.find_element("css selector", "#why-near button.node")
    name = first.text
    click(page, first)
    assert text(page, "why-title") == f"Node {name}"
    click(page, page.find_element("id", "why-close"))
    assert not page.find_element("id", "why").is_displayed()


def test_the_keyboard_is_enough(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    button = chosen(page, "node-17")
    button.send_keys(Keys.ENTER)
    assert page.switch_to.active_element.get_attribute("id") == "why-title"
    page.switch_to.active_element.send_keys(Keys.TAB)
    assert page.switch_to.active_element.get_attribute("id") == "why-close"
    page.switch_to.active_element.send_keys(Keys.ENTER)
    assert page.switch_to.active_element.text == "node-17"


def test_points_of_the_map_and_mistakes_can_be_clicked(page: Any) -> None:
    page.execute_script("document.querySelector('[data-node=\"node-5\"]').dispatchEvent(new Event('click'))")
    assert text(page, "why-title") == "Node node-5"
    buttons = page.find_elements("css selector", "table[data-nodes] button.node")
    assert buttons
    click(page, buttons[0])
    assert text(page, "why-title") == f"Node {buttons[0].text}"


def test_a_hostile_name_stays_text_when_it_is_explained(page: Any) -> None:
    click(page, chosen(page, "pwned = true"))
    assert text(page, "why-title") == f"Node {EVIL_ID}"
    assert page.execute_script("return window.pwned === undefined && document.images.length === 0")


def test_other_models_show_neighbours_alone(browser: Any, pages: dict[str, Path]) -> None:
    browser.get(pages["fraud"].as_uri())
    click(browser, browser.find_element("css selector", "#nodes-table button.node"))
    assert browser.find_elements("css selector", "#why-drawing circle")
    assert not browser.find_elements("css selector", "#why-sums")


def test_disagreements_are_searched_and_sorted(browser: Any, pages: dict[str, Path]) -> None:
    browser.get(pages["runs"].as_uri())
    names = browser.find_elements("css selector", "#nodes-table thead th")
    assert [name.text for name in names][3:] == ["<i>one</i>", "other"]
    first, second = cells(browser, "#nodes-table", 4), cells(browser, "#nodes-table", 5)
    assert first
    assert all(a.split(" · ")[0] != b.split(" · ")[0] for a, b in zip(first, second, strict=True))
    browser.find_element("id", "node-search").send_keys("no such node")
    assert cells(browser, "#nodes-table", 1) == []
