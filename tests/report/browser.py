"""What tests do in a browser."""

from __future__ import annotations

from typing import Any


def cells(browser: Any, table: str, column: int) -> list[str]:
    return [cell.text for cell in browser.find_elements("css selector", f"{table} tbody td:nth-child({column})")]


def head(browser: Any, table: str, column: int) -> Any:
    return browser.find_element("css selector", f"{table} thead th:nth-child({column}) button")


def click(browser: Any, element: Any) -> None:
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
    element.click()


def text(browser: Any, id: str) -> str:
    found: str = browser.find_element("id", id).text
    return found
