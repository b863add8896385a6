"""`lsgnn serve` as users start it: a process of its own on loopback, killed, starved, and asked by bad clients."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest

from lsgnn import Run
from lsgnn.serving.journal import Journal
from tests.report.conftest import browser
from tests.serving.clients import body, features, named_blocks, new_node
from tests.serving.server import Server
from tests.trained import small_run

__all__ = ["browser"]
pytest.importorskip("fastapi", reason="the extra [serve] is not installed")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve") / "run"
    small_run(named_blocks(), direction="out", epochs=20, lr=0.05).save(folder)
    return folder


@pytest.fixture
def start(request: pytest.FixtureRequest) -> Callable[..., Server]:
    def started(*arguments: Any, **how: Any) -> Server:
        server = Server(*arguments, **how)
        request.addfinalizer(server.kill)
        return server

    return started


@pytest.fixture(scope="module")
def impatient(run: Path) -> Iterator[Server]:
    """A server with narrow limits, which does not trust anybody without a token."""
    server = Server(run, "--timeout", 1, "--max-body", "20KB", "--max-nodes", 5, env={"LSGNN_TOKEN": "secret"})
    yield server
    server.kill()


TOKEN = {"Authorization": "Bearer secret"}


def test_a_new_node_gets_the_answer_of_predict_new(impatient: Server, run: Path) -> None:
    status, answer = impatient.ask("/predict/new", body(new_node("u", "page3")), TOKEN)
    assert status == 200
    expected = Run.load(run).predict_new([list(features().values())], [("u", "page3")], ["u"])
    found = list(answer["predictions"][0]["probabilities"].values())
    np.testing.assert_allclose(found, expected.probabilities[0], atol=1e-6)


def test_strangers_and_gluttons_are_refused(impatient: Server) -> None:
    document = {"ids": ["page1"]}
    assert impatient.ask("/predict", document)[0] == 401
    assert impatient.ask("/predict", document, {"Authorization": "Bearer wrong"})[0] == 401
    status, answer = impatient.ask("/predict", {"ids": ["page1"] * 6}, TOKEN)
    assert (status, "5 at most" in answer["error"]) == (413, True)
    assert impatient.ask("/predict", {"ids": ["x" * 30_000]}, TOKEN)[0] == 413
    assert impatient.ask("/health")[0] == 200


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"GARBAGE\r\n\r\n", b" 400 "),
        (b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", b" 4"),
        (b"GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n", b" 421 "),
        (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 100_000, b""),  # a head without end
        (b"GET /health HTTP/1.1\r\nHo", b""),  # a head that does not go on
        (
            b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer secret\r\n"
            b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",  # a body that does not go on
            b" 408 ",
        ),
    ],
)
def test_bad_clients_are_cut_off_and_good_ones_served(impatient: Server, sent: bytes, expected: bytes) -> None:
    try:
        assert expected in impatient.said(sent)
    except ConnectionError:
        assert not expected
    assert impatient.ask("/health")[0] == 200


def test_many_silent_connections_do_not_keep_others_out(impatient: Server) -> None:
    silent = [socket.create_connection(("127.0.0.1", impatient.port)) for _ in range(50)]
    assert impatient.ask("/health")[0] == 200
    silent[0].settimeout(10)
    assert silent[0].recv(1) == b""  # it was cut off
    for connection in silent:
        connection.close()


@pytest.mark.browser
def test_the_page_asks_with_a_token_and_shows_the_answer(impatient: Server, browser: Any) -> None:
    """In a real browser, whose content security policy lets the page's own script run and no other."""
    from selenium.webdriver.support.wait import WebDriverWait

    def at(id: str) -> Any:
        return browser.find_element("id", id)

    browser.get(f"http://127.0.0.1:{impatient.port}/")
    WebDriverWait(browser, 20).until(lambda _: "the token is missing or wrong" in at("problem").text)
    at("token").send_keys("secret")
    at("load").click()
    WebDriverWait(browser, 20).until(lambda _: "80 nodes" in at("about").text)
    at("send").click()
    WebDriverWait(browser, 20).until(lambda _: "my-node" in at("answers").text)
    assert not at("problem").is_displayed()
    assert "%" in at("answers").text


def _wait_for(count: int, acknowledged: list[str], failed: list[Any]) -> None:
    end = time.monotonic() + 60
    while len(acknowledged) < count and not failed and time.monotonic() < end:
        time.sleep(0.01)


