"""The tally of an evening: what a person won, what of it was luck, and how much so many hands say."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import inf, isfinite, sqrt
from statistics import fmean, stdev
from typing import Final

import msgspec
from rich.table import Table

from molt_bench.luck.estimators import hand_estimates
from molt_bench.poker.actions import Action
from molt_bench.poker.cards import Shoe
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import HandResult
from molt_bench.rating.student import student_quantile
from molt_bench.seeds import Seed

#: Below so many an interval would rest on nothing.
_FEWEST: Final = 10
#: Below so many an interval is shown with a word of warning: one big pot would move it.
_FEW: Final = 1000
_CONFIDENCE: Final = 0.95


class Tally(msgspec.Struct, frozen=True):
    """What one player won in some hands.

    Attributes:
        hands: How many there were.
        big_blind: Chips.
        raw: Chips won.
        all_in: Chips won, with the run-outs after the last decision replaced by their means.
        adjusted: The same without the luck of the cards.
        half_width: Of the 95% interval of `adjusted`, in big blinds a hundred hands; infinite where there is none.
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
        """Return chips won in all hands as big blinds a hundred hands."""
        return 100 * chips / self.big_blind / self.hands if self.hands else 0.0


def tally(results: Iterable[HandResult], seed: Seed, rules: HandRules) -> Tally:
    """Add up the hands that one player has finished; hidden cards are looked up from the seed, and not told."""
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
    """Return the three ways of counting side by side."""
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column()
    for _ in range(2):
        table.add_column(justify="right")
    table.add_row("", "chips", "bb/100", style="dim")
    for name, chips in (("won", found.raw), ("all-in EV", found.all_in), ("luck-adjusted", found.adjusted)):
        table.add_row(name, f"{chips:+,.0f}", f"{found.per_100(chips):+,.0f}")
    return table


def sample_says(found: Tally) -> Iterator[str]:
    """Say how much so many hands say."""
    if not found.hands:
        yield "No hand was finished."
        return
    hands = f"{found.hands:,} hand{'s say' if found.hands > 1 else ' says'}"
    if not isfinite(found.half_width):
        yield f"{hands} next to nothing about who is better."
        return
    mean = found.per_100(found.adjusted)
    low, high = mean - found.half_width, mean + found.half_width
    about = f"with luck taken out, 95% sure: between {low:+,.0f} and {high:+,.0f} bb/100"
    if low <= 0 <= high:
        yield f"{hands} {'little' if found.hands < _FEW else 'nothing sure'} about who is better; {about}."
    else:
        who = "you are ahead" if low > 0 else "you are behind"
        yield f"{who.capitalize()}; {about}{', if no big pot is still to come' if found.hands < _FEW else ''}."
    if found.paired:
        yield "Every deck was played from both seats; what you remembered of them is not counted out."
