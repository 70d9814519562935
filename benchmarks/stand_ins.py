"""Measure what stand-ins save: the variance that is left, match by match, each corrected by what those before taught.

Players of the open ladders (see `ladders.py`) play a round robin. The odds at their own decisions are used, as with a
language model; what they would do elsewhere is not asked, unless it says so. Games are played once and kept. The unit
is a hand in both seatings. Printed is the variance within pairings, relative to `correctedSolid` on the same hands.
"""

import pickle
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from ladders import AGAIN, LATER, LATEST, NEWEST, VALIDATION, Plan, arguments

from molt_bench.agents.base import PolicyOf
from molt_bench.luck.estimators import game_estimates
from molt_bench.luck.fitting import Fit
from molt_bench.luck.stand_ins.ahead import surpluses
from molt_bench.luck.stand_ins.learned import StandIns
from molt_bench.luck.stand_ins.visited import visited
from molt_bench.luck.terms import CARDS
from molt_bench.play.match import play_match
from molt_bench.records import MatchResult

#: Seed pairs of a match.
PER_MATCH = 5
BIG_BLIND = 100


def matches_of(plan: Plan, rounds: int, folder: str | None) -> list[tuple[str, str, MatchResult]]:
    """Return the matches of a round robin, played or read."""
    kept = Path(folder, f"matches-{plan.name.replace(' ', '_')}-{rounds}.pickle") if folder else None
    if kept is not None and kept.exists():
        return pickle.loads(kept.read_bytes())
    found = []
    for number in range(rounds):
        seeds = [f"stand-ins {plan.name} {number} {at}" for at in range(PER_MATCH)]
        for first, second in combinations(plan.bots, 2):
            makers = tuple(lambda name=name: plan.bots[name].make(name) for name in (first, second))
            own = [f"{first} {second} {seed}" for seed in seeds]
            stack = plan.stack * BIG_BLIND
            found.append((first, second, play_match(makers, seeds=own, hands=plan.hands, stack=stack)))
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(found))
    return found


class Way:
    """One way to take luck out of matches: whose odds are known at their decisions, and who can be asked elsewhere."""

    def __init__(self, policies: Mapping[str, PolicyOf], known: tuple[int, ...], asked: tuple[int, ...]) -> None:
        self._policies, self._known, self._asked = policies, known, asked
        self._stand_ins = StandIns()
        self._agents = {name: self._stand_ins.add_agent() for name in policies}
        self.seconds = 0.0
        self.hands = 0

    def values(self, first: str, second: str, result: MatchResult, without: list[Any]) -> Any | None:
        """Return what each hand was worth to the first, in order of games; None before there are stand-ins."""
        pair = (first, second)
        start = perf_counter()
        policies = tuple(self._policies[name] if at in self._known else None for at, name in enumerate(pair))
        games = [game for seed in result.seed_results for game in seed.games]
        played = visited([(game, policies) for game in games], (self._agents[first], self._agents[second]))
        assert played is not None
        found = None
        asked = {self._agents[pair[at]]: self._policies[pair[at]] for at in self._asked}
        if all(self._stand_ins.knows(self._agents[name]) for name in pair):
            luck = surpluses(played, self._stand_ins, asked)
            found = np.array(without).reshape(len(games), -1)
            for (game, number), surplus in zip(played.places, luck.tolist(), strict=True):
                found[game, number - 1] += surplus if games[game].seating == "AB" else -surplus
            self.hands += found.size
            self.seconds += perf_counter() - start
        self._stand_ins.learn(played)
        return None if found is None else found.ravel()


def ways_of(plan: Plan, *, asked: bool) -> dict[str, Way]:
    """Return the ways to compare; those that ask take long."""
    policies = {name: bot.make(name).policy for name, bot in plan.bots.items()}
    rows = {
        "odds of both": ((0, 1), ()),
        "odds of one": ((0,), ()),
        "odds of both, one asked": ((0, 1), (0,)),
        "one asked, nothing of the other": ((0,), (0,)),
    }
    return {name: Way(policies, *row) for name, row in rows.items() if asked or not row[1]}


