"""Style: how an agent plays, in the figures that poker trackers show.

The definitions are those of the usual trackers, heads-up. What one has to know to read them:

- A hand is one that counts; warm-up is left out. A forced fold is a fold, since that is what the table saw.
- VPIP and PFR are shares of the hands in which the player had a decision before the flop: not of those in which the
  button folded at once, so that the big blind was never asked, nor of those in which blinds alone put a seat all-in.
  Posting is not voluntary. The button's limp is VPIP, the big blind's check behind it is not; a raise is both.
- A 3-bet is the re-raise of the first raise before the flop; the big blind itself is the first bet. An opportunity is
  a decision against that raise in which raising is legal, so not against an all-in.
- Aggression is counted after the flop. Factor: bets and raises for every call. Frequency: the share of bets and raises
  among bets, raises, calls and folds; checks are left out of both.
- A continuation bet is the first bet on the flop by whoever raised last before it. There is an opportunity when that
  player may bet and nobody has; the other's bet before it takes it away. Folding to it is judged by the first answer.
- WTSD is the share of flops seen that went to a showdown. A board that is run out after an all-in counts as seen.
- W$SD is the share of showdowns in which the player took chips from the pot; a split pot counts.
- Winnings are net big blinds, of hands with and of hands without a showdown. Both are divided by all hands, so that
  `per_100` of both adds up to the win rate in bb/100.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from molt_bench.poker.actions import Action
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.records import GameRecord


class Ratio(msgspec.Struct, frozen=True, gc=False):
    """A figure with what it is made of.

    Attributes:
        count: How often it was done, or big blinds won.
        of: How often it could have been done, or hands.
    """

    count: float = 0
    of: int = 0

    @property
    def value(self) -> float | None:
        """The figure, or None where there was no chance to do it."""
        return self.count / self.of if self.of else None

    @property
    def per_100(self) -> float | None:
        """The figure for every 100: a percentage, or big blinds in 100 hands."""
        return 100 * self.count / self.of if self.of else None


class Style(msgspec.Struct, frozen=True):
    """How one agent plays. The module says what each figure means.

    Attributes:
        hands: Hands that count.
        vpip: Put chips in voluntarily before the flop.
        pfr: Raised before the flop.
        three_bet: Re-raised the first raise.
        aggression_factor: Bets and raises for every call, after the flop.
        aggression_frequency: Bets and raises among all actions but checks, after the flop.
        c_bet: Continued with a bet on the flop.
        fold_to_c_bet: Folded to such a bet.
        wtsd: Went to showdown.
        wsd: Won chips at showdown.
        showdown_winnings: Big blinds won in hands with a showdown, of all hands.
        other_winnings: Big blinds won in hands without one, of all hands.
    """

    hands: int = 0
    vpip: Ratio = Ratio()
    pfr: Ratio = Ratio()
    three_bet: Ratio = Ratio()
    aggression_factor: Ratio = Ratio()
    aggression_frequency: Ratio = Ratio()
    c_bet: Ratio = Ratio()
    fold_to_c_bet: Ratio = Ratio()
    wtsd: Ratio = Ratio()
    wsd: Ratio = Ratio()
    showdown_winnings: Ratio = Ratio()
    other_winnings: Ratio = Ratio()


class Decision(NamedTuple):
    """One decision, with what has to be known of the table to judge it.

    Attributes:
        seat: Whose.
        action: What was done.
        preflop: Whether it was before the flop.
        flop: Whether it was on the flop.
        raises: Bets and raises on the street before it; before the flop without the blinds.
        may_raise: Whether a bet or raise was legal.
    """

    seat: int
    action: Action
    preflop: bool
    flop: bool
    raises: int
    may_raise: bool


def styles(games: Iterable[tuple[tuple[str, str], GameRecord]]) -> dict[str, Style]:
    """Return everybody's style.

    Args:
        games: Ids of players A and B, and the game they played, with its single hands.
    """
    found: dict[str, Style] = {}
    for players, record in games:
        for name, style in zip(players, game_styles(record), strict=True):
            found[name] = combined([found.get(name, Style()), style])
    return found


def game_styles(record: GameRecord) -> tuple[Style, Style]:
    """Return the styles of players A and B in one game."""
    hands = [parsed.hand for parsed in record.replay() if parsed.number > record.spec.warmup_hands]
    first, second = (combined([hand_style(hand, seat) for hand in hands]) for seat in (0, 1))
    return (first, second) if record.seating == "AB" else (second, first)


def combined(parts: Iterable[Style]) -> Style:
    """Add styles up: numerators and denominators, each for itself."""
    every = list(parts)
    columns = {name: [getattr(part, name) for part in every] for name in RATIOS}
    ratios = {
        name: Ratio(sum([r.count for r in column]), sum([r.of for r in column])) for name, column in columns.items()
    }
    return Style(sum([part.hands for part in every]), **ratios)


def hand_style(hand: Hand, seat: int) -> Style:
    """Return what one hand says about one seat."""
    decisions = _decisions(hand)
    own = [done for done in decisions if done.seat == seat]
    before = [done for done in own if done.preflop]
    raised = any(done.action.kind == "raiseTo" for done in before)
    joined = raised or any(done.action.kind == "call" for done in before)
    shown_down = hand.folded == NOBODY
    asked = 1 if before else 0
    won = Ratio(hand.payoffs[seat] / hand.rules.big_blind, 1)
    return Style(
        hands=1,
        vpip=Ratio(int(joined), asked),
        pfr=Ratio(int(raised), asked),
        three_bet=_three_bet(before),
        aggression_factor=_aggression(own, frequency=False),
        aggression_frequency=_aggression(own, frequency=True),
        c_bet=_c_bet(decisions, seat),
        fold_to_c_bet=_fold_to_c_bet(decisions, seat),
        wtsd=Ratio(int(shown_down), 1) if hand.board else Ratio(),
        wsd=Ratio(int(hand.payoffs[seat] >= 0), 1) if shown_down else Ratio(),
        showdown_winnings=won if shown_down else Ratio(0, 1),
        other_winnings=Ratio(0, 1) if shown_down else won,
    )


def _decisions(hand: Hand) -> list[Decision]:
    found: list[Decision] = []
    street, raises = "", 0
    for table, action in hand.steps():
        if table.street != street:
            street, raises = table.street, 0
        may_raise = table.raise_range()[1] > 0
        found.append(Decision(table.actor, action, street == "preflop", street == "flop", raises, may_raise))
        raises += action.kind == "raiseTo"
    return found


def _three_bet(before: list[Decision]) -> Ratio:
    chances = [done for done in before if done.raises == 1 and done.may_raise]
    return Ratio(sum(done.action.kind == "raiseTo" for done in chances), len(chances))


def _aggression(own: list[Decision], *, frequency: bool) -> Ratio:
    kinds = [done.action.kind for done in own if not done.preflop]
    raises, calls, folds = (kinds.count(kind) for kind in ("raiseTo", "call", "fold"))
    return Ratio(raises, raises + calls + folds if frequency else calls)


def _c_bet(decisions: list[Decision], seat: int) -> Ratio:
    """Return whether the seat could continue with a bet on the flop, and whether it did."""
    raisers = [done.seat for done in decisions if done.preflop and done.action.kind == "raiseTo"]
    first = next((done for done in decisions if done.flop and done.seat == seat), None)
    if first is None or not raisers or raisers[-1] != seat or first.raises or not first.may_raise:
        return Ratio()
    return Ratio(int(first.action.kind == "raiseTo"), 1)


def _fold_to_c_bet(decisions: list[Decision], seat: int) -> Ratio:
    if not _c_bet(decisions, 1 - seat).count:
        return Ratio()
    answer = next(done for done in decisions if done.flop and done.seat == seat and done.raises == 1)
    return Ratio(int(answer.action.kind == "fold"), 1)


#: The figures that are ratios.
RATIOS = tuple(name for name in Style.__struct_fields__ if name != "hands")
