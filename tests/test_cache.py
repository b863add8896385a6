from pathlib import Path

import pytest

from lsgnn.cache import cache_folder, cache_places


def test_the_chosen_folder_comes_before_the_desktops_and_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    monkeypatch.setenv("LSGNN_CACHE", "~/mine")
    assert cache_places() == [Path("/home/ann/mine"), Path("/xdg/lsgnn"), Path("/home/ann/.cache/lsgnn")]
    monkeypatch.delenv("LSGNN_CACHE")
    assert cache_folder() == Path("/xdg/lsgnn")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path("/home/ann/.cache/lsgnn")
