"""The end of a game: each agent's `close` is called once. It may be async, and nobody waits long for it."""

import asyncio
from typing import Final

from molt_bench.play import time_limits
from molt_bench.play.seated_agent import Seats

#: Seconds an agent's async `close` may take; none after an interruption.
_CLOSE_S: Final = 5.0


def close_agents(seats: Seats, *, interrupted: bool) -> None:
    """Call the agents' `close` in plain code."""
    for at in _closing(seats):
        time_limits.bid_farewell(seats[at].close, patience_s=0.0 if interrupted else _CLOSE_S)


async def close_agents_async(
    seats: Seats, waiters: tuple[time_limits.Waiter, time_limits.Waiter], *, interrupted: bool
) -> None:
    """Call the agents' `close` on the running event loop, both at the same time."""
    patience_s = 0.0 if interrupted else _CLOSE_S
    farewells = [waiters[at].farewell(seats[at].close, patience_s=patience_s) for at in _closing(seats)]
    if farewells:
        await asyncio.gather(*farewells)


def _closing(seats: Seats) -> list[int]:
    """Return the seats whose agents have a `close` to call; an agent in both seats is called once."""
    alone = seats[0].agent is seats[1].agent
    return [at for at in ((0,) if alone else (0, 1)) if seats[at].close is not None]
