"""Measure the grade of decisions beside winnings.

Everybody of a field plays everybody else, and every decision is graded. Three tables come of it:

- what each wins from the field and what its decisions give away, and how far the two orders agree;
- the same against a callstation alone, where the best reply is far from equilibrium, so that the grade misleads;
- for each pair, how many hands order the two at 95% by winnings (luck-adjusted), and how many by grade. The unit is the
  seed pair.
"""

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from bots import Bot

from molt_bench.luck.estimators import margins_of
from molt_bench.play.match import play_match
from molt_bench.plugins.reference.grade import grade_hand, reference
from molt_bench.records import GameRecord
from molt_bench.seeds import seed_pool

BIG_BLIND = 100
HANDS = 20
Z = 1.96
#: Bets big with good hands and never bluffs, which callstations pay for.
HUNTER = Bot("habits", habits=(0.05, 0.62, 0.0, 150))
FIELD = {
    **{name: Bot(name) for name in ("blueprint", "tag", "tight", "maniac", "random")},
    "tag 10%": Bot("tag", 0.1),
    "tag 25%": Bot("tag", 0.25),
    "hunter": HUNTER,
    "callstation": Bot("callstation"),
}


class Losses(NamedTuple):
    """What the decisions of one player gave away in a seed pair, in mbb; how many; and what is above the reference."""

    loss: float = 0.0
    decisions: int = 0
    above: float = 0.0

    def plus(self, loss: float, above: float) -> "Losses":
        """Return the same with one more decision."""
        return Losses(self.loss + loss, self.decisions + 1, self.above + above)


class Meeting(NamedTuple):
    """All seed pairs of two bots: what the first wins per hand in mbb, and the losses of both."""

    pair: tuple[str, str]
    margins: tuple[float, ...]
    losses: tuple[tuple[Losses, ...], tuple[Losses, ...]]


def graded(games: Sequence[GameRecord]) -> tuple[Losses, Losses]:
    """Return what both players gave away in the games of a seed pair."""
    found = [Losses(), Losses()]
    for game in games:
        for parsed in game.replay():
            for grade in grade_hand(parsed.hand, reference(), forced=parsed.forced):
                player = grade.seat if game.seating == "AB" else 1 - grade.seat
                found[player] = found[player].plus(grade.loss_mbb(BIG_BLIND), 1000 * grade.above / BIG_BLIND)
    return found[0], found[1]


def meeting(seeds: int, pair: tuple[str, str]) -> Meeting:
    """Play two bots against each other, and grade them."""
    first, second = (partial(FIELD[name].make, name) for name in pair)
    result = play_match((first, second), seeds=seed_pool("grades", seeds), hands=HANDS)
    margins = margins_of(result, big_blind=BIG_BLIND)["adjusted"]
    losses = [graded(seed.games) for seed in result.seed_results]
    return Meeting(pair, margins, (tuple(one for one, _ in losses), tuple(other for _, other in losses)))


def mean_loss(parts: Sequence[Losses]) -> float:
    return sum(part.loss for part in parts) / max(1, sum(part.decisions for part in parts))


def needed(mean: float, spread: float) -> float:
    """Return how many seed pairs make a mean significant at 95%, half of the time."""
    return max(1.0, (Z * spread / mean) ** 2) if mean else float("inf")


def by_grade(found: Meeting) -> tuple[float, float]:
    """Return the difference of the mean losses, second minus first, and its standard deviation for one seed pair."""
    residuals = []
    for parts in found.losses:
        mean, decisions = mean_loss(parts), fmean(part.decisions for part in parts)
        residuals.append([(part.loss - mean * part.decisions) / max(decisions, 1e-9) for part in parts])
    first, second = residuals
    return mean_loss(found.losses[1]) - mean_loss(found.losses[0]), stdev(
        [two - one for one, two in zip(first, second, strict=True)]
    )


def results(meetings: Sequence[Meeting], name: str, opponents: Sequence[str]) -> tuple[float, list[Losses]]:
    """Return what a bot wins from others, in bb/100, and all its losses against them."""
    won, lost = [], []
    for found in meetings:
        for player, own in enumerate(found.pair):
            if own == name and found.pair[1 - player] in opponents:
                won.append((1, -1)[player] * fmean(found.margins) / 10)
                lost += found.losses[player]
    return fmean(won), lost


def ranks(values: Sequence[float]) -> list[float]:
    return [sum(other < value for other in values) + sum(other == value for other in values) / 2 for value in values]


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's rank correlation."""
    first, second = ranks(one), ranks(other)
    middle = fmean(first)
    top = sum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    return top / sqrt(sum((a - middle) ** 2 for a in first) * sum((b - middle) ** 2 for b in second))


def field_lines(meetings: Sequence[Meeting], opponents: Sequence[str]) -> Iterator[str]:
    """Yield what everybody wins from some opponents beside what its decisions give away."""
    names = [name for name in FIELD if any(other != name for other in opponents)]
    names = [name for name in names if name not in opponents or len(opponents) > 1]
    found = {name: results(meetings, name, opponents) for name in names}
    yield f"{'':12}{'bb/100 won':>12}{'mbb lost a decision':>21}{'bb lost/100':>13}{'above':>10}{'decisions':>11}"
    for name in sorted(names, key=lambda each: -found[each][0]):
        won, parts = found[name]
        count, hands = sum(part.decisions for part in parts), 2 * HANDS * len(parts)
        total, above = sum(part.loss for part in parts), sum(part.above for part in parts)
        row = f"{name:12}{won:>+12,.0f}{total / count:>21,.0f}{total / hands / 10:>13,.0f}{above / count:>10.0f}"
        yield f"{row}{count:>11,}"
    by_loss = correlation([found[name][0] for name in names], [-mean_loss(found[name][1]) for name in names])
    yield f"rank correlation of winnings and grade: {by_loss:+.2f}"


def pair_lines(meetings: Sequence[Meeting]) -> Iterator[str]:
    """Yield how many hands order each pair by winnings and by grade."""
    head = f"{'':26}{'bb/100':>8}{'mbb lost a decision':>21}"
    yield f"{head}{'hands, won':>12}{'hands, lost':>12}{'decisions':>12}"
    for found in meetings:
        won, (gap, spread) = fmean(found.margins), by_grade(found)
        hands = needed(won, stdev(found.margins)) * 2 * HANDS
        pairs = needed(gap, spread)
        decisions = pairs * fmean(part.decisions for parts in found.losses for part in parts) * 2
        first, second = (mean_loss(parts) for parts in found.losses)
        row = f"{' - '.join(found.pair):26}{won / 10:>+8,.0f}{f'{first:,.0f} - {second:,.0f}':>21}{shown(hands):>12}"
        grade = f"{shown(pairs * 2 * HANDS):>12}{shown(decisions):>12}"
        yield f"{row}{grade}{'' if won * gap > 0 else '  the other way round'}"


def shown(count: float) -> str:
    return f"{count:,.0f}" if count < 1e6 else "over 1m"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=30, help=f"seed pairs of {2 * HANDS} hands of every pairing")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with ProcessPoolExecutor(options.workers) as executor:
        meetings = list(executor.map(partial(meeting, options.seeds), combinations(FIELD, 2)))
    print(f"Everybody against everybody, {options.seeds} seed pairs of {2 * HANDS} hands for each pairing")
    print("\n".join(field_lines(meetings, list(FIELD))))
    print("\nAgainst callstation alone")
    print("\n".join(field_lines(meetings, ["callstation"])))
    print("\nHow many hands order two at 95%: by winnings, and by grade")
    print("\n".join(pair_lines(meetings)))


if __name__ == "__main__":
    main()
