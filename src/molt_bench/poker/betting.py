"""The betting of a hand, without its cards: who acts, what is legal, what is in the pot.

Heads-up, the button posts the small blind and acts first before the flop and last after it. A raise is at least as
large as the last full raise; an all-in may be smaller. Chips the other seat cannot match are returned, so both seats
always have the same amount at stake, the pot is even and a split pot has no odd chip.

Most hands begin as many others did, and what follows depends on the action alone. So a moment of the betting never
changes, and one that hands come to again and again is worked out once and shared.
"""

from functools import lru_cache
from itertools import count, pairwise
from typing import Final

import msgspec

from molt_bench.errors import RulesError
from molt_bench.poker.actions import LETTERS, STREETS, Kind, LoggedAction, Street
from molt_bench.poker.rules import HandRules

#: `Betting.actor` once the betting is over.
NOBODY: Final = -1
_NEXT_STREET: Final = dict(pairwise(STREETS))
#: What follows an action is kept if the action is taken at the same moment again, before so many others were taken
#: once. Amounts that hardly ever repeat would only be in the way.
_ONCE: Final = 32
#: How many moments are kept, some 14 MB: after so many new ones, all are forgotten.
_MOST: Final = 16384
_NEW: Final = count(1)


class Start(msgspec.Struct, gc=False):
    """What a hand begins with: the rules, both seats' chips before antes and blinds, and the seat with the button.

    `text` is the same as `molt_bench.poker.notation` writes it, which fills it in.
    """

    rules: HandRules
    stacks: tuple[int, int]
    button: int
    text: str = ""


