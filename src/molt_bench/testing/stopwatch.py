"""A stopwatch for an agent's answers."""

import inspect
from collections.abc import Awaitable
from math import ceil
from statistics import median
from time import perf_counter
from typing import Any

from molt_bench.play.seated_agent import SeatedAgent
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation
from molt_bench.testing.findings import Latency


class Stopwatch:
    """Response times of one check."""

    def __init__(self) -> None:
        self.decisions = 0
        self.seconds: list[float] = []
        self.firsts: list[float] = []
        self.first = True

    def stop(self, start: float) -> None:
        """Record the time of an answer."""
        taken = perf_counter() - start
        self.seconds.append(taken)
        if self.first:
            self.firsts.append(taken)
            self.first = False

    def latency(self) -> Latency:
        """Return a summary of the response times."""
        if not self.seconds:
            return Latency()
        times = sorted(self.seconds)
        return Latency(median(times), times[ceil(0.95 * len(times)) - 1], times[-1], median(self.firsts))


class TimedAgent:
    """An agent with a stopwatch; it keeps the agent's hooks and its `keeps_time`."""

    def __init__(self, seat: SeatedAgent, clock: Stopwatch) -> None:
        self._act = seat.act
        self._clock = clock
        self.name = "checked"
        self.keeps_time = seat.keeps_time
        for hook, method in seat.hooks.items():
            setattr(self, hook, method)
        self.close = seat.close
        if inspect.iscoroutinefunction(seat.act):
            self.act = self._act_async  # type: ignore[method-assign]

    def act(self, observation: Observation) -> Any:
        """Ask the agent, and record how long its answer took."""
        start = perf_counter()
        self._clock.decisions += 1
        pending = False
        try:
            answer = self._act(observation)
            pending = type(answer) is not Action and inspect.isawaitable(answer)
            return self._awaited(answer, start) if pending else answer
        finally:
            if not pending:
                self._clock.stop(start)

    async def _act_async(self, observation: Observation) -> Any:
        self._clock.decisions += 1
        return await self._awaited(self._act(observation), perf_counter())

    async def _awaited(self, answer: Awaitable[Any], start: float) -> Any:
        try:
            return await answer
        finally:
            self._clock.stop(start)
