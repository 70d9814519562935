"""The betting of a hand, without its cards: who acts, what is legal, what is in the pot.

Heads-up, the button posts the small blind and acts first before the flop and last after it. A raise is at least as
large as the last full raise; an all-in may be smaller. Chips the other seat cannot match are returned, so both seats
always have the same amount at stake, the pot is even and a split pot has no odd chip.
"""

from functools import lru_cache
from itertools import pairwise
from typing import Final

import msgspec
from msgspec.structs import replace

from molt_bench.errors import RulesError
from molt_bench.poker.actions import STREETS, Kind, LoggedAction, Street
from molt_bench.poker.hand_rules import HandRules

#: `Betting.actor` once the betting is over.
NOBODY: Final = -1
_NEXT_STREET: Final = dict(pairwise(STREETS))


class Start(msgspec.Struct, gc=False):
    """What a hand begins with: the rules, both seats' chips before antes and blinds, and the seat with the button.

    `text` is the same as `molt_bench.poker.notation` writes it, which fills it in.
    """

    rules: HandRules
    stacks: tuple[int, int]
    button: int
    text: str = ""


class Betting(msgspec.Struct, gc=False, eq=False):
    """A moment of the betting: before an action, or at the end.

    Attributes:
        start: Rules, stacks and button.
        street: The street of the current or last decision.
        actor: The seat to act, or `NOBODY` once the betting is over.
        log: The actions so far.
        limits: The most each seat could bet on this street in total: its bet and the chips behind.
        bets: Each seat's bet on this street.
        pot: Chips from antes and earlier streets, without `bets`.
        at_stake: Chips of each seat that both have matched, without `bets`: what a showdown wins or loses. A seat that
            cannot pay the ante plays for what it has, so the other's surplus is not at stake.
        to_call: Chips a call costs the actor, never more than its stack; 0 when checking is free.
        raise_step: The least a raise must add to the bet it faces, in chips, unless it is all-in.
        raising_open: Whether the raise cap, or `without_raises`, leaves room for another raise.
        settled: Whether the next check or call ends the street; the first action of a street does not.
        chips: Chips in the pot that the actor can win, including `bets`: without what the other seat has bet beyond the
            actor's stack, since that goes back to it.
        stacks: Chips behind.
        min_raise_to: The smallest bet the actor may raise to; 0 if no raise is legal.
        max_raise_to: The largest; 0 if no raise is legal.
        payoffs: Net chips of both seats after a fold; None before, and if there is a showdown.
    """

    start: Start
    street: Street
    actor: int
    log: tuple[LoggedAction, ...]
    limits: tuple[int, int]
    bets: tuple[int, int]
    pot: int
    at_stake: int
    to_call: int
    raise_step: int
    raising_open: bool
    settled: bool
    chips: int
    stacks: tuple[int, int]
    min_raise_to: int
    max_raise_to: int
    payoffs: tuple[int, int] | None = None

    @property
    def folded(self) -> int:
        """The seat that folded, or `NOBODY`."""
        return NOBODY if self.payoffs is None else self.log[-1].seat

    def chips_in(self, seat: int) -> int:
        """Return the chips `seat` has put in: what a fold costs it."""
        return self.start.stacks[seat] - self.limits[seat] + self.bets[seat]

    def after(self, kind: Kind, amount: int) -> "Betting | None":
        """Work out what follows an action of the actor; None if the action is not legal.

        Args:
            kind: The kind of action.
            amount: What a raise raises to; unused for other actions.
        """
        if self.actor < 0:
            return None
        if kind == "raiseTo":
            return self._raise(amount) if 0 < self.min_raise_to <= amount <= self.max_raise_to else None
        if kind == ("call" if self.to_call else "check"):
            return self._call(kind)
        return self._fold() if kind == "fold" else None

    def without_raises(self) -> "Betting":
        """Return the same with no more raises on this street: `play.game` closes a hand of too many actions so."""
        if not self.raising_open or self.actor < 0:
            return self
        return replace(self, raising_open=False, min_raise_to=0, max_raise_to=0)

    def _raise(self, amount: int) -> "Betting":
        actor = self.actor
        other = 1 - actor
        bet, limit, step = self.bets[other], self.limits[other], self.raise_step
        bets = (bet, amount) if actor else (amount, bet)
        to_call = (amount if amount < limit else limit) - bet
        # An all-in for less than a full raise leaves the step as it is.
        step = amount - bet if amount - bet > step else step
        cap = self.start.rules.raise_cap
        raising_open = cap is None or self._raises_on_street() + 1 < cap
        done = LoggedAction(self.street, actor, "raiseTo", amount)
        return self._on_street(done, other, bets, to_call, step, raising_open=raising_open)

    def _call(self, kind: Kind) -> "Betting":
        """Check or call."""
        actor, limits = self.actor, self.limits
        other = 1 - actor
        bet, other_bet = self.bets[actor] + self.to_call, self.bets[other]
        bets = (other_bet, bet) if actor else (bet, other_bet)
        done = LoggedAction(self.street, actor, kind, bet)
        if self.settled or bet == limits[actor] or other_bet == limits[other]:
            return self._next_street(bets, (*self.log, done))
        return self._on_street(done, other, bets, 0, self.raise_step, raising_open=self.raising_open)

    def _fold(self) -> "Betting":
        actor, bets = self.actor, self.bets
        done = LoggedAction(self.street, actor, "fold", bets[actor])
        moved = self._on_street(done, NOBODY, bets, self.to_call, self.raise_step, raising_open=False)
        lost = self.chips_in(actor)
        return replace(moved, payoffs=(lost, -lost) if actor else (-lost, lost))

    def _on_street(
        self, done: LoggedAction, actor: int, bets: tuple[int, int], to_call: int, step: int, *, raising_open: bool
    ) -> "Betting":
        """Return the moment after an action that leaves the street open, or a fold; `actor` is next."""
        first, second = bets
        limit, other_limit = limits = self.limits
        stacks = (limit - first, other_limit - second)
        pot = self.pot
        facing = second
        if actor:
            facing, limit, other_limit = first, other_limit, limit
        chips = pot + first + second
        if facing > limit and actor >= 0:
            chips -= facing - limit
        least = most = 0
        if raising_open and facing < limit and facing != other_limit:
            least, most = facing + step, limit
            least = least if least < most else most
        return Betting(
            self.start,
            self.street,
            actor,
            (*self.log, done),
            limits,
            bets,
            pot,
            self.at_stake,
            to_call,
            step,
            raising_open,
            True,  # noqa: FBT003
            chips,
            stacks,
            least,
            most,
        )

    def _next_street(self, bets: tuple[int, int], log: tuple[LoggedAction, ...]) -> "Betting":
        """Move the matched bets into the pot and return the rest, then open the next street or end."""
        start, street, step = self.start, self.street, self.raise_step
        first, second = bets
        matched = first if first < second else second
        limit, other_limit = self.limits
        limits = (limit - matched, other_limit - matched)
        pot = self.pot + 2 * matched
        actor, least, most = NOBODY, 0, 0
        if street != "river" and 0 not in limits:
            street, actor, step = _NEXT_STREET[street], 1 - start.button, start.rules.big_blind
            most = limits[actor]
            least = step if step < most else most
        return Betting(
            start,
            street,
            actor,
            log,
            limits,
            (0, 0),
            pot,
            self.at_stake + matched,
            0,
            step,
            True,  # noqa: FBT003
            False,  # noqa: FBT003
            pot,
            limits,
            least,
            most,
        )

    def _raises_on_street(self) -> int:
        return sum([done.kind == "raiseTo" and done.street == self.street for done in self.log])


