"""A match: the same decks twice with seats swapped, so that neither cards nor position favour anyone."""

from collections.abc import Callable, Iterable
from typing import TypeAlias, Unpack

from molt_bench.agents.base import PokerAgent
from molt_bench.play.drivers import GameOptions, play_game
from molt_bench.records import MatchResult, SeedResult
from molt_bench.seeds import Seed

#: Makes the agent of one player afresh, so that no memory crosses the seat swap.
MakeAgent: TypeAlias = Callable[[], PokerAgent]


def play_match(
    players: tuple[MakeAgent, MakeAgent], *, seeds: Iterable[Seed], hands: int, **options: Unpack[GameOptions]
) -> MatchResult:
    """Play two games for each seed, once with each player in seat 0.

    Args:
        players: What makes players A and B.
        seeds: Names the decks.
        hands: Hands of each game.
        **options: Further fields of `GameSpec`; the seating is the match's own.
    """
    in_seat_0: GameOptions = {**options, "seating": "AB"}
    in_seat_1: GameOptions = {**options, "seating": "BA"}
    results = []
    for seed in seeds:
        first = play_game((players[0](), players[1]()), seed=seed, hands=hands, **in_seat_0)
        second = play_game((players[0](), players[1]()), seed=seed, hands=hands, **in_seat_1)
        results.append(SeedResult(seed, (first, second)))
    return MatchResult(tuple(results))
