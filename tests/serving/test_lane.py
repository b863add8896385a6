"""One thread that answers, for many who ask."""

import asyncio
import threading

import pytest

from lsgnn.serving.lane import AT_ONCE, Busy, Lane


def test_requests_that_wait_are_answered_together_each_with_its_own_answer() -> None:
    calls: list[list[int]] = []
    first = threading.Event()

    def answer(numbers: list[int]) -> list[int | Exception]:
        calls.append(list(numbers))
        first.wait(5)
        return [ValueError(n) if n == 3 else 10 * n for n in numbers]

    async def many() -> list[object]:
        lane: Lane[int, int] = Lane(answer, 100)
        asked = [asyncio.create_task(lane.ask(n)) for n in range(6)]
        while not calls:
            await asyncio.sleep(0.01)
        first.set()
        answers = await asyncio.gather(*asked, return_exceptions=True)
        lane.close()
        return list(answers)

    answers = asyncio.run(many())
    assert [answers[n] for n in (0, 1, 2, 4, 5)] == [0, 10, 20, 40, 50]
    assert isinstance(answers[3], ValueError)
    assert calls[0] == [0, 1, 2, 3, 4, 5]  # all of them were there before the first was taken
    assert AT_ONCE > 6


def test_whoever_comes_when_too_many_wait_is_turned_away_and_others_are_answered() -> None:
    async def many() -> None:
        go = threading.Event()
        lane: Lane[int, int] = Lane(lambda numbers: go.wait(5) and list(numbers), 2)
        taken = asyncio.create_task(lane.ask(0))
        await asyncio.sleep(0.05)
        waiting = [asyncio.create_task(lane.ask(n)) for n in (1, 2)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await lane.ask(3)
        go.set()
        assert await asyncio.gather(taken, *waiting) == [0, 1, 2]
        lane.close()

    asyncio.run(many())


def test_a_failure_of_the_work_reaches_all_who_wait_and_the_lane_goes_on() -> None:
    def answer(numbers: list[int]) -> list[int]:
        if 0 in numbers:
            raise RuntimeError("broken")
        return list(numbers)

    async def two() -> None:
        lane: Lane[int, int] = Lane(answer, 10)
        with pytest.raises(RuntimeError, match="broken"):
            await lane.ask(0)
        assert await lane.ask(1) == 1
        lane.close()

    asyncio.run(two())
