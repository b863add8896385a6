"""Work in another thread: results, errors and interrupts reach the caller."""

import signal
import threading

import pytest

from lsgnn.train.interruptible import interruptible


def test_results_and_errors_come_back() -> None:
    assert interruptible(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        interruptible(divmod, 7, 0)


def test_an_interrupt_is_heard_while_the_work_goes_on() -> None:
    finish, done = threading.Event(), threading.Event()

    def work() -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # as the terminal sends it
        finish.wait()
        done.set()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # workers of xdist ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            interruptible(work)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not done.is_set()
    finish.set()
    assert done.wait(10)


def test_other_threads_do_their_work_themselves() -> None:
    seen: list[bool] = []

    def look() -> None:
        seen.append(interruptible(threading.current_thread) is threading.current_thread())

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [True]
    assert interruptible(threading.current_thread) is not threading.main_thread()
