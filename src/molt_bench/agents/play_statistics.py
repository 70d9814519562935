"""Statistics of play in the terms of poker trackers, by the steps of a hand. `molt_bench.report.style` defines each."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from molt_bench.poker.actions import Action, LoggedAction
from molt_bench.poker.hand import Hand, HandRules

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
    """Return what one seat did in a hand, by the names of `molt_bench.report.style.Style`."""
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
