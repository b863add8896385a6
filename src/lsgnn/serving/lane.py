"""One thread that answers, while the event loop goes on listening; requests that wait are answered together.

Scoring eight new nodes costs little more than scoring one, so that a busy server gets quicker per request.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Request = TypeVar("Request")
Answer = TypeVar("Answer")
AT_ONCE = 32


class Busy(Exception):
    """Too many requests are waiting."""


class Lane(Generic[Request, Answer]):
    """Hands requests to `answer`, which is called in a thread of its own, one call at a time.

    Args:
        answer: from requests to answers or errors, in their order.
        waiting: how many requests may wait.
    """

    def __init__(self, answer: Callable[[Sequence[Request]], Sequence[Answer | Exception]], waiting: int) -> None:
        self._answer, self._limit = answer, waiting
        self._waiting: deque[tuple[Request, asyncio.Future[Answer]]] = deque()
        self._thread = ThreadPoolExecutor(1, "lsgnn-answers")
        self._runs = False

    async def ask(self, request: Request) -> Answer:
        if len(self._waiting) >= self._limit:
            raise Busy
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        self._waiting.append((request, future))
        if not self._runs:
            self._runs = True
            loop.create_task(self._work())  # noqa: RUF006 - it ends by itself, and the futures are what is waited for
        return await future

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                count = min(AT_ONCE, len(self._waiting))
                taken = [self._waiting.popleft() for _ in range(count)]
                taken = [(request, future) for request, future in taken if not future.done()]  # clients that left
                try:
                    answers = await loop.run_in_executor(self._thread, self._answer, [own for own, _ in taken])
                except Exception as error:
                    answers = [error] * len(taken)
                for (_, future), answer in zip(taken, answers, strict=True):
                    if future.done():
                        continue
                    if isinstance(answer, Exception):
                        future.set_exception(answer)
                    else:
                        future.set_result(answer)
        finally:
            self._runs = False

    def close(self) -> None:
        """Waits for the call that is going on."""
        self._thread.shutdown(wait=True, cancel_futures=True)
