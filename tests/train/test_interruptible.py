"""Work in other threads: results, errors and interrupts reach the caller, who looks on."""

import signal
import threading

import pytest

from lsgnn.train.interruptible import together


def test_results_come_back_in_order_and_so_do_errors() -> None:
    assert together([lambda: 7, lambda: 2]) == [7, 2]
    with pytest.raises(ZeroDivisionError):
        together([lambda: 1 / 1, lambda: 1 / 0])


def test_all_of_them_run_at_the_same_time() -> None:
    barrier = threading.Barrier(3)

    assert sorted(together([lambda: barrier.wait(10)] * 3)) == [0, 1, 2]


def test_an_error_is_raised_although_another_thread_would_go_on_for_ever() -> None:
    stopped = threading.Event()

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        together([stopped.wait, fail], stop=stopped.set)
    assert stopped.is_set()


def test_the_caller_looks_on_and_may_end_the_work() -> None:
    stopped = threading.Event()

    assert together([lambda: stopped.wait(10)], look=stopped.set) == [True]


def test_an_interrupt_is_heard_while_the_work_goes_on() -> None:
    stopped, done = threading.Event(), threading.Event()

    def work() -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # as the terminal sends it
        stopped.wait()
        done.set()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # workers of xdist ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            together([work], stop=stopped.set)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.wait(10)


def test_nothing_begins_where_not_all_threads_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    start = threading.Thread.start

    def refused(thread: threading.Thread) -> None:
        if sum(t.daemon for t in threading.enumerate()) > before:
            raise RuntimeError("can't start new thread")
        start(thread)

    before = sum(t.daemon for t in threading.enumerate())
    monkeypatch.setattr(threading.Thread, "start", refused)
    with pytest.raises(RuntimeError, match="can't start"):
        together([lambda: begun.append(1), lambda: begun.append(2)])
    assert not begun
