"""One hand of heads-up no-limit hold'em: start it, see what is legal, apply actions, read the payoffs.

Heads-up, the button posts the small blind and acts first before the flop and last after it. A raise is at least as
large as the last full raise; an all-in may be smaller. Chips the other seat cannot match are returned, so both seats
always have the same amount at stake, the pot is even and a split pot has no odd chip.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import msgspec

from molt_bench.errors import ConfigError, IllegalAction, RulesError, check_at_least, shown
from molt_bench.poker.actions import KINDS, OPEN_CARDS, STREETS, Action, LegalActions, LoggedAction, Street
from molt_bench.poker.cards import Deal
from molt_bench.poker.evaluator import showdown

#: `Hand.actor` once the hand is over.
NOBODY: Final = -1
_NO_RAISE: Final = (0, 0)
_NEXT_STREET: Final = dict(pairwise(STREETS))


class HandRules(msgspec.Struct, frozen=True, gc=False):
    """The rules that all hands of a game share.

    Attributes:
        small_blind: Chips the button posts, from 0 to the big blind.
        big_blind: Chips the other seat posts, at least 1; also the smallest bet.
        ante: Chips each seat posts before the blinds.
        raise_cap: Bets and raises allowed on one street; None for no cap. The big blind does not count.
    """

    small_blind: int
    big_blind: int
    ante: int = 0
    raise_cap: int | None = None

    def __post_init__(self) -> None:
        check_at_least(self, big_blind=1, small_blind=0, ante=0)
        if self.small_blind > self.big_blind:
            raise ConfigError("small_blind", self.small_blind, f"at most the big blind ({self.big_blind})")
        cap = self.raise_cap
        if cap is not None and (type(cap) is not int or cap < 1):
            raise ConfigError("raise_cap", cap, "None or a whole number, at least 1")


class Hand:
    """The state of one hand; callers must not change its attributes.

    Attributes:
        rules: Blinds, ante and raise cap.
        holes: The hole cards of seat 0 and seat 1.
        runout: All board cards, including those still to come.
        button: The seat with the button, 0 or 1.
        starting_stacks: Both seats' chips before antes and blinds.
        limits: The most each seat could bet on this street in total: its bet and the chips behind.
        bets: Each seat's bet on this street.
        pot: Chips from antes and earlier streets, without `bets`.
        board: The open board cards.
        street: The street of the current or last decision.
        actor: The seat to act, or `NOBODY` once the hand is over.
        raise_step: The least a raise must add to the bet it faces, in chips, unless it is all-in.
        raising_open: Whether the raise cap, or `close_raising`, leaves room for another raise.
        to_call: Chips a call costs the actor, never more than its stack; 0 when checking is free.
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
        "_settled",
        "actor",
        "bets",
        "board",
        "button",
        "folded",
        "holes",
        "limits",
        "log",
        "payoffs",
        "pot",
        "raise_step",
        "raising_open",
        "rules",
        "runout",
        "starting_stacks",
        "street",
        "to_call",
    )

    def __init__(self, rules: HandRules, deal: Deal, stacks: tuple[int, int], button: int) -> None:
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
        self.limits = [first, second]
        small, big = rules.small_blind, rules.big_blind
        if button:
            other_limit, limit = first, second
        else:
            limit, other_limit = first, second
        if small > limit:
            small = limit
        if big > other_limit:
            big = other_limit
        self.bets = [big, small] if button else [small, big]
        self.raise_step = rules.big_blind
        self.raising_open = True
        # Whether the next check or call ends the street; the first action of a street does not.
        self._settled = False
        self.actor = button
        self.to_call = _cost_of_call(small, big, limit)
        if small == limit or (small >= big and big == other_limit):
            # Antes and blinds alone put a seat all-in, and the other has nothing left to call.
            self._close_street()

    @property
    def stacks(self) -> tuple[int, int]:
        """Each seat's chips behind; once the hand is over, including what it won."""
        if self.actor < 0:
            return self.starting_stacks[0] + self.payoffs[0], self.starting_stacks[1] + self.payoffs[1]
        limits, bets = self.limits, self.bets
        return limits[0] - bets[0], limits[1] - bets[1]

    @property
    def at_stake(self) -> int:
        """Chips of each seat that both have matched, without `bets`: what a showdown wins or loses.

        A seat that cannot pay the ante plays for what it has, so the other's surplus is not at stake.
        """
        starting, limits = self.starting_stacks, self.limits
        return min(starting[0] - limits[0], starting[1] - limits[1])

    def chips_in(self, seat: int) -> int:
        """Return the chips `seat` has put in: what a fold costs it."""
        return self.starting_stacks[seat] - self.limits[seat] + self.bets[seat]

    def legal_actions(self) -> LegalActions:
        """Return what the actor may do."""
        if self.actor < 0:
            raise RulesError("the hand is over: nobody is to act")
        return LegalActions(self.to_call, *self.raise_range())

    def raise_range(self) -> tuple[int, int]:
        """Return the smallest and largest bet the actor may raise to; (0, 0) if no raise is legal."""
        if self.actor:
            facing = self.bets[0]
            other_limit, limit = self.limits
        else:
            facing = self.bets[1]
            limit, other_limit = self.limits
        if facing >= limit or facing == other_limit or not self.raising_open:
            return _NO_RAISE
        least = facing + self.raise_step
        return (least, limit) if least < limit else (limit, limit)

    def apply(self, action: Action) -> None:
        """Play the actor's action.

        Raises:
            IllegalAction: The action is not legal; the hand is unchanged.
        """
        actor = self.actor
        if actor < 0:
            raise IllegalAction(f"{action.kind}: the hand is over")
        kind, bets = action.kind, self.bets
        if type(kind) is not str:
            raise self._illegal(action)
        if kind == "raiseTo":
            least, most = self.raise_range()
            amount = action.amount
            if type(amount) is not int or not 0 < least <= amount <= most:
                raise self._illegal(action)
            other = 1 - actor
            bet = bets[other]
            if amount - bet > self.raise_step:  # an all-in for less than a full raise leaves the step as it is
                self.raise_step = amount - bet
            bets[actor] = amount
            self.log.append(LoggedAction(self.street, actor, kind, amount))
            if self.rules.raise_cap is not None:
                self.raising_open = self._raises_on_street() < self.rules.raise_cap
            self._settled = True
            self.to_call = _cost_of_call(bet, amount, self.limits[other])
            self.actor = other
        elif kind == ("call" if self.to_call else "check"):
            bet = bets[actor]
            if self.to_call:
                bets[actor] = bet = bet + self.to_call
                self.to_call = 0
            self.log.append(LoggedAction(self.street, actor, kind, bet))
            limits = self.limits
            if self._settled or bet == limits[actor] or bets[1 - actor] == limits[1 - actor]:
                self._close_street()
            else:
                self._settled = True
                self.actor = 1 - actor
        elif kind == "fold":
            self.log.append(LoggedAction(self.street, actor, kind, bets[actor]))
            self.folded = actor
            lost = self.chips_in(actor)
            self.payoffs = (lost, -lost) if actor else (-lost, lost)
            self.actor = NOBODY
        else:
            raise self._illegal(action)

    def steps(self, *, max_actions: int | None = None) -> Iterator[tuple["Hand", Action]]:
        """Replay a finished hand: yield its state before each decision, and the action taken.

        The state is one object that moves on with every step: read it, but do not keep or change it. As in the game,
        nobody may raise after `max_actions` actions.
        """
        again = Hand(self.rules, (self.holes, self.runout), self.starting_stacks, button=self.button)
        longest = len(self.log) if max_actions is None else max_actions
        for at, done in enumerate(self.log):
            if at >= longest:
                again.close_raising()
            action = Action(done.kind, done.amount)
            yield again, action
            again.apply(action)

    def close_raising(self) -> None:
        """Allow no more raises on this street, so that a hand that takes too long ends."""
        self.raising_open = False

    def _raises_on_street(self) -> int:
        return sum([done.kind == "raiseTo" and done.street == self.street for done in self.log])

    def _close_street(self) -> None:
        """Move the matched bets into the pot and return the rest, then open the next street or show down."""
        first, second = self.bets
        limit, other_limit = self.limits
        if first or second:
            matched = first if first < second else second
            limit -= matched
            other_limit -= matched
            self.limits = [limit, other_limit]
            self.bets = [0, 0]
            self.pot += 2 * matched
        street = self.street
        if street == "river" or not limit or not other_limit:
            self._show_down()
            return
        self.street = street = _NEXT_STREET[street]
        self.board = self.runout[: OPEN_CARDS[street]]
        self._settled = False
        self.raise_step = self.rules.big_blind
        self.raising_open = True
        self.actor = 1 - self.button

    def _show_down(self) -> None:
        self.board = self.runout
        if len(self.board) != 5:
            raise RulesError(f"a showdown needs a board of five cards, not {len(self.board)}")
        first, second = showdown(self.holes, self.runout)
        at_stake = self.at_stake
        won = at_stake if first > second else -at_stake if first < second else 0
        self.payoffs = (won, -won)
        self.actor = NOBODY

    def _illegal(self, action: Action) -> IllegalAction:
        kind = action.kind
        if type(kind) is not str:
            done = f"kind {shown(kind)}"
        elif kind == "raiseTo":
            done = f"raiseTo {shown(action.amount)}"
            if type(action.amount) is not int:
                done += f" (the amount must be an int, not {type(action.amount).__name__})"
        elif kind in KINDS:
            done = kind
        else:
            done = f"unknown kind {shown(kind)}"
        return IllegalAction(f"{done} is not legal; legal: {self.legal_actions()}")


def _cost_of_call(bet: int, facing: int, limit: int) -> int:
    return (facing if facing < limit else limit) - bet
