"""Statistics of play, as trackers count them in one hand: VPIP, PFR, 3-bets, continuation bets, aggression, showdowns.

The definitions are those of the usual trackers, heads-up:

- Only hands that count are included, so no warm-up hands. A forced fold is a fold, since that is what the table saw.
- VPIP and PFR are shares of the hands in which the player had a preflop decision. The big blind has none if the button
  folds, and there is none if the blinds put a seat all-in. Posting a blind is not voluntary. The button's limp is
  VPIP, the big blind's check behind it is not; a raise is both.
- A 3-bet is a re-raise of the first preflop raise; the big blind itself is the first bet. An opportunity is a decision
  facing that raise in which raising is legal, so not facing an all-in.
- Aggression is counted after the flop. Factor: bets and raises per call. Frequency: the share of bets and raises among
  bets, raises, calls and folds. Checks are left out of both.
- A continuation bet is the first bet on the flop, made by the last preflop raiser. There is an opportunity when that
  player may bet and there was no bet yet. Folding to it is judged by the first response.
- WTSD is the share of flops seen that went to showdown. A board that is run out after an all-in counts as seen.
- W$SD is the share of showdowns in which the player won chips from the pot; a split pot counts.
- Winnings are net chips in hands with and without a showdown. Both are divided by all hands, so that they add up to the
  win rate. They are whole numbers, as every count is: sums then depend neither on their order nor on the Python.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from molt_bench.poker.actions import Action, LoggedAction
from molt_bench.poker.hand import NOBODY, Hand, HandRules

#: Cards to play a hand again with; which ones does not matter to its betting.
_ANY_DEAL: Final = (((0, 1), (2, 3)), (4, 5, 6, 7, 8))


class Ratio(msgspec.Struct, frozen=True, gc=False):
    """How often something was done, of how many opportunities; or chips won, of how many hands."""

    count: int = 0
    of: int = 0

    def __add__(self, more: "Ratio") -> "Ratio":
        return Ratio(self.count + more.count, self.of + more.of)

    @property
    def value(self) -> float | None:
        """The share, or None without an opportunity."""
        return self.count / self.of if self.of else None


class Style(msgspec.Struct, frozen=True, rename="camel"):
    """How one agent plays; the docstring of this file defines each statistic."""

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


#: The names of all statistics.
RATIOS = tuple(name for name in Style.__struct_fields__ if name != "hands")


class TableStep(NamedTuple):
    """One action, and what the table showed before it."""

    action: LoggedAction
    to_call: int  # chips a call cost
    raises: int  # earlier bets and raises on the street, without the blinds
    may_raise: bool


def table_steps(
    rules: HandRules, starting_stacks: tuple[int, int], button: int, log: Sequence[LoggedAction]
) -> list[TableStep]:
    """Return the actions of a hand, each with what the table showed before it."""
    hand = Hand(rules, _ANY_DEAL, starting_stacks, button)
    found, street, raises = [], "preflop", 0
    for action in log:
        if action.street != street:
            street, raises = action.street, 0
        found.append(TableStep(action, hand.to_call, raises, hand.raise_range()[1] > 0))
        raises += action.kind == "raiseTo"
        hand.apply(Action(action.kind, action.amount if action.kind == "raiseTo" else 0))
    return found


def ratios_of(steps: Sequence[TableStep], seat: int) -> dict[str, Ratio]:
    """Return what one seat did in a hand, by the names in `Style`."""
    own = [step for step in steps if step.action.seat == seat]
    before = [step for step in own if step.action.street == "preflop"]
    raised = any(step.action.kind == "raiseTo" for step in before)
    joined = raised or any(step.action.kind == "call" for step in before)
    raised_again = [step.action.kind == "raiseTo" for step in before if step.raises == 1 and step.may_raise]
    later = [step.action.kind for step in own if step.action.street != "preflop"]
    raises, calls, folds = (later.count(kind) for kind in ("raiseTo", "call", "fold"))
    asked = 1 if before else 0
    return {
        "vpip": Ratio(int(joined), asked),
        "pfr": Ratio(int(raised), asked),
        "three_bet": Ratio(sum(raised_again), len(raised_again)),
        "aggression_factor": Ratio(raises, calls),
        "aggression_frequency": Ratio(raises, raises + calls + folds),
        "c_bet": c_bet(steps, seat),
    }


def c_bet(steps: Sequence[TableStep], seat: int) -> Ratio:
    """Return whether a seat could make a continuation bet, and whether it did."""
    raisers = [step.action.seat for step in steps if step.action.street == "preflop" and step.action.kind == "raiseTo"]
    first = next((step for step in steps if step.action.street == "flop" and step.action.seat == seat), None)
    if first is None or not raisers or raisers[-1] != seat or first.raises or not first.may_raise:
        return Ratio()
    return Ratio(int(first.action.kind == "raiseTo"), 1)


def hand_style(hand: Hand, seat: int) -> Style:
    """Return the style of one seat in one hand."""
    steps = table_steps(hand.rules, hand.starting_stacks, hand.button, hand.log)
    shown_down = hand.folded == NOBODY
    won = Ratio(hand.payoffs[seat], 1)
    return Style(
        hands=1,
        **ratios_of(steps, seat),
        fold_to_c_bet=_fold_to_c_bet(steps, seat),
        wtsd=Ratio(int(shown_down), 1) if hand.board else Ratio(),
        wsd=Ratio(int(hand.payoffs[seat] >= 0), 1) if shown_down else Ratio(),
        showdown_winnings=won if shown_down else Ratio(0, 1),
        other_winnings=Ratio(0, 1) if shown_down else won,
    )


def _fold_to_c_bet(steps: Sequence[TableStep], seat: int) -> Ratio:
    if not c_bet(steps, 1 - seat).count:
        return Ratio()
    done = [step for step in steps if step.action.street == "flop" and step.action.seat == seat]
    answer = next(step for step in done if step.raises == 1)
    return Ratio(int(answer.action.kind == "fold"), 1)
