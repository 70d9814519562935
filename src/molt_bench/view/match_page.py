"""The page of a match: its seed pairs, the biggest swing of each, and its hands as they were played, as plain JSON."""

from collections.abc import Container
from typing import Any

from molt_bench.errors import ConfigError
from molt_bench.runs.journal_lines import Game
from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_counts import Deal
from molt_bench.view.run_reader import seating_of


def match_page(run: OpenRun, match: int) -> dict[str, Any]:
    """Return the seed pairs of a match, or raise ConfigError if there is no such match."""
    if match not in run.pairs:
        raise ConfigError("match", match, f"one of the {len(run.pairs)} matches of this run")
    a, b = run.pairs[match]
    rated = next((each for each in run.ladder.matches if each.number == match), None)
    adjusted = {}
    if rated is not None:
        adjusted = {
            pair.seed: margin for pair, margin in zip(rated.seed_results, rated.margins["adjusted"], strict=True)
        }
    big_blind = run.config.game.big_blind
    seeds = []
    for at, seed in enumerate(run.seeds_of(match)):
        games = run.sides(match, seed)
        if not games:
            continue
        nets = {seating_of(game.record): game.record.net[0] / big_blind for game in games}
        hands = sum([game.record.hands for game in games])
        nominal = sum([game.record.spec.hands for game in games])
        seeds.append(
            {
                "index": at,
                "seed": str(seed),
                "net": rounded(sum(nets.values())),
                "raw": [rounded(nets.get(seating)) for seating in (0, 1)],
                "adjusted": rounded(adjusted[seed] * nominal / 1000) if seed in adjusted else None,
                "hands": hands,
                "biggest": _biggest(games, big_blind),
                "faults": sum([len(game.record.faults) for game in games]),
                "draw": any(game.record.both_failed for game in games),
            }
        )
    own_decks = any(run.own_decks(match, seed) for seed in run.seeds_of(match))
    counting = rated is None and run.unrated > 0
    about = {"match": match, "a": a, "b": b, "bigBlind": big_blind, "ownDecks": own_decks, "counting": counting}
    return {**about, "seeds": seeds}


def _biggest(games: list[Game], big_blind: int) -> dict[str, Any]:
    """Return the hand with the biggest swing over both seatings."""
    longest = max(len(game.record.hand_nets) for game in games)
    swings = [
        sum([game.record.hand_nets[at] for game in games if at < len(game.record.hand_nets)]) for at in range(longest)
    ]
    at = max(range(longest), key=lambda at: abs(swings[at]), default=0)
    return {"hand": at + 1, "swing": rounded(swings[at] / big_blind) if swings else 0}


def played_hands(run: OpenRun, match: int, only: Container[Deal] | None = None) -> dict[str, list[str | None]]:
    """Return the hands of a match in both seatings, by seed pair and number; all that may be shown, or some deals.

    Longer than the columns of the list of hands, they are fetched when a hand of the match is on the screen.
    Each is the part of the notation between the number of the hand and what was won.

    Raises:
        ConfigError: There is no such match.
    """
    if match not in run.pairs:
        raise ConfigError("match", match, f"one of the {len(run.pairs)} matches of this run")
    found: dict[str, list[str | None]] = {}
    for at, seed in enumerate(run.seeds_of(match)):
        for game in run.sides(match, seed):
            side = seating_of(game.record)
            for number, text in enumerate(game.record.hand_texts, start=1):
                if only is None or (match, at, number) in only:
                    found.setdefault(f"{at}/{number}", [None, None])[side] = text.partition(":")[2].rpartition(":")[0]
    return found
