"""Every page as it is laid out: nothing is cut, nothing scrolls sideways, nothing is loaded and nothing complains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

KINDS = ["run", "fraud", "diagnosis", "comparison", "runs", "tuning"]

CUT = """
return [...document.querySelectorAll("svg.chart")].flatMap((chart) => {
  const frame = chart.getBoundingClientRect();
  const leaves = (box) => box.left < frame.left - 1 || box.right > frame.right + 1
    || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
  return [...chart.querySelectorAll("text")].filter((words) => leaves(words.getBoundingClientRect()))
    .map((words) => chart.querySelector("title").textContent + ": " + words.textContent);
});
"""
SIDEWAYS = """
return [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.textContent.trim().slice(0, 80));
"""


@pytest.fixture
def view(browser: Any, pages: dict[str, Path]) -> Iterator[Callable[[str, int], Any]]:
    def at(name: str, width: int) -> Any:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(pages[name].as_uri())
        return browser

    yield at
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("name", KINDS)
def test_a_screen_shows_all_of_it_without_sideways_scrolling(view: Callable[[str, int], Any], name: str) -> None:
    page = view(name, 1280)
    assert page.execute_script(CUT) == []
    assert page.execute_script(SIDEWAYS) == []
    assert page.execute_script("return document.documentElement.scrollWidth") <= 1280


@pytest.mark.parametrize("name", KINDS)
def test_a_phone_needs_no_sideways_scrolling_but_for_large_drawings(view: Callable[[str, int], Any], name: str) -> None:
    page = view(name, 390)
    page.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    assert page.execute_script(SIDEWAYS.replace('".scroll"', '".scroll:has(table)"')) == []


@pytest.mark.parametrize("name", KINDS)
def test_nothing_is_requested_and_nothing_complains(browser: Any, pages: dict[str, Path], name: str) -> None:
    browser.get(pages[name].as_uri())
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert [entry["message"] for entry in browser.get_log("browser")] == []
