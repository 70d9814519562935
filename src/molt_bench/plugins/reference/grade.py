"""Grades: what each decision gave away, by the values of the reference bot.

The value of an action is what a seat that holds these cards wins in the whole hand on average, if both play like the
reference from then on. It depends only on what the seat knew: its own cards, the board and the betting. The loss of a
decision is the value of the best action minus that of what was done. A fold costs exactly the chips put in.

The best action is the best of those the reference offers and of what was done, so a loss is never below 0. Giving up
for free is never the best action.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from math import fsum
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from molt_bench.plugins.reference.state import PublicState, public_state
from molt_bench.poker.actions import CALL, CHECK, Action, LoggedAction, Street
from molt_bench.poker.cards import Hole
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.poker.observation import Observation
from molt_bench.poker.views import observe

#: What was wrong: the kind of what was done against the kind of the best action.
Mistake: TypeAlias = Literal["folds", "calls", "raises", "passive", "size"]
MISTAKES: Final[dict[Mistake, str]] = {
    "folds": "folds too much",
    "calls": "calls too much",
    "raises": "raises too much",
    "passive": "raises too little",
    "size": "wrong size",
}


class Reference(Protocol):
    """A bot that says what it would do and what each hand is worth; see `molt_bench.plugins.reference`."""

    def covers(self, observation: Observation) -> bool:
        """Return whether it has values for pots and stacks like these."""

    def raises(self, observation: Observation) -> bool:
        """Return whether it knows raises here; if not, a raise is worth what a call is."""

    def odds(self, observation: Observation) -> Sequence[tuple[Action, float]]:
        """Return every action that it considers with its probability, 0 included."""

    def hand_value(self, state: PublicState, seat: int, hole: Hole) -> float:
        """Return what `seat` wins net in the whole hand with this hole, in chips."""


class Option(msgspec.Struct, frozen=True, gc=False):
    """An action that the reference considers: how often it takes it with these cards, and its value in chips."""

    action: Action
    chance: float
    value: float


class Grade(msgspec.Struct, frozen=True, gc=False):
    """One decision, graded.

    Attributes:
        at: Which action of the hand it was, from 0.
        seat: Who decided.
        street: The street.
        done: What was done.
        value: What that is worth, in chips.
        best: The best action; what was done, if nothing is better.
        loss: Chips given away, 0 or more.
        pot: All chips in the pot before the decision.
        options: What the reference considers.
        opens: Whether no seat had bet on the street, so that a raise is a bet.
    """

    at: int
    seat: int
    street: Street
    done: Action
    value: float
    best: Action
    loss: float
    pot: int
    options: tuple[Option, ...]
    opens: bool

    @property
    def mistake(self) -> Mistake | None:
        """The kind of mistake; None if nothing is better."""
        if self.loss <= 0:
            return None
        if self.done.kind == "fold":
            return "folds"
        if self.done.kind == "raiseTo":
            return "size" if self.best.kind == "raiseTo" else "raises"
        return "passive" if self.best.kind == "raiseTo" else "calls"

    @property
    def above(self) -> float:
        """Chips given away beyond what the reference itself gives away here on average, by the same values.

        The best of several inexact values is too high, so even the reference loses by them. That part is no mistake.
        """
        best = self.value + self.loss
        return self.loss - fsum(option.chance * (best - option.value) for option in self.options)

    def loss_mbb(self, big_blind: int) -> float:
        """Return the loss in thousandths of a big blind."""
        return 1000 * self.loss / big_blind


@cache
def reference() -> Reference:
    """Return the reference bot."""
    # Its table is not always needed.
    from molt_bench.plugins.reference.agent import BlueprintAgent  # noqa: PLC0415

    return BlueprintAgent()


def options_of(seen: Observation, by: Reference) -> tuple[Option, ...]:
    """Return the actions that the reference considers at a decision; a fold only if it saves chips."""
    return tuple(
        Option(action, chance, value_of(seen, action, by))
        for action, chance in by.odds(seen)
        if action.kind != "fold" or seen.to_call
    )


def value_of(seen: Observation, action: Action, by: Reference) -> float:
    """Return what an action is worth to the seat to act, in chips: never more than can be won or lost."""
    if action.kind == "fold":
        return float(seen.stack - seen.starting_stacks[seen.seat])
    if action.kind == "raiseTo" and not by.raises(seen):
        # Only unlikely readings of the betting know it, and their pots are much smaller.
        action = CALL if seen.to_call else CHECK
    amount = action.amount if action.kind == "raiseTo" else seen.bets[seen.seat] + seen.to_call
    done = LoggedAction(seen.street, seen.seat, action.kind, amount)
    after = msgspec.structs.replace(public_state(seen), log=(*seen.log, done))
    most = min(seen.starting_stacks)
    return min(max(by.hand_value(after, seen.seat, seen.cards), -most), most)


def grade_decision(seen: Observation, done: Action, by: Reference) -> Grade:
    """Grade what was done at one decision."""
    options = options_of(seen, by)
    known = [option.value for option in options if _same(option.action, done)]
    value = known[0] if known else value_of(seen, done, by)
    best = max(options, key=lambda option: option.value)
    is_best = value >= best.value
    return Grade(
        at=len(seen.log),
        seat=seen.seat,
        street=seen.street,
        done=done,
        value=value,
        best=done if is_best else best.action,
        loss=0.0 if is_best else best.value - value,
        pot=seen.pot,
        options=options,
        opens=not any(seen.bets),
    )


def _same(one: Action, other: Action) -> bool:
    return one.kind == other.kind and (one.kind != "raiseTo" or one.amount == other.amount)


def grade_hand(hand: Hand, by: Reference, *, forced: int = NOBODY, max_actions: int | None = None) -> Iterator[Grade]:
    """Grade every decision of a finished hand.

    A last fold of the seat `forced` is left out, since the agent did not choose it, and so are decisions that the
    reference has no values for. No one may raise after `max_actions` actions.
    """
    last = len(hand.log) - 1
    for before, action in hand.steps(max_actions=max_actions):
        if forced != NOBODY and len(before.log) == last:
            return
        seen = observe(before, 1)
        if by.covers(seen):
            yield grade_decision(seen, action, by)


def action_text(action: Action, *, opens: bool) -> str:
    """Describe an action; `opens` says whether no seat has bet on the street.

    >>> action_text(Action("raiseTo", 1200), opens=False), action_text(Action("raiseTo", 1200), opens=True)
    ('raise to 1,200', 'bet 1,200')
    """
    return f"{'bet' if opens else 'raise to'} {action.amount:,}" if action.kind == "raiseTo" else action.kind
