"""What hands were worth without the luck of either player's dice, where the policies of both can be asked.

The luck of a draw is the value of what was drawn, minus the mean value of what could have been drawn. Its mean is 0
whatever the values, as long as they do not depend on the draw (`luck.dice.draws`). The cards of a hand do not
depend on it: they lie in the deck before anybody acts. So an action is worth what comes of it *with the cards that were
to come*: both policies are asked what they would do next, street after street, until the hand ends, or what is left is
too unlikely to matter. If nothing were left out, a hand would be worth its mean over all dice: only luck of the cards
would remain, less what is subtracted for each of them (`molt_bench.luck.estimators`).

So policies are asked about moments that never happened. As long as they depend on the observation alone, what they say
there decides how much luck is removed, not what is left on average. Where one fails, nobody is asked about what would
have followed.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from math import fsum
from typing import Final, NamedTuple, TypeAlias

from molt_bench.agents.base import PolicyOf
from molt_bench.luck.cards.card_luck import chance_luck, hand_luck, street_equities
from molt_bench.luck.coefficients import Coefficients
from molt_bench.luck.dice.choices import asked_at, drawn, observed
from molt_bench.luck.dice.stated_policy import StatedPolicy
from molt_bench.poker.actions import OPEN_CARDS, STREETS, Kind, LoggedAction
from molt_bench.poker.betting import Betting, opening
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import Observation, PlayedHand
from molt_bench.seeds import Seed


class Reach(NamedTuple):
    """How far is looked ahead.

    Attributes:
        least_chance: Nobody is asked about a moment that is less likely than this, given the decision looked at.
        most_asked: Moments that are looked at for a decision, at most.
    """

    least_chance: float
    most_asked: int


#: As far as it pays.
FAR: Final = Reach(0.002, 1000)

#: Called with a seat that decided, the chances of what it could have done, what that is worth to seat 0, and which was
#: drawn.
Watch: TypeAlias = Callable[[int, Sequence[float], Sequence[float], int], None]


class _Moment:
    """A moment of a hand, and what the seat to act may do, once it was asked.

    Attributes:
        betting: The betting so far.
        asked: Whether the policy was asked.
        choices: What it answered; none before that, or if it failed.
        known: The same where it was asked ahead of time; None if it was not.
    """

    __slots__ = ("asked", "betting", "choices", "known")

    def __init__(self, betting: Betting) -> None:
        self.betting = betting
        self.asked = False
        self.choices: Sequence[_Choice] = ()
        self.known: Sequence[_Choice] | None = None


class _Choice(NamedTuple):
    """What a seat may do; sizes that are put together count as their mean, and the first that holds a size counts.

    Attributes:
        kind: The kind of action.
        low: The least size of a raise; 0 for other actions.
        high: The greatest.
        chance: Its probability.
        leads_to: The moment after it.
    """

    kind: Kind
    low: int
    high: int
    chance: float
    leads_to: _Moment


def without_dice(
    hands: Sequence[PlayedHand],
    policies: tuple[PolicyOf, PolicyOf],
    decks: Seed,
    weights: Coefficients,
    *,
    max_actions: int,
    reach: Reach = FAR,
    watch: Watch | None = None,
) -> tuple[float, ...] | None:
    """Return what each hand was worth to seat 0 without the luck of dice and of cards; None if the decks are others.

    Args:
        hands: Finished hands.
        policies: Those of seats 0 and 1.
        decks: The seed of the decks.
        weights: Weights of the luck of cards.
        max_actions: As in the spec of the game.
        reach: How far is looked ahead.
        watch: Called with every decision that is corrected.
    """
    shoe, found = Shoe(decks), []
    for number, hand, _ in hands:
        holes, board = shoe.deal(number)
        if holes != hand.holes or board[: len(hand.board)] != hand.board:
            return None
        found.append((_Ahead(number, (holes, board), policies, weights, max_actions, reach), hand))
    if any(isinstance(policy, StatedPolicy) and policy.takes_many for policy in policies):
        _ask_in_batches(found, policies)
    return tuple([ahead.value_of(hand, watch) for ahead, hand in found])


def _ask_in_batches(hands: Sequence[tuple["_Ahead", Hand]], policies: tuple[PolicyOf, PolicyOf]) -> None:
    """Ask about everything that will be looked at in some hands, all of them together, and keep the answers there.

    For policies that take many questions at once: one by one, each would take as long as many. What is asked goes level
    by level, not the likeliest first, so a few answers are never looked at, and some questions are left for later.
    """
    level = [(1.0, root, ahead, moment) for ahead, hand in hands for root, moment in enumerate(ahead.path(hand))]
    asked = Counter[tuple[_Ahead, int]]()
    while level:
        for seat, policy in enumerate(policies):
            if isinstance(policy, StatedPolicy) and policy.takes_many:
                new = [(ahead, each) for _, _, ahead, each in level if each.known is None]
                policy.ask_ahead([ahead.observed(each.betting) for ahead, each in new if each.betting.actor == seat])
        following = []
        for chance, root, ahead, moment in level:
            for likely, each in ahead.after(moment, chance):
                asked[ahead, root] += 1
                if asked[ahead, root] < ahead.reach.most_asked:
                    following.append((likely, root, ahead, each))
        level = following


class _Ahead:
    """One hand, and what could have been done in it.

    Args:
        number: The number of the hand.
        deal: All of its cards.
        policies: Those of seats 0 and 1.
        weights: Weights of the luck of cards.
        max_actions: As in the spec of the game.
        reach: How far is looked ahead.
    """

    def __init__(
        self,
        number: int,
        deal: tuple[tuple[Hole, Hole], Board],
        policies: tuple[PolicyOf, PolicyOf],
        weights: Coefficients,
        max_actions: int,
        reach: Reach = FAR,
    ) -> None:
        self._number, (self._holes, self._board) = number, deal
        self._policies, self._weights, self._max_actions = policies, weights, max_actions
        self.reach = reach
        self._equities: tuple[float, ...] = ()
        self._roots: dict[tuple[LoggedAction, ...], _Moment] = {}

    def value_of(self, hand: Hand, watch: Watch | None = None) -> float:
        """Return what the hand was worth to seat 0 without the luck of dice and of cards."""
        luck = hand_luck(hand)
        return fsum([luck.all_in, -chance_luck(luck.terms, self._weights), *self.surpluses(hand, watch)])

    def path(self, hand: Hand) -> Iterator[_Moment]:
        """Yield the moments of a finished hand before every action."""
        betting = self._limited(opening.of(hand.rules, hand.starting_stacks, hand.button).unshared())
        for done in hand.log:
            self._roots[betting.log] = _Moment(betting)
            yield self._roots[betting.log]
            after = betting.after(done.kind, done.amount)
            if after is None:
                return
            betting = self._limited(after)

    def after(self, moment: _Moment, chance: float) -> Iterator[tuple[float, _Moment]]:
        """Ask about a moment, unless that was done, and yield the likely moments after it, with their chances."""
        if moment.known is None:
            moment.known = self._choices(moment.betting)
        for choice in moment.known:
            likely = chance * choice.chance
            if choice.leads_to.betting.actor >= 0 and likely >= self.reach.least_chance:
                yield likely, choice.leads_to

    def _root(self, betting: Betting) -> _Moment:
        """Return the moment after some actions that were taken."""
        return self._roots.get(betting.log) or _Moment(betting)

    def surpluses(self, hand: Hand, watch: Watch | None = None) -> list[float]:
        """Return for every decision the mean over possible draws, minus the actual draw, in chips of seat 0."""
        found = []
        for moment, done in self.moments(hand):
            self.ask_on(moment)
            found.append(self.surplus(moment, done, watch))
        return found

    def moments(self, hand: Hand) -> Iterator[tuple[_Moment, LoggedAction]]:
        """Yield the moments of a finished hand before every action, and the action."""
        moment = self._root(self._limited(opening.of(hand.rules, hand.starting_stacks, hand.button).unshared()))
        for done in hand.log:
            yield moment, done
            after = moment.betting.after(done.kind, done.amount)
            if after is None:
                raise ValueError(f"an action that is not legal: {done}")
            at = drawn(moment.choices, done.kind, done.amount)
            # A size that others stand for leads to a moment of its own.
            if at is not None and moment.choices[at].leads_to.betting.log[-1] == done:
                moment = moment.choices[at].leads_to
            else:
                moment = self._root(self._limited(after))

    def ask_on(self, moment: _Moment) -> None:
        """Ask what the seat to act may do, and what would follow, the likeliest first."""
        ahead, pushed = [(-1.0, 0, moment)], 0
        for _ in range(self.reach.most_asked):
            if not ahead:
                return
            chance, _, each = heappop(ahead)
            if not each.asked:
                each.asked, each.choices = True, self._choices(each.betting) if each.known is None else each.known
            for choice in each.choices:
                if choice.leads_to.betting.actor >= 0 and -chance * choice.chance >= self.reach.least_chance:
                    pushed += 1
                    heappush(ahead, (chance * choice.chance, pushed, choice.leads_to))

    def observed(self, betting: Betting) -> Observation:
        """Return what the seat to act sees."""
        return observed(betting, self._number, self._holes, self._board)

    def surplus(self, moment: _Moment, done: LoggedAction, watch: Watch | None = None) -> float:
        """Return that of one decision, from what was asked; 0 if there was no choice, or the policy failed.

        It is 0 as well for an action that is not among the choices, which has no chance if the policy is right.
        """
        at = drawn(moment.choices, done.kind, done.amount)
        if at is None or len(moment.choices) < 2:
            return 0.0
        values = [self.value(moment, each) for each in moment.choices]
        if watch is not None:
            watch(moment.betting.actor, [each.chance for each in moment.choices], values, at)
        return fsum([each.chance * value for each, value in zip(moment.choices, values, strict=True)]) - values[at]

    def value(self, before: _Moment, choice: _Choice) -> float:
        """Return what a choice is worth to seat 0."""
        betting, choices = choice.leads_to.betting, choice.leads_to.choices
        if betting.actor < 0:
            payoffs = betting.payoffs
            return self._edge(betting) * betting.at_stake if payoffs is None else payoffs[0]
        value = 0.0 if betting.street == before.betting.street else -self._luck(before.betting, betting)
        if not choices:
            return value + self._guess(betting)
        for each in choices:
            value += each.chance * self.value(choice.leads_to, each)
        return value

    def _guess(self, betting: Betting) -> float:
        """Return what a moment is worth if the seat to act calls where its equity pays, and nobody bets after that."""
        edge, seat = self._edge(betting), betting.actor
        paid, other = betting.chips_in(seat), betting.chips_in(1 - seat)
        called = edge * min(paid + betting.to_call, other)
        if not betting.to_call:
            return called
        return min(called, paid) if seat else max(called, -paid)

    def _luck(self, before: Betting, betting: Betting) -> float:
        """Return the luck of the cards that opened a street."""
        dealt = STREETS.index(betting.street)
        raised = any(done.kind == "raiseTo" and done.street == before.street for done in betting.log)
        weight = self._weights.chance[dealt][self._weights.bucket(min(betting.limits), betting.pot, raised=raised)]
        return weight * betting.pot * (self._equity(dealt) - self._equity(dealt - 1))

    def _edge(self, betting: Betting) -> float:
        return 2 * self._equity(STREETS.index(betting.street)) - 1

    def _equity(self, street: int) -> float:
        if street >= len(self._equities):
            self._equities = street_equities(self._holes, self._board[: OPEN_CARDS[STREETS[street]]])
        return self._equities[street]

    def _choices(self, betting: Betting) -> Sequence[_Choice]:
        """Return what the seat to act may do; nothing if its policy fails."""
        found = []
        for part, after in asked_at(self._policies[betting.actor], betting, self._number, self._holes, self._board):
            if part.chance > 0:
                found.append(_Choice(part.kind, part.low, part.high, part.chance, _Moment(self._limited(after))))
        return found

    def _limited(self, betting: Betting) -> Betting:
        """Return the moment as it is in the game, where nobody may raise after so many actions."""
        return betting if len(betting.log) < self._max_actions else betting.without_raises()
