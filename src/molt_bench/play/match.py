"""A match: the same decks twice with seats swapped, so that neither cards nor position favour anyone."""

from collections.abc import Callable, Iterable
from typing import TypeAlias, Unpack

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from molt_bench.agents.base import PokerAgent
from molt_bench.play.play_games import drive, names_of
from molt_bench.records import GameRecord, MatchResult, SeedResult
from molt_bench.seeds import Seed
from molt_bench.specs import SEATINGS, GameOptions, GameSpec

#: Makes a fresh agent for one player, so that no memory crosses the seat swap.
MakeAgent: TypeAlias = Callable[[], PokerAgent]
#: Seeds of the two games of a seed pair, in the order of `SEATINGS`; UNSET where the spec leaves them out.
SeatingSeeds: TypeAlias = tuple[Seed | UnsetType, Seed | UnsetType]


def play_match(
    players: tuple[MakeAgent, MakeAgent], *, seeds: Iterable[Seed], hands: int, **options: Unpack[GameOptions]
) -> MatchResult:
    """Play two games for each seed, once with each player in seat 0.

    Args:
        players: Factories of players A and B, called for every game.
        seeds: Names of the decks.
        hands: Hands of each game.
        **options: Further fields of `GameSpec`; `seating` is ignored.
    """
    games = []
    for seed in seeds:
        for game in range(len(SEATINGS)):
            made = players[0](), players[1]()
            games.append(drive(seed_pair_specs(names_of(made), seed=seed, hands=hands, options=options)[game], made))
    return match_result(games)


def seed_pair_specs(
    players: tuple[str, str],
    *,
    seed: Seed,
    hands: int,
    options: GameOptions,
    deck_seeds: SeatingSeeds = (UNSET, UNSET),
    dice_names: tuple[str, str] | UnsetType = UNSET,
) -> tuple[GameSpec, GameSpec]:
    """Return the two games of a seed: player A in seat 0, then player B there.

    Both use the decks of `seed`, unless `deck_seeds` names others.
    """
    shared: GameOptions = {**options, "seating": "AB"}
    first = GameSpec(seed=seed, hands=hands, players=players, deck_seed=deck_seeds[0], dice_names=dice_names, **shared)
    return first, replace(first, seating="BA", deck_seed=deck_seeds[1])


def match_result(games: Iterable[GameRecord], *, draw_threshold: int = 0) -> MatchResult:
    """Return the result of a match: a draw up to `draw_threshold` net chips.

    Its games come seed by seed, each in the order of `seed_pair_specs`.
    """
    played = list(games)
    pairs = zip(played[::2], played[1::2], strict=True)
    seeds = tuple([SeedResult(first.seed, (first, second)) for first, second in pairs])
    return MatchResult(seeds, draw_threshold, played[0].players if played else ("A", "B"))
