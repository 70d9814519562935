"""Where games run: one after the other, or several at once on an event loop. The records are the same."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeAlias

from molt_bench.errors import GamePutBack, GameUnfinished, ProviderError
from molt_bench.play.drivers import Players, drive, drive_async
from molt_bench.records import GameRecord
from molt_bench.specs import GameSpec

#: Makes the two agents of a game afresh, players A and B.
MakePlayers: TypeAlias = Callable[[GameSpec], Players]
#: Is told of every finished game, in the order in which they finish.
Done: TypeAlias = Callable[[GameSpec, GameRecord], None]


def play_games_in_order(specs: Sequence[GameSpec], make_players: MakePlayers, done: Done) -> None:
    """Play games one after the other and report each as soon as it is finished.

    Args:
        specs: What to play.
        make_players: Makes the agents of a game.
        done: Is called with every finished game, before the next one is started.
    """
    for spec in specs:
        done(spec, drive(spec, make_players(spec)))


async def play_games_together(
    specs: Sequence[GameSpec],
    make_players: MakePlayers,
    done: Done,
    *,
    at_once: int,
    put_back_pause_s: float = 0.0,
) -> None:
    """Play games on the running event loop, otherwise as `play_games_in_order`.

    A game that an agent puts back is played again from its start after the others; one that cannot be finished is left
    out.

    Args:
        specs: What to play.
        make_players: Makes the agents of a game.
        done: Is called with every finished game, before the next one is started in its place.
        at_once: How many games may be under way.
        put_back_pause_s: Seconds before a game that was put back may start again.
    """
    import asyncio

    waiting = deque((spec, False) for spec in specs)

    async def one_after_the_other() -> None:
        while waiting:
            spec, again = waiting.popleft()
            if again:
                await asyncio.sleep(put_back_pause_s)
            try:
                done(spec, await drive_async(spec, make_players(spec)))
            except GamePutBack:
                waiting.append((spec, True))
            except ProviderError:
                raise
            except GameUnfinished:
                pass

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(at_once, len(specs))):
                group.create_task(one_after_the_other())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None  # as if they had been played one after the other
