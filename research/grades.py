"""The grade of decisions beside winnings: `python research/grades.py > research/grades.txt`.

All players of a field meet, and every decision is graded. Printed are what each wins from the field and what its
decisions give away, the same against a callstation alone, where the grade misleads, and for each pair how many hands
order the two at 95% by winnings (luck-adjusted) and by grade. The unit is the seed pair.
"""

import argparse
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations
from math import inf
from statistics import fmean, stdev
from typing import Any, Final, NamedTuple

import numpy as np
from luck_players import Bettor, Manner

from molt_bench import make_agent
from molt_bench.luck.estimators import margins_of
from molt_bench.play.match import play_match
from molt_bench.plugins.reference.grade import grade_hand, reference
from molt_bench.seeds import seed_pool

BIG_BLIND, HANDS, Z = 100, 20, 1.96
#: Bets big with good hands and never bluffs, which callstations pay for.
HUNTER: Final = Manner(0.62, 0.72, 0.05, 0.0, 0.0, 0.02, (150,), 0.0, 0.0)
NAMES: Final = ("blueprint", "tag", "tight", "maniac", "random", "hunter", "callstation")


class Meeting(NamedTuple):
    """All seed pairs of two: the margins of the first in mbb a hand, and for each player losses and decisions."""

    pair: tuple[str, str]
    margins: Any
    losses: Any
    above: Any
    decisions: Any


def made(name: str) -> Any:
    """Return a new agent."""
    return Bettor(HUNTER, seed=name) if name == "hunter" else make_agent(name)


def meeting(seeds: int, pair: tuple[str, str]) -> Meeting:
    """Play two against each other, and grade them."""
    result = play_match((partial(made, pair[0]), partial(made, pair[1])), seeds=seed_pool("grades", seeds), hands=HANDS)
    losses, above, decisions = (np.zeros((2, seeds)) for _ in range(3))
    for at, seed in enumerate(result.seed_results):
        for game in seed.games:
            for parsed in game.replay():
                for grade in grade_hand(parsed.hand, reference(), forced=parsed.forced):
                    player = grade.seat if game.seating == "AB" else 1 - grade.seat
                    losses[player, at] += grade.loss_mbb(BIG_BLIND)
                    above[player, at] += 1000 * grade.above / BIG_BLIND
                    decisions[player, at] += 1
    margins = np.array(margins_of(result, big_blind=BIG_BLIND)["adjusted"])
    return Meeting(pair, margins, losses, above, decisions)


def results(meetings: Sequence[Meeting], opponents: Sequence[str]) -> Mapping[str, tuple[float, float, float, float]]:
    """Return what each wins from others in bb/100, and what its decisions give away: mbb each, bb/100, above."""
    found = {}
    for name in NAMES:
        parts = [
            ((1, -1)[player] * each.margins.mean() / 10, each, player)
            for each in meetings
            for player, own in enumerate(each.pair)
            if own == name and each.pair[1 - player] in opponents
        ]
        if not parts:
            continue
        lost, more, count = (
            sum(getattr(each, field)[player].sum() for _, each, player in parts)
            for field in ("losses", "above", "decisions")
        )
        hands = 2 * HANDS * sum(len(each.margins) for _, each, _ in parts)
        found[name] = fmean(won for won, _, _ in parts), lost / count, lost / hands / 10, more / count
    return found


def print_field(meetings: Sequence[Meeting], opponents: Sequence[str]) -> None:
    """Print what each wins beside what its decisions give away, and Spearman's correlation of the two."""
    found = results(meetings, opponents)
    print(f"{'':14}{'bb/100 won':>12}{'mbb lost a decision':>21}{'bb lost/100':>13}{'above':>8}")
    for name, (won, each, lost, above) in sorted(found.items(), key=lambda item: -item[1][0]):
        print(f"{name:14}{won:>+12,.0f}{each:>21,.0f}{lost:>13,.0f}{above:>8,.0f}")
    ranks = [np.argsort(np.argsort(column)) for column in np.array([(row[0], -row[1]) for row in found.values()]).T]
    print(f"rank correlation of winnings and grade: {np.corrcoef(*ranks)[0, 1]:+.2f}\n")


def needed(values: Any, mean: float) -> float:
    """Return how many hands make a mean significant at 95%, half of the time."""
    return 2 * HANDS * max(1.0, (Z * stdev(values) / mean) ** 2) if mean else inf


def print_pairs(meetings: Sequence[Meeting]) -> None:
    """Print how many hands order each pair by winnings and by grade."""
    print(f"{'':28}{'bb/100':>8}{'mbb lost a decision':>21}{'hands, won':>12}{'hands, lost':>12}")
    for each in meetings:
        lost = each.losses.sum(axis=1) / each.decisions.sum(axis=1)
        mean = each.decisions.mean(axis=1, keepdims=True)
        away = (each.losses - lost[:, None] * each.decisions) / mean
        won, gap = each.margins.mean(), lost[1] - lost[0]
        by_won, by_lost = needed(each.margins, won), needed(away[1] - away[0], gap)
        told = f"{' - '.join(each.pair):28}{won / 10:>+8,.0f}{f'{lost[0]:,.0f} - {lost[1]:,.0f}':>21}"
        print(f"{told}{by_won:>12,.0f}{by_lost:>12,.0f}{'' if won * gap > 0 else '  the other way round'}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=30, help="seed pairs of every pairing (%(default)s)")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with ProcessPoolExecutor(options.workers) as executor:
        meetings = list(executor.map(partial(meeting, options.seeds), combinations(NAMES, 2)))
    print(f"{options.seeds} seed pairs of {2 * HANDS} hands for each pairing")
    print_field(meetings, NAMES)
    print("against callstation alone")
    print_field(meetings, ["callstation"])
    print_pairs(meetings)


if __name__ == "__main__":
    main()