@lru_cache(maxsize=64)
def opening(rules: HandRules, stacks: tuple[int, int], button: int) -> Betting:
    """Return the betting after antes and blinds."""
    first, second = stacks
    if first < 1 or second < 1:
        raise RulesError(f"stacks {stacks}: both seats need at least one chip to be dealt in")
    antes = min(rules.ante, first), min(rules.ante, second)
    limits = (first - antes[0], second - antes[1])
    limit, other_limit = limits[button], limits[1 - button]
    small, big = min(rules.small_blind, limit), min(rules.big_blind, other_limit)
    bets = (big, small) if button else (small, big)
    may_raise = big < limit and big != other_limit
    found = Betting(
        start=Start(rules, stacks, button),
        street="preflop",
        actor=button,
        log=(),
        limits=limits,
        bets=bets,
        pot=sum(antes),
        at_stake=min(antes),
        to_call=min(big, limit) - small,
        raise_step=rules.big_blind,
        raising_open=True,
        settled=False,
        chips=sum(antes) + small + min(big, limit),
        stacks=(limits[0] - bets[0], limits[1] - bets[1]),
        min_raise_to=min(big + rules.big_blind, limit) if may_raise else 0,
        max_raise_to=limit if may_raise else 0,
    )
    if small == limit or (small >= big and big == other_limit):
        # Antes and blinds alone put a seat all-in, and the other has nothing left to call.
        found = found._next_street(bets, ())
    return found
