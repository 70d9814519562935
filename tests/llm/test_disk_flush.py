"""Recording: nobody goes on before what it added is on disk, and all who wait at the same time share a flush."""

import asyncio
from time import sleep

import pytest

from molt_bench.llm.disk_flush import DiskFlush
from molt_bench.llm.types import Exchange
from molt_bench.runs.replies import Replies
from molt_bench.specs import GameLabel


class Slow(Replies):
    """Takes a while to flush, and may fail to."""

    def __init__(self, *, error=None):
        super().__init__()
        self.added, self.flushed, self.flushes = [], set(), 0
        self._error = error

    @property
    def on_disk(self):
        return True

    def add(self, exchange):
        self.added.append(exchange.key)

    def sync(self):
        safe = [*self.added]
        sleep(0.02)
        if self._error is not None:
            raise self._error
        self.flushes += 1
        self.flushed.update(safe)


def exchange(key):
    place = {"game": GameLabel(1, 1, "AB"), "hand": 1, "decision": 0, "attempt": 1}
    return Exchange(key=key, participant="m", **place, prompt_hash="", outcome="reply", text="")


async def added(recording, store, key, *, after_s=0.0):
    """Add an exchange, wait until it is settled, and return whether it was on disk then."""
    await asyncio.sleep(after_s)
    recording.add(exchange(key))
    await recording.settled()
    return key in store.flushed


def test_each_goes_on_only_when_its_own_is_on_disk_and_few_flushes_do():
    store = Slow()

    async def many():
        recording = DiskFlush(store)
        return await asyncio.gather(*[added(recording, store, str(at), after_s=at * 0.001) for at in range(100)])

    assert all(asyncio.run(many()))
    assert store.flushes < 50


def test_one_that_no_longer_waits_takes_nothing_from_the_others():
    store = Slow()

    async def with_one_gone():
        recording = DiskFlush(store)
        tasks = [asyncio.ensure_future(added(recording, store, str(at))) for at in range(4)]
        await asyncio.sleep(0.005)
        tasks[0].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    gone, *others = asyncio.run(with_one_gone())
    assert isinstance(gone, asyncio.CancelledError)
    assert others == [True] * 3


def test_all_who_wait_are_told_of_a_flush_that_failed():
    store = Slow(error=RuntimeError("no more threads"))

    async def two():
        recording = DiskFlush(store)
        waiting = [added(recording, store, "one"), added(recording, store, "two", after_s=0.01)]
        return await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 30)

    assert [str(each) for each in asyncio.run(two())] == ["no more threads"] * 2


@pytest.mark.parametrize("store", [None, Replies()])
def test_without_a_file_nobody_waits(store):
    assert asyncio.run(added(DiskFlush(store), Slow(), "one")) is False
