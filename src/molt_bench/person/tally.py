"""The tally of a session: what the person won, how much of it was luck, and how much the sample can tell."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import inf, isfinite, sqrt
from statistics import fmean, stdev
from typing import Final

import msgspec
from rich.table import Table

from molt_bench.luck.estimators import hand_estimates
from molt_bench.poker.actions import Action
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import HandResult
from molt_bench.rating.student import student_quantile
from molt_bench.seeds import Seed

#: With fewer hands there is no interval.
_FEWEST: Final = 10
#: With fewer hands the interval comes with a caveat: one big pot could move it.
_FEW: Final = 1000
_CONFIDENCE: Final = 0.95


class Tally(msgspec.Struct, frozen=True):
    """What one player won, in chips.

    Attributes:
        all_in: Chips won, with every all-in run-out replaced by its expected value.
        adjusted: Chips won, adjusted for the luck of the cards.
        half_width: Half width of the 95% interval of `adjusted`, in bb/100; infinite if there is none.
        paired: Whether every deck was played from both seats.
    """

    hands: int
    big_blind: int
    raw: int
    all_in: float
    adjusted: float
    half_width: float = inf
    paired: bool = False

    def per_100(self, chips: float) -> float:
        """Return a total in chips as bb/100."""
        return 100 * chips / self.big_blind / self.hands if self.hands else 0.0


def tally(results: Iterable[HandResult], seed: Seed, rules: HandRules) -> Tally:
    """Add up a player's finished hands; hidden cards come from the seed and are not shown."""
    shoe = Shoe(seed)
    decks: dict[int, list[float]] = defaultdict(list)
    raw, all_in = 0, []
    for result in results:
        won = hand_estimates(_played(result, shoe, rules))
        sign = -1 if result.seat else 1
        raw += sign * won.raw
        all_in.append(sign * won.all_in)
        decks[result.hand_number].append(sign * won.adjusted)
    paired = bool(decks) and all(len(both) == 2 for both in decks.values())
    units = [fmean(both) for both in decks.values()] if paired else [each for both in decks.values() for each in both]
    half = inf
    if len(units) >= _FEWEST:
        error = stdev(units) / sqrt(len(units))
        half = 100 / rules.big_blind * error * student_quantile((1 + _CONFIDENCE) / 2, len(units) - 1)
    adjusted = sum(each for both in decks.values() for each in both)
    return Tally(len(all_in), rules.big_blind, raw, sum(all_in), adjusted, half, paired)


def _played(result: HandResult, shoe: Shoe, rules: HandRules) -> Hand:
    hand = Hand(rules, shoe.deal(result.hand_number), result.starting_stacks, button=result.button)
    for done in result.log:
        hand.apply(Action(done.kind, done.amount))
    return hand


def tally_table(found: Tally) -> Table:
    """Return raw, all-in EV and luck-adjusted winnings as a table."""
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column()
    for _ in range(2):
        table.add_column(justify="right")
    table.add_row("", "chips", "bb/100", style="dim")
    for name, chips in (("won", found.raw), ("all-in EV", found.all_in), ("luck-adjusted", found.adjusted)):
        table.add_row(name, f"{chips:+,.0f}", f"{found.per_100(chips):+,.0f}")
    return table


def sample_says(found: Tally) -> Iterator[str]:
    """Yield sentences on how much the result can tell."""
    if not found.hands:
        yield "No hand was finished."
        return
    count = f"{found.hands:,} hand{'s' if found.hands > 1 else ''}"
    if not isfinite(found.half_width):
        yield f"{count} say{'' if found.hands > 1 else 's'} next to nothing about who is better."
        return
    mean = found.per_100(found.adjusted)
    low, high = mean - found.half_width, mean + found.half_width
    interval = f"luck-adjusted, 95% confident: {low:+,.0f} to {high:+,.0f} bb/100"
    if low <= 0 <= high:
        yield f"{count} {'say little about' if found.hands < _FEW else 'do not settle'} who is better; {interval}."
    else:
        caveat = ", though one big pot could change that" if found.hands < _FEW else ""
        yield f"You are {'ahead' if low > 0 else 'behind'}; {interval}{caveat}."
    if found.paired:
        yield "Every deck was played from both seats; this does not correct for what you remembered of the cards."
