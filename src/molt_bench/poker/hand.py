"""One heads-up no-limit hold'em hand: start it, ask what is legal, apply actions, read the payoffs.

Heads-up the button posts the small blind, acts first before the flop and last after it. A raise is at least as
large as the last full one; an all-in may be smaller. Chips the other seat cannot match come back, so both seats
always have the same amount at stake, the pot is even and a split has no odd chip.
"""

from typing import Final

import msgspec

from molt_bench.errors import ConfigError, IllegalAction, RulesError, shown
from molt_bench.poker.actions import KINDS, Action, LegalActions, LoggedAction, Street
from molt_bench.poker.cards import Deal
from molt_bench.poker.evaluator import showdown

#: `Hand.actor` once there is nothing left to decide.
NOBODY: Final = -1
#: The street that follows, and how many board cards are open then.
_NEXT_STREET: Final[dict[Street, tuple[Street, int]]] = {
    "preflop": ("flop", 3),
    "flop": ("turn", 4),
    "turn": ("river", 5),
}


class HandRules(msgspec.Struct, frozen=True, gc=False):
    """What the hands of a game have in common.

    Attributes:
        small_blind: Chips the button posts, from 0 to the big blind.
        big_blind: Chips the other seat posts, at least 1; also the smallest bet.
        ante: Chips each seat posts before the blinds.
        raise_cap: Bets and raises allowed on one street; None for no cap. The big blind is not counted.
    """

    small_blind: int
    big_blind: int
    ante: int = 0
    raise_cap: int | None = None

    def __post_init__(self) -> None:
        for field, lowest in (("big_blind", 1), ("small_blind", 0), ("ante", 0)):
            value = getattr(self, field)
            if type(value) is not int or value < lowest:
                raise ConfigError(field, value, f"a whole number of chips, at least {lowest}")
        if self.small_blind > self.big_blind:
            raise ConfigError("small_blind", self.small_blind, f"at most the big blind ({self.big_blind})")
        cap = self.raise_cap
        if cap is not None and (type(cap) is not int or cap < 1):
            raise ConfigError("raise_cap", cap, "None or a whole number, at least 1")


