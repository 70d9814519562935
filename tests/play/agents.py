"""Agents told to do something wrong, for the tests of games."""

import asyncio
import time

from molt_bench import Action, Observation


class Caller:
    """Checks and calls; counts what it is told."""

    def __init__(self, name="caller"):
        self.name = name
        self.resets = 0
        self.results = []
        self.errors = []
        self.seen = []

    def reset(self):
        self.resets += 1

    def on_hand_complete(self, result):
        self.results.append(result)

    def on_error(self, message):
        self.errors.append(message)

    def act(self, observation: Observation) -> Action:
        self.seen.append(observation)
        return Action("call") if observation.to_call else Action("check")


class AsyncCaller(Caller):
    """The same on an event loop, hooks included."""

    async def reset(self):
        await asyncio.sleep(0)
        super().reset()

    async def on_hand_complete(self, result):
        await asyncio.sleep(0)
        super().on_hand_complete(result)

    async def act(self, observation):
        await asyncio.sleep(0)
        return super().act(observation)


class Answers(Caller):
    """Gives one answer, whatever it is; raises it if it is an exception."""

    def __init__(self, answer, name="answers"):
        super().__init__(name)
        self.answer = answer

    def act(self, observation):
        self.seen.append(observation)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class Sleeper:
    """A plain function that does not come back in time."""

    name = "sleeper"

    def __init__(self, seconds=3600.0):
        self.seconds = seconds
        self.calls = 0

    def act(self, observation):
        self.calls += 1
        time.sleep(self.seconds)
        return Action("fold")


class AsyncSleeper:
    """An awaitable answer that does not come."""

    name = "async sleeper"

    async def act(self, observation):
        await asyncio.sleep(3600)


class Deaf(AsyncSleeper):
    """One that does not even listen when it is cancelled, once."""

    async def act(self, observation):
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            return Action("fold")


class Future:
    """A plain function that returns an awaitable."""

    name = "future"

    def act(self, observation):
        async def later():
            return Action("call") if observation.to_call else Action("check")

        return later()
