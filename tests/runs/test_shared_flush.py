"""Recording: nobody goes on before what it added is on disk, and all who wait at the same time share a flush."""

import asyncio
from time import sleep

from molt_bench.runs.shared_flush import SharedFlush


class Disk:
    """Takes a while to flush, and may fail to."""

    def __init__(self, error=None):
        self.added, self.safe, self.flushes = [], set(), 0
        self.flush, self._error = SharedFlush(self.sync, lambda: len(self.added)), error

    def sync(self):
        safe = [*self.added]
        sleep(0.02)
        if self._error is not None:
            raise self._error
        self.flushes += 1
        self.safe.update(safe)

    async def add(self, what, *, after_s=0.0):
        """Add something, wait until it is settled, and return whether it was on disk then."""
        await asyncio.sleep(after_s)
        self.added.append(what)
        await self.flush.settled()
        return what in self.safe


def test_each_goes_on_only_when_its_own_is_on_disk_and_few_flushes_do():
    disk = Disk()

    async def many():
        return await asyncio.gather(*[disk.add(at, after_s=at * 0.001) for at in range(100)])

    assert all(asyncio.run(many()))
    assert disk.flushes < 50


def test_one_that_no_longer_waits_takes_nothing_from_the_others():
    disk = Disk()

    async def with_one_gone():
        tasks = [asyncio.ensure_future(disk.add(at)) for at in range(4)]
        await asyncio.sleep(0.005)
        tasks[0].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    gone, *others = asyncio.run(with_one_gone())
    assert isinstance(gone, asyncio.CancelledError)
    assert others == [True] * 3


def test_all_who_wait_are_told_of_a_flush_that_failed():
    disk = Disk(RuntimeError("no more threads"))

    async def two():
        waiting = [disk.add("one"), disk.add("two", after_s=0.01)]
        return await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 30)

    assert [str(each) for each in asyncio.run(two())] == ["no more threads"] * 2