class Hand:
    """The state of one hand; every attribute is read-only for callers.

    Attributes:
        rules: Blinds and limits.
        holes: The cards of seat 0 and of seat 1.
        runout: The board cards, those not yet open included.
        button: The seat with the button, 0 or 1.
        starting_stacks: Both seats' chips before antes and blinds.
        limits: What both seats could bet on this street in all: `bets` and the chips behind.
        bets: Both seats' chips in front of them on this street.
        pot: Chips in the middle from antes and finished streets, without `bets`.
        board: The board cards that lie open.
        street: The street of the last decision.
        actor: The seat to act, or `NOBODY` once the hand is over.
        to_call: Chips a call costs the actor; 0 when checking is free.
        min_raise_to: The actor's smallest legal raise, 0 where none is legal.
        max_raise_to: The actor's largest legal raise, 0 where none is legal.
        log: The actions so far.
        folded: The seat that folded, or `NOBODY`.
        payoffs: Net chips of both seats; (0, 0) until the hand is over.

    >>> from molt_bench.poker.cards import deal_from_text
    >>> deal = deal_from_text("AhAd KsKc 2c7d9hJsQc")
    >>> hand = Hand(HandRules(50, 100), deal, (10_000, 10_000), button=0)
    >>> hand.actor, str(hand.legal_actions())
    (0, 'fold, call (50), raiseTo 200..10000')
    >>> hand.apply(Action("raiseTo", 10_000))
    >>> hand.apply(Action("call"))
    >>> hand.payoffs
    (10000, -10000)
    """

    __slots__ = (
        "_raise_step",
        "_raising_open",
        "_settled",
        "actor",
        "bets",
        "board",
        "button",
        "folded",
        "holes",
        "limits",
        "log",
        "max_raise_to",
        "min_raise_to",
        "payoffs",
        "pot",
        "rules",
        "runout",
        "starting_stacks",
        "street",
        "to_call",
    )

    def __init__(self, rules: HandRules, deal: Deal, stacks: tuple[int, int], *, button: int) -> None:
        self.actor: int
        self.to_call: int
        self.min_raise_to: int
        self.max_raise_to: int
        first, second = stacks
        if first < 1 or second < 1:
            raise RulesError(f"stacks {stacks}: both seats need at least one chip to be dealt in")
        self.rules = rules
        self.holes, self.runout = deal
        self.button = button
        self.starting_stacks = stacks
        self.street: Street = "preflop"
        self.board: tuple[int, ...] = ()
        self.log: list[LoggedAction] = []
        self.folded = NOBODY
        self.payoffs = (0, 0)
        self.pot = 0
        ante = rules.ante
        if ante:
            self.pot = min(ante, first) + min(ante, second)
            first -= min(ante, first)
            second -= min(ante, second)
        limits = [first, second]
        self.limits = limits
        small, big = rules.small_blind, rules.big_blind
        if small > limits[button]:
            small = limits[button]
        if big > limits[1 - button]:
            big = limits[1 - button]
        self.bets = [big, small] if button else [small, big]
        self._raise_step = rules.big_blind
        self._raising_open = True
        # Whether the next check or call ends the street; the first of a street does not.
        self._settled = False
        if small < limits[button] and (small < big or big < limits[1 - button]):
            self._turn(button)
        else:
            # Antes and blinds alone put a seat all-in, and the other has nothing left to match.
            self._close_street()

    @property
    def stacks(self) -> tuple[int, int]:
        """Both seats' chips behind; once the hand is over, with what they won."""
        if self.actor < 0:
            return self.starting_stacks[0] + self.payoffs[0], self.starting_stacks[1] + self.payoffs[1]
        limits, bets = self.limits, self.bets
        return limits[0] - bets[0], limits[1] - bets[1]

    def legal_actions(self) -> LegalActions:
        """Return what the actor may do now."""
        if self.actor < 0:
            raise RulesError("the hand is over: nobody is to act")
        return LegalActions(self.to_call, self.min_raise_to, self.max_raise_to)

    def apply(self, action: Action) -> None:
        """Do what the actor chose.

        Raises:
            IllegalAction: The action is not legal now; nothing has changed.
        """
        actor = self.actor
        if actor < 0:
            raise IllegalAction(f"{action.kind}: the hand is over")
        other = 1 - actor
        bets = self.bets
        kind = action.kind
        if kind == "raiseTo":
            amount = action.amount
            if amount.__class__ is not int or not 0 < self.min_raise_to <= amount <= self.max_raise_to:
                raise self._illegal(action)
            step = amount - bets[other]
            if step > self._raise_step:
                # An all-in below a full raise leaves the step as it was.
                self._raise_step = step
            bets[actor] = amount
            self.log.append(LoggedAction(self.street, actor, kind, amount))
            if self.rules.raise_cap is not None:
                self._raising_open = self._raises_on_street() < self.rules.raise_cap
            self._settled = True
            self._turn(other)
            return
        if kind == "fold":
            self.log.append(LoggedAction(self.street, actor, kind, bets[actor]))
            self.folded = actor
            lost = self.starting_stacks[actor] - self.limits[actor] + bets[actor]
            self.payoffs = (lost, -lost) if actor else (-lost, lost)
            self.actor = NOBODY
            return
        owed = self.to_call
        if kind == "call":
            if not owed:
                raise self._illegal(action)
            bets[actor] += owed
        elif kind != "check" or owed:
            raise self._illegal(action)
        self.log.append(LoggedAction(self.street, actor, kind, bets[actor]))
        limits = self.limits
        if self._settled or bets[other] == limits[other] or bets[actor] == limits[actor]:
            self._close_street()
        else:
            self._settled = True
            self._turn(other)

    def close_raising(self) -> None:
        """Take the raise from this turn's legal actions: the way to end a hand that goes on for too long."""
        self.min_raise_to = self.max_raise_to = 0

    def _turn(self, actor: int) -> None:
        """Let `actor` decide next, and work out what is legal."""
        bet = self.bets[actor]
        facing = self.bets[1 - actor]
        limit = self.limits[actor]
        self.actor = actor
        if facing >= limit:
            self.to_call = limit - bet
            self.min_raise_to = self.max_raise_to = 0
            return
        self.to_call = facing - bet if facing > bet else 0
        if facing < self.limits[1 - actor] and self._raising_open:
            least = facing + self._raise_step
            self.min_raise_to = least if least < limit else limit
            self.max_raise_to = limit
        else:
            self.min_raise_to = self.max_raise_to = 0

    def _raises_on_street(self) -> int:
        return sum([done.kind == "raiseTo" and done.street == self.street for done in self.log])

    def _close_street(self) -> None:
        """Collect what both seats have bet, then open the next street or show down.

        What only one seat has bet was not called and stays with it.
        """
        first, second = self.bets
        matched = first if first < second else second
        first, second = self.limits
        limits = [first - matched, second - matched]
        self.limits = limits
        self.bets = [0, 0]
        self.pot += 2 * matched
        street = self.street
        if street == "river" or not limits[0] or not limits[1]:
            self._show_down()
            return
        self.street, open_until = _NEXT_STREET[street]
        self.board = self.runout[:open_until]
        self._settled = False
        self._raise_step = self.rules.big_blind
        self._raising_open = True
        self._turn(1 - self.button)

    def _show_down(self) -> None:
        self.board = self.runout
        if len(self.board) != 5:
            raise RulesError(f"a showdown needs a board of five cards, not {len(self.board)}")
        first, second = showdown(self.holes, self.runout)
        # A seat too short for the ante plays for what it has: the other's surplus is not at stake.
        at_stake = min(self.starting_stacks[0] - self.limits[0], self.starting_stacks[1] - self.limits[1])
        won = at_stake if first > second else -at_stake if first < second else 0
        self.payoffs = (won, -won)
        self.actor = NOBODY

    def _illegal(self, action: Action) -> IllegalAction:
        kind = action.kind
        if kind == "raiseTo":
            done = f"raiseTo {shown(action.amount)}"
            if type(action.amount) is not int:
                done += " (the amount must be a whole number)"
        elif kind in KINDS:
            done = kind
        else:
            done = f"unknown kind {shown(kind)}"
        return IllegalAction(f"{done} is not legal; legal: {self.legal_actions()}")