class Betting:
    """A moment of the betting: before an action, or at the end. Hands share it, so nobody may change it.

    Attributes:
        start: Rules, stacks and button.
        street: The street of the current or last decision.
        actor: The seat to act, or `NOBODY` once the betting is over.
        log: The actions so far.
        line: The same as `molt_bench.poker.notation` writes it.
        limits: The most each seat could bet on this street in total: its bet and the chips behind.
        bets: Each seat's bet on this street.
        pot: Chips from antes and earlier streets, without `bets`.
        at_stake: Chips of each seat that both have matched, without `bets`: what a showdown wins or loses. A seat that
            cannot pay the ante plays for what it has, so the other's surplus is not at stake.
        to_call: Chips a call costs the actor, never more than its stack; 0 when checking is free.
        raise_step: The least a raise must add to the bet it faces, in chips, unless it is all-in.
        raising_open: Whether the raise cap, or `without_raises`, leaves room for another raise.
        settled: Whether the next check or call ends the street; the first action of a street does not.
        chips: All chips in the pot, including `bets`.
        stacks: Chips behind.
        min_raise_to: The smallest bet the actor may raise to; 0 if no raise is legal.
        max_raise_to: The largest; 0 if no raise is legal.
        payoffs: Net chips of both seats after a fold; None before, and if there is a showdown.
        known: What follows here: by the amount of a raise, and by the kind of another action.
    """

    __slots__ = (
        "_once",
        "actor",
        "at_stake",
        "bets",
        "chips",
        "known",
        "limits",
        "line",
        "log",
        "max_raise_to",
        "min_raise_to",
        "payoffs",
        "pot",
        "raise_step",
        "raising_open",
        "settled",
        "stacks",
        "start",
        "street",
        "to_call",
    )

    #: Actions that were taken here once; None if this moment is not kept itself.
    _once: set[Kind | int] | None
    known: dict[Kind | int, "Betting"]
    min_raise_to: int
    max_raise_to: int
    payoffs: tuple[int, int] | None

    def __init__(self, rules: HandRules, stacks: tuple[int, int], button: int) -> None:
        first, second = stacks
        if first < 1 or second < 1:
            raise RulesError(f"stacks {stacks}: both seats need at least one chip to be dealt in")
        self.start = Start(rules, stacks, button)
        self.street: Street = "preflop"
        self.actor = button
        self.log: tuple[LoggedAction, ...] = ()
        self.line = ""
        antes = min(rules.ante, first), min(rules.ante, second)
        self.pot = sum(antes)
        self.at_stake = min(antes)
        self.limits = (first - antes[0], second - antes[1])
        limit, other_limit = self.limits[button], self.limits[1 - button]
        small, big = min(rules.small_blind, limit), min(rules.big_blind, other_limit)
        self.bets = (big, small) if button else (small, big)
        self.to_call = min(big, limit) - small
        self.raise_step = rules.big_blind
        self.raising_open = True
        self.settled = False
        if small == limit or (small >= big and big == other_limit):
            # Antes and blinds alone put a seat all-in, and the other has nothing left to call.
            self._close_street()
        self._derive()
        self._once = _NONE_YET

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
        actor = self.actor
        if actor < 0:
            return None
        key: Kind | int = kind
        moved = _blank(Betting)
        moved.start = self.start
        if kind == "raiseTo":
            if not 0 < self.min_raise_to <= amount <= self.max_raise_to:
                return None
            key = amount
            moved._raise(self, amount)
        elif kind == ("call" if self.to_call else "check"):
            amount = self.bets[actor] + self.to_call
            moved._call(self, amount)
        elif kind == "fold":
            amount = self.bets[actor]
            moved._stay(self)
            moved.actor = NOBODY
        else:
            return None
        moved.log = (*self.log, LoggedAction(self.street, actor, kind, amount))
        letters = f"r{amount}" if kind == "raiseTo" else LETTERS[kind]
        # The first action on a street other than the first one.
        begins = not self.settled and self.street != "preflop"
        moved.line = f"{self.line}/{letters}" if begins else self.line + letters
        moved._derive()
        if kind == "fold":
            lost = self.chips_in(actor)
            moved.payoffs = (lost, -lost) if actor else (-lost, lost)
        if self._once is not None:
            self._keep(key, moved)
        return moved

    def without_raises(self) -> "Betting":
        """Return the same with no more raises on this street, so that a hand that takes too long ends."""
        if not self.raising_open or self.actor < 0:
            return self
        moved = _blank(Betting)
        moved.start, moved.log, moved.line, moved.actor = self.start, self.log, self.line, self.actor
        moved._stay(self)
        moved.raising_open = False
        moved._derive()
        return moved

    def _keep(self, key: Kind | int, moved: "Betting") -> None:
        """Keep what follows an action that was taken here before; else take note of the action."""
        once = self._once
        if not once or (key not in once and len(once) >= _ONCE):
            self._once = {key}
            return
        if key not in once:
            once.add(key)
            return
        once.discard(key)
        moved._once = _NONE_YET
        known = self.known
        if known is _NOTHING:
            self.known = known = {}
        known[key] = moved
        if not next(_NEW) % _MOST:
            opening.cache_clear()

    def _stay(self, before: "Betting") -> None:
        """Take over all chips, and what is legal."""
        self.street = before.street
        self.limits = before.limits
        self.bets = before.bets
        self.pot = before.pot
        self.at_stake = before.at_stake
        self.to_call = before.to_call
        self.raise_step = before.raise_step
        self.raising_open = before.raising_open
        self.settled = before.settled

    def _raise(self, before: "Betting", amount: int) -> None:
        actor = before.actor
        other = 1 - actor
        bet, limit, step = before.bets[other], before.limits[other], before.raise_step
        self.actor = other
        self.street = before.street
        self.limits = before.limits
        self.bets = (bet, amount) if actor else (amount, bet)
        self.pot = before.pot
        self.at_stake = before.at_stake
        self.to_call = (amount if amount < limit else limit) - bet
        # An all-in for less than a full raise leaves the step as it is.
        self.raise_step = amount - bet if amount - bet > step else step
        cap = self.start.rules.raise_cap
        self.raising_open = cap is None or before._raises_on_street() + 1 < cap
        self.settled = True

    def _call(self, before: "Betting", bet: int) -> None:
        """Check or call: the bet of the one to act is now `bet`."""
        actor, limits = before.actor, before.limits
        other_bet = before.bets[1 - actor]
        self.actor = 1 - actor
        self.street = before.street
        self.limits = limits
        self.bets = (other_bet, bet) if actor else (bet, other_bet)
        self.pot = before.pot
        self.at_stake = before.at_stake
        self.to_call = 0
        self.raise_step = before.raise_step
        self.raising_open = before.raising_open
        self.settled = True
        if before.settled or bet == limits[actor] or other_bet == limits[1 - actor]:
            self._close_street()

    def _close_street(self) -> None:
        """Move the matched bets into the pot and return the rest, then open the next street or end."""
        first, second = self.bets
        matched = first if first < second else second
        limit, other_limit = self.limits
        self.limits = limits = (limit - matched, other_limit - matched)
        self.bets = (0, 0)
        self.pot += 2 * matched
        self.at_stake += matched
        if self.street == "river" or 0 in limits:
            self.actor = NOBODY
            return
        self.street = _NEXT_STREET[self.street]
        self.actor = 1 - self.start.button
        self.raise_step = self.start.rules.big_blind
        self.raising_open = True
        self.settled = False

    def _raises_on_street(self) -> int:
        return sum([done.kind == "raiseTo" and done.street == self.street for done in self.log])

    def _derive(self) -> None:
        """Set what follows from the rest: chips in the pot and behind, and which raises are legal."""
        first, second = self.bets
        limit, other_limit = self.limits
        self.chips = self.pot + first + second
        self.stacks = (limit - first, other_limit - second)
        self.payoffs = None
        self.known = _NOTHING
        self._once = None
        if self.actor:
            facing, limit, other_limit = first, other_limit, limit
        else:
            facing = second
        if facing >= limit or facing == other_limit or not self.raising_open:
            self.min_raise_to = self.max_raise_to = 0
        else:
            least = facing + self.raise_step
            self.min_raise_to = least if least < limit else limit
            self.max_raise_to = limit


_blank: Final = Betting.__new__
_NOTHING: Final[dict[Kind | int, Betting]] = {}
_NONE_YET: Final[set[Kind | int]] = set()


class _Openings:
    """The betting after antes and blinds, by what hands begin with.

    Attributes:
        latest: With what the last hand began, by its button, and the betting then: most hands begin alike.
    """

    __slots__ = ("_made", "latest")

    def __init__(self) -> None:
        self._made = lru_cache(maxsize=64)(Betting)
        self.latest: dict[int, tuple[HandRules, tuple[int, int], Betting]] = {}

    def of(self, rules: HandRules, stacks: tuple[int, int], button: int) -> Betting:
        """Return the betting after antes and blinds."""
        found = self._made(rules, stacks, button)
        self.latest[button] = rules, stacks, found
        return found

    def cache_clear(self) -> None:
        """Forget all moments."""
        self.latest.clear()
        self._made.cache_clear()


opening: Final = _Openings()