def test_kept_nodes_survive_kills_under_load(run: Path, start: Callable[..., Server], tmp_path: Path) -> None:
    """The benchmark does this a hundred times; here once, with two clients that send again what was not answered."""
    journal = tmp_path / "j"
    server = [start(run, "--journal", journal)]
    acknowledged: list[str] = []
    stop = threading.Event()
    failed: list[Any] = []

    def client(name: str) -> None:
        last, count = "page3", 0
        while not stop.is_set():
            node = new_node(f"{name}{count}", last)  # attached to one that must have survived
            try:
                status, answer = server[0].ask("/predict/new", body(node, persist=True))
            except (OSError, HTTPException, ValueError):
                time.sleep(0.05)
                continue
            if status != 200:
                failed.append(answer)
                return
            acknowledged.append(str(node.id))
            last, count = str(node.id), count + 1

    clients = [threading.Thread(target=client, args=(name,)) for name in ("a", "b")]
    for thread in clients:
        thread.start()
    _wait_for(20, acknowledged, failed)
    server[0].kill()
    server[0] = start(run, "--journal", journal)
    _wait_for(40, acknowledged, failed)
    stop.set()
    for thread in clients:
        thread.join()
    kept = [entry.node.id for entry in Journal(journal).news()]
    assert not failed
    assert len(acknowledged) >= 40
    assert set(acknowledged) <= set(kept)
    assert len(kept) == len(set(kept)) <= len(acknowledged) + 2
    assert server[0].ask("/predict", {"ids": kept[-5:]})[0] == 200


def test_workers_share_what_is_kept_and_end_with_their_parent(
    run: Path, start: Callable[..., Server], tmp_path: Path
) -> None:
    server = start(run, "--journal", tmp_path / "j", "--workers", 2)
    for i in range(6):
        target = f"n{i - 1}" if i else "page3"
        assert server.ask("/predict/new", body(new_node(f"n{i}", target), persist=True))[0] == 200
    for _ in range(6):  # whichever of them answers
        assert server.ask("/predict", {"ids": [f"n{i}" for i in range(6)]})[0] == 200
    counted = urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=30).read().decode()
    assert 'lsgnn_requests_total{path="/predict",status="200"} 6.0' in counted  # of both together
    os.kill(server.process.pid, signal.SIGKILL)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        with suppress(OSError), socket.create_server(("127.0.0.1", server.port)):
            break
        time.sleep(0.1)
    else:
        pytest.fail("an orphan still listens")


def test_a_full_disk_keeps_nothing_and_predictions_go_on(
    run: Path, start: Callable[..., Server], tmp_path: Path
) -> None:
    server = start(run, "--journal", tmp_path / "j", file_bytes=200_000)
    statuses, count = [], 0
    while (not statuses or statuses[-1] == 200) and count < 200:
        status, answer = server.ask("/predict/new", body(new_node(f"n{count}", "page3"), persist=True))
        statuses.append(status)
        count += 1
    assert statuses.count(200) > 3
    assert statuses[-1] in (503, 507)
    assert "nothing of this request was kept" in answer["error"]
    assert server.ask("/predict/new", body(new_node("u", "n1")))[0] == 200
    kept = [entry.node.id for entry in Journal(tmp_path / "j").news()]
    assert kept == [f"n{i}" for i in range(count - 1)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "99999"], "'--port'"),
        (["--timeout", "0"], "--timeout 0.0 is out of range"),
        (["--max-body", "much"], "--max-body 'much' is not a size"),
        (["--host", "300.0.0.1"], "cannot listen at 300.0.0.1"),
    ],
)
def test_what_makes_no_sense_is_one_line(lsgnn: Any, run: Path, options: list[str], message: str) -> None:
    outcome = lsgnn("serve", run, *options)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert message in outcome.err


def test_a_port_in_use_a_missing_run_and_an_empty_token_are_one_line(
    lsgnn: Any, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = lsgnn("serve", run, "--port", taken.getsockname()[1])
    assert (outcome.code, outcome.err.count("\n"), "cannot listen at" in outcome.err) == (2, 1, True)
    assert "is not a run" in lsgnn("serve", tmp_path).err
    monkeypatch.setenv("LSGNN_TOKEN", " ")
    assert "LSGNN_TOKEN is empty" in lsgnn("serve", run).err