def looked_at(
    plan: Plan, rounds: int, folder: str | None, *, asked: bool
) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """Yield of every match the hands by each way."""
    ways, fit = ways_of(plan, asked=asked), Fit()
    for first, second, result in matches_of(plan, rounds, folder):
        policies = [plan.bots[name].make(name).policy for name in (first, second)]
        recorded = [lambda seen, policy=policy: policy(seen) for policy in policies]
        games = [game for seed in result.seed_results for game in seed.games]
        found: dict[str, list[Any]] = {"adjustedSolid": [], "correctedSolid": [], "one corrected": []}
        lessons = []
        for game in games:
            none, one = game_estimates(game), game_estimates(game, (recorded[0], None))
            found["adjustedSolid"] += none.hands.won
            found["one corrected"] += one.hands.won
        both = [_at_visited(game, recorded) for game in games]
        for each in both:
            found["correctedSolid"] += each.won
        weights = [each - luck for game in both for each, luck in zip(game.won, _lucks(fit, game), strict=True)]
        found["fitted"] = weights
        lessons = [(seed.seed, both[2 * at : 2 * at + 2]) for at, seed in enumerate(result.seed_results)]
        fit.learn((first, second), lessons)
        for name, way in ways.items():
            found[name] = way.values(first, second, result, found["adjustedSolid"])
        yield (first, second), found
    for name, way in ways.items():
        print(f"  {name}: {1000 * way.seconds / max(way.hands, 1):.1f} ms a hand")


def _at_visited(game: Any, policies: Any) -> Any:
    """Return the hands of a game by known odds at its decisions alone."""
    first, second = (game_estimates(game, pair).hands for pair in ((policies[0], None), (None, policies[1])))
    return at_visited(first, second, game_estimates(game).hands)


def at_visited(first: Any, second: Any, nothing: Any) -> Any:
    """Return hands by the odds of both players at their decisions, from those by the odds of each, and of none."""
    won = [one + two - none for one, two, none in zip(first.won, second.won, nothing.won, strict=True)]
    # The deals are in the terms of both, so they count once.
    return first._replace(won=tuple(won), terms=first.terms + _decisions(second.terms))


def _decisions(terms: bytes) -> bytes:
    """Return the terms of decisions among some."""
    read = np.frombuffer(terms, [("row", "=i4"), ("place", "=i4"), ("part", "=f8")])
    return read[read["place"] >= CARDS].tobytes()


def _lucks(fit: Fit, game: Any) -> list[float]:
    """Return the luck in each hand beyond that by frozen weights."""
    return (game.table() * np.array(fit._distances)).sum(axis=1).tolist()


def main() -> None:
    """Measure and print the tables."""
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=4, help="matches of each pairing (%(default)s)")
    parser.add_argument("--asked", action="store_true", help="also with policies that can be asked, which takes long")
    options = parser.parse_args()
    wanted = [name.strip() for name in options.ladders.split(",") if name.strip()]
    for plan in (*AGAIN, *NEWEST, *VALIDATION, *LATEST, *LATER):
        if "open" not in plan.name or (wanted and plan.name not in wanted):
            continue
        report(plan, options.rounds, options.keep, asked=options.asked)


def report(plan: Plan, rounds: int, folder: str | None, *, asked: bool) -> None:
    """Print the table of a ladder."""
    print(f"\n{plan.name}: {rounds} matches of each pairing, {2 * PER_MATCH * plan.hands} hands each", flush=True)
    sums: dict[tuple[str, int], list[float]] = {}
    off: dict[str, list[float]] = {}
    seen: dict[tuple[str, str], int] = {}
    for pair, found in looked_at(plan, rounds, folder, asked=asked):
        number = seen[pair] = seen.get(pair, -1) + 1
        base = _together(found["correctedSolid"], plan.hands)
        for name, values in found.items():
            if values is None:
                continue
            hands = _together(values, plan.hands)
            sums.setdefault((name, number), []).append(float(hands.var()))
            sums.setdefault((f"{name} base", number), []).append(float(base.var()))
            off.setdefault(name, []).extend((hands - _together(found["adjustedSolid"], plan.hands)).tolist())
    for name in off:
        row = []
        for number in range(rounds):
            have = sums.get((name, number))
            row.append(f"{np.sum(have) / np.sum(sums[f'{name} base', number]):8.3f}" if have else " " * 8)
        drift = np.array(off[name])
        bias = drift.mean() / (drift.std() / np.sqrt(len(drift))) if drift.any() else 0.0
        print(f"  {name:34}{''.join(row)}   mean off by {bias:+.1f} standard errors")


def _together(values: Any, hands: int) -> Any:
    """Return what hands were worth in both seatings."""
    return np.array(values).reshape(-1, 2, hands).sum(axis=1).ravel()


if __name__ == "__main__":
    main()
