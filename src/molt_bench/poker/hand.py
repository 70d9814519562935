"""One hand of heads-up no-limit hold'em: start it, see what is legal, apply actions, read the payoffs.

The cards are here. The rules of betting are in `molt_bench.poker.betting`.
"""

from collections.abc import Iterator

from molt_bench.errors import IllegalAction, RulesError
from molt_bench.poker.actions import KINDS, OPEN_CARDS, Action, LegalActions, LoggedAction, Street
from molt_bench.poker.betting import NOBODY, opening
from molt_bench.poker.cards import Deal
from molt_bench.poker.evaluator import showdown
from molt_bench.poker.hand_rules import HandRules
from molt_bench.poker.mix import Mix
from molt_bench.visible_text import shown

__all__ = ["NOBODY", "Hand", "HandRules"]


class Hand:
    """The state of one hand; callers must not change its attributes.

    Attributes:
        betting: The betting so far; its attributes are at hand here, too.
        holes: The hole cards of seat 0 and seat 1.
        runout: All board cards, including those still to come.
        board: The open board cards.
        actor: The seat to act, or `NOBODY` once the hand is over.
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

    __slots__ = ("actor", "betting", "board", "holes", "payoffs", "runout")

    def __init__(self, rules: HandRules, deal: Deal, stacks: tuple[int, int], button: int) -> None:
        self.betting = betting = opening(rules, stacks, button)
        self.holes, self.runout = deal
        self.board: tuple[int, ...] = ()
        self.payoffs = (0, 0)
        self.actor = actor = betting.actor
        if actor < 0:
            self._show_down()

    @property
    def rules(self) -> HandRules:
        """Blinds, ante and raise cap."""
        return self.betting.start.rules

    @property
    def button(self) -> int:
        """The seat with the button, 0 or 1."""
        return self.betting.start.button

    @property
    def starting_stacks(self) -> tuple[int, int]:
        """Both seats' chips before antes and blinds."""
        return self.betting.start.stacks

    @property
    def street(self) -> Street:
        """The street of the current or last decision."""
        return self.betting.street

    @property
    def bets(self) -> tuple[int, int]:
        """Each seat's bet on this street."""
        return self.betting.bets

    @property
    def limits(self) -> tuple[int, int]:
        """The most each seat could bet on this street in total: its bet and the chips behind."""
        return self.betting.limits

    @property
    def pot(self) -> int:
        """Chips from antes and earlier streets, without `bets`."""
        return self.betting.pot

    @property
    def to_call(self) -> int:
        """Chips a call costs the actor, never more than its stack; 0 when checking is free."""
        return self.betting.to_call

    @property
    def log(self) -> tuple[LoggedAction, ...]:
        """The actions so far."""
        return self.betting.log

    @property
    def folded(self) -> int:
        """The seat that folded, or `NOBODY`."""
        return self.betting.folded

    @property
    def at_stake(self) -> int:
        """Chips of each seat that both have matched, without `bets`: what a showdown wins or loses."""
        return self.betting.at_stake

    @property
    def stacks(self) -> tuple[int, int]:
        """Each seat's chips behind; once the hand is over, including what it won."""
        if self.actor < 0:
            first, second = self.betting.start.stacks
            return first + self.payoffs[0], second + self.payoffs[1]
        return self.betting.stacks

    def chips_in(self, seat: int) -> int:
        """Return the chips `seat` has put in: what a fold costs it."""
        return self.betting.chips_in(seat)

    def legal_actions(self) -> LegalActions:
        """Return what the actor may do."""
        if self.actor < 0:
            raise RulesError("the hand is over: no seat is to act")
        return LegalActions(self.betting.to_call, *self.raise_range())

    def raise_range(self) -> tuple[int, int]:
        """Return the smallest and largest bet the actor may raise to; (0, 0) if no raise is legal."""
        return self.betting.min_raise_to, self.betting.max_raise_to

    def apply(self, action: Action) -> None:
        """Play the actor's action.

        Raises:
            IllegalAction: The action is not legal; the hand is unchanged.
        """
        kind, amount = action.kind, action.amount
        if type(kind) is not str or (kind == "raiseTo" and type(amount) is not int):
            raise self._illegal(action)
        betting = self.betting.after(kind, amount)
        if betting is None:
            raise self._illegal(action)
        self.betting = betting
        self.actor = actor = betting.actor
        if actor < 0:
            if betting.payoffs is None:
                self._show_down()
            else:
                self.payoffs = betting.payoffs
        elif not betting.settled:  # no seat has acted on this street yet
            self.board = self.runout[: OPEN_CARDS[betting.street]]

    def steps(self, *, max_actions: int | None = None) -> Iterator[tuple["Hand", Action]]:
        """Replay a finished hand: yield its state before each decision, and the action taken.

        The state is one object that moves on with every step: read it, but do not keep or change it. As in the game,
        no raise is legal after `max_actions` actions.
        """
        log = self.log
        again = Hand(self.rules, (self.holes, self.runout), self.starting_stacks, button=self.button)
        longest = len(log) if max_actions is None else max_actions
        for at, done in enumerate(log):
            if at >= longest:
                again.close_raising()
            action = Action(done.kind, done.amount)
            yield again, action
            again.apply(action)

    def close_raising(self) -> None:
        """Allow no more raises on this street, so that a hand that takes too long ends."""
        self.betting = self.betting.without_raises()

    def _show_down(self) -> None:
        self.board = board = self.runout
        if len(board) != 5:
            raise RulesError(f"a showdown needs a board of five cards, not {len(board)}")
        first, second = showdown(self.holes, board)
        at_stake = self.betting.at_stake
        won = at_stake if first > second else -at_stake if first < second else 0
        self.payoffs = (won, -won)

    def _illegal(self, action: Action) -> IllegalAction:
        if self.actor < 0:
            return IllegalAction(f"{action.kind}: the hand is over")
        return IllegalAction(not_legal(action, self.legal_actions()))


def not_legal(action: Action, legal: LegalActions) -> str:
    """Say that an action is not among those that are legal; its fields may be anything."""
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
    return f"{done} is not legal; legal: {legal}"


def not_legal_in_mix(mix: Mix, legal: LegalActions) -> str:
    """Say which entry of a mix is not among the legal actions."""
    return f"the mix is not legal: it has {mix.illegal_entry(legal)}; legal: {legal}"
