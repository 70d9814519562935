"""Where games run: one after the other, or several at once on an event loop. The records are the same."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from molt_bench.play.drivers import Players, drive, drive_async
from molt_bench.records import GameRecord
from molt_bench.specs import GameSpec

#: Makes the two agents of a game afresh, players A and B.
MakePlayers: TypeAlias = Callable[[GameSpec], Players]
#: Is told of every finished game, in the order in which they finish.
Done: TypeAlias = Callable[[GameSpec, GameRecord], None]


def play_games(specs: Sequence[GameSpec], make_players: MakePlayers, done: Done, *, at_once: int = 1) -> None:
    """Play games and report each as soon as it is finished.

    Args:
        specs: What to play.
        make_players: Makes the agents of a game.
        done: Is called with every finished game, before the next one is started in its place.
        at_once: How many games may be under way.
    """
    if at_once == 1:
        for spec in specs:
            done(spec, drive(spec, make_players(spec)))
        return
    from molt_bench.play.waiting import run_in_new_loop

    run_in_new_loop(_play_together(specs, make_players, done, at_once))


async def _play_together(specs: Sequence[GameSpec], make_players: MakePlayers, done: Done, at_once: int) -> None:
    import asyncio

    waiting = iter(specs)

    async def one_after_the_other() -> None:
        for spec in waiting:
            done(spec, await drive_async(spec, make_players(spec)))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(at_once, len(specs))):
                group.create_task(one_after_the_other())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None  # as if they had been played one after the other
