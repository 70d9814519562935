"""Limits: as many requests at once as a model bears, found out by asking."""

import asyncio

import pytest

from molt_bench.llm.rate_limits import START, ModelLimit
from molt_bench.llm.settings import LLMSettings
from tests.clock import JumpingLoop


@pytest.fixture
def run():
    """Return a function that runs a coroutine by a clock that jumps."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        yield lambda main: runner.run(main())


def now():
    return asyncio.get_running_loop().time()


def a_limit(most=None, **settings):
    return ModelLimit(LLMSettings(model="openai:m", max_concurrent=most, **settings))


async def hold(limit, seconds):
    """Take a turn for some time; return when it came."""
    await limit.acquire()
    started = now()
    try:
        await asyncio.sleep(seconds)
    finally:
        limit.release()
    return started


def test_no_more_than_the_limit_are_let_in_and_all_come_through_in_their_order(run):
    async def main():
        limit, seen, order = a_limit(3), [], []

        async def one(name):
            await limit.acquire()
            order.append(name)
            seen.append(limit.in_flight)
            await asyncio.sleep(0.05)
            limit.release()

        await asyncio.gather(*[one(name) for name in range(20)])
        assert (max(seen), limit.in_flight) == (3, 0)
        assert order == list(range(20))

    run(main)


def test_success_doubles_the_limit_until_it_was_too_much_once(run):
    async def main():
        limit = a_limit()
        assert limit.limit == START
        for _ in range(START):
            limit.succeeded(0)
        assert limit.limit == 2 * START
        for _ in range(2 * START):
            await limit.acquire()
        limit.release()
        limit.slowed(now(), 0)
        assert limit.limit == START
        for _ in range(START):
            limit.succeeded(0)
        assert START < limit.limit <= START + 1
        for _ in range(10**5):
            limit.succeeded(0)
        assert limit.limit == pytest.approx(450, abs=50)

    run(main)


def test_many_complaints_about_one_burst_are_one_cut(run):
    async def main():
        limit = a_limit()
        for _ in range(START):
            await limit.acquire()
        for _ in range(START):
            limit.release()
            limit.slowed(0.0, 0)
        assert limit.limit == START / 2

    run(main)


def test_it_never_falls_below_one_and_says_so(run):
    async def main():
        limit = a_limit(2)
        assert not limit.at_floor
        limit.slowed(now(), 0)
        await asyncio.sleep(0.01)
        limit.slowed(now(), 0)
        assert limit.at_floor
        assert limit.limit == 1

    run(main)


def test_a_pause_holds_all_of_them_back(run):
    async def main():
        limit = a_limit(4)
        limit.slowed(now(), 0.2)
        assert min(await asyncio.gather(*[hold(limit, 0.001) for _ in range(6)])) == pytest.approx(0.2)

    run(main)


def test_requests_a_minute_are_spread(run):
    async def main():
        limit = a_limit(100, requests_per_minute=1200)  # one in 50 ms
        starts = await asyncio.gather(*[hold(limit, 0) for _ in range(6)])
        assert starts == pytest.approx([starts[0] + 0.05 * place for place in range(6)])

    run(main)


def test_a_request_that_leaves_the_queue_takes_no_place(run):
    async def main():
        limit = a_limit(1)
        first = asyncio.create_task(hold(limit, 0.05))
        await asyncio.sleep(0)
        leaving = [asyncio.create_task(hold(limit, 3600)) for _ in range(5)]
        await asyncio.sleep(0)
        for task in leaving:
            task.cancel()
        last = asyncio.create_task(hold(limit, 0))
        await asyncio.wait_for(asyncio.gather(first, last), 60)
        assert limit.in_flight == 0

    run(main)
