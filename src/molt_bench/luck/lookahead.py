"""What an action leads to, where the policies of both players can be asked.

The luck of a draw is the mean of a value over what could have been drawn, minus the value of what was drawn. Its mean
is 0 whatever the value, as long as that is fixed before the draw (`molt_bench.luck.dice`). Here the value of an action
knows what the other seat would answer with the cards it has: how likely it folds, calls or raises is not guessed by the
strength of its hand, its policy says so. Whatever ends the hand then is worth its exact chips. A street that ends, and
a raise that is yet to be answered, are worth a few features, whose weights a run fits (`molt_bench.luck.fitting`).

So policies are asked about moments that never happened. What they say there decides how much luck is removed, not what
is left on average. Where one fails, or has too many choices, nobody is asked further.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import fsum, log1p
from typing import Final, NamedTuple, TypeAlias

from molt_bench.agents.base import Policy, PolicyOf, Sizes
from molt_bench.agents.scripted import PotRaises
from molt_bench.luck.chance import street_equities
from molt_bench.luck.strength import hand_strengths
from molt_bench.luck.terms import packed_terms
from molt_bench.poker.actions import OPEN_CARDS, STREETS, Kind, LoggedAction, Street
from molt_bench.poker.betting import Betting, opening
from molt_bench.poker.cards import Hole
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import observe

#: What a value is made of: exact chips, the features of a street that ends, and those of a seat that is yet to answer.
_ENDED, _UNANSWERED = 7, 5
PARTS: Final = 1 + _ENDED + _UNANSWERED
#: How many weights there are: those before the flop, and those after.
LOOKED: Final = 2 * PARTS
#: Answers in a row that are asked for.
_DEPTH: Final = 2
#: What an answer is asked for is at least so likely, given the action.
_LEAST_CHANCE: Final = 0.05
#: Choices that a policy may have at most to be gone through.
_MOST_CHOICES: Final = 12
#: By how much the sum of a policy's probabilities may miss 1.
_TOLERANCE: Final = 1e-9

#: A hand with its number in the game.
NumberedHand: TypeAlias = tuple[int, Hand]


class _Moment(NamedTuple):
    """A moment of a hand that need not have happened, as `observe` looks at it."""

    betting: Betting
    holes: tuple[Hole, Hole]
    board: tuple[int, ...]


class _Choice(NamedTuple):
    """What a seat may do; a range of sizes stands for all of them, and counts as its middle.

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
    leads_to: Betting


def lookahead_terms(
    hands: Sequence[NumberedHand],
    policies: tuple[PolicyOf, PolicyOf],
    seats: tuple[bool, bool],
    *,
    first: int,
    sign: int,
    longest: int,
) -> bytes:
    """Return the luck of dice in hands, as terms whose weights can be fitted, in chips of player A.

    Args:
        hands: Finished hands.
        policies: Those of seats 0 and 1.
        seats: Whether the decisions of seat 0, and of seat 1, count.
        first: The place of the first weight.
        sign: 1 if player A sat in seat 0, otherwise -1.
        longest: The game's `max_actions`.
    """
    found = []
    for row, (number, hand) in enumerate(hands):
        parts = _hand_parts(number, hand, policies, seats, longest)
        found.append(packed_terms(row, [(first + at, -sign * part) for at, part in enumerate(parts) if part]))
    return b"".join(found)


def _hand_parts(
    number: int, hand: Hand, policies: tuple[PolicyOf, PolicyOf], seats: tuple[bool, bool], longest: int
) -> list[float]:
    """Return what could have been drawn in a hand less what was drawn, for seat 0: before and after the flop."""
    found = [0.0] * LOOKED
    if not hand.log:
        return found
    betting = opening.of(hand.rules, hand.starting_stacks, hand.button)
    equities = street_equities(hand.holes, hand.board[: OPEN_CARDS[hand.street]])
    ahead: _Street | None = None
    for done in hand.log:
        betting = betting if len(betting.log) < longest else betting.without_raises()
        if ahead is None or done.street != ahead.name:
            ahead = _Street(number, hand, done.street, equities[STREETS.index(done.street)], policies, longest)
        if seats[done.seat]:
            at = 0 if done.street == STREETS[0] else PARTS
            for each, part in enumerate(ahead.surplus(betting, done), start=at):
                found[each] += part
        after = betting.after(done.kind, done.amount)
        if after is None:
            raise ValueError(f"an action that is not legal: {done}")
        betting = after
    return found


class _Street:
    """One street of a hand, and what could have been done on it.

    Args:
        number: The number of the hand.
        hand: The hand.
        name: The street.
        share: Seat 0's equity.
        policies: Those of seats 0 and 1.
        longest: The game's `max_actions`.
    """

    def __init__(
        self,
        number: int,
        hand: Hand,
        name: Street,
        share: float,
        policies: tuple[PolicyOf, PolicyOf],
        longest: int,
    ) -> None:
        self.name = name
        self._number, self._holes, self._board = number, hand.holes, hand.board[: OPEN_CARDS[name]]
        self._policies, self._longest = policies, longest
        self._edge = 2 * share - 1
        first, second = hand_strengths(hand.holes, self._board)
        self._strengths = first - 0.5, second - 0.5
        self._known: dict[tuple[LoggedAction, ...], list[_Choice] | None] = {}

    def surplus(self, betting: Betting, done: LoggedAction) -> list[float]:
        """Return the mean over possible draws, minus the actual draw; all 0 if the policy is not gone through."""
        found = [0.0] * PARTS
        choices = self._choices(betting)
        size = done.amount if done.kind == "raiseTo" else 0
        drawn = [each for each in choices or () if each.kind == done.kind and each.low <= size <= each.high]
        if choices is None or not drawn:
            return found
        for each in choices:
            if each.chance:
                self._add(found, each.leads_to, each.chance, 1.0, _DEPTH)
        self._add(found, drawn[0].leads_to, -1.0, 1.0, _DEPTH)
        return found

    def _add(self, found: list[float], betting: Betting, factor: float, chance: float, depth: int) -> None:
        """Add what a moment is worth to seat 0.

        Args:
            found: What it is added to.
            betting: The moment.
            factor: The probability of the action that is looked at, or -1.
            chance: The probability of the moment, given that action.
            depth: Answers that are still asked for.
        """
        if betting.actor < 0:
            payoffs = betting.payoffs
            found[0] += factor * chance * (self._edge * betting.at_stake if payoffs is None else payoffs[0])
        elif betting.street != self.name:
            self._add_ended(found, betting, factor * chance)
        else:
            choices = self._choices(betting) if depth and chance >= _LEAST_CHANCE else None
            if choices is None:
                self._add_unanswered(found, betting, factor * chance)
            else:
                for each in choices:
                    if each.chance:
                        self._add(found, each.leads_to, factor, chance * each.chance, depth - 1)

    def _add_ended(self, found: list[float], betting: Betting, chance: float) -> None:
        edge, (first, second) = self._edge, self._strengths
        loser, winner = (second, first) if edge > 0 else (first, second)
        deep = log1p(min(betting.stacks) / betting.chips)
        matched, ahead = chance * betting.at_stake, first - second
        parts = (edge, ahead, edge * abs(edge), edge * loser, edge * winner, edge * deep, ahead * deep)
        for at, part in enumerate(parts, start=1):
            found[at] += matched * part

    def _add_unanswered(self, found: list[float], betting: Betting, chance: float) -> None:
        seat = betting.actor
        paid, other = betting.chips_in(seat), betting.chips_in(1 - seat)
        own, against = self._strengths[seat], self._strengths[1 - seat]
        if seat:
            chance = -chance
        edge = -self._edge if seat else self._edge
        called = min(paid + betting.to_call, other)
        parts = (paid, paid * own, called * edge, called * own, called * against)
        for at, part in enumerate(parts, start=1 + _ENDED):
            found[at] += chance * part

    def _choices(self, betting: Betting) -> list[_Choice] | None:
        """Return what the seat to act may do; None if its policy fails, or is not gone through."""
        log = betting.log
        if log not in self._known:
            try:
                policy = self._policies[betting.actor](
                    observe(_Moment(betting, self._holes, self._board), self._number)
                )
                self._known[log] = None if isinstance(policy, PotRaises) else self._listed(policy, betting)
            except Exception:  # foreign code, asked about what never happened: it may raise or return anything
                self._known[log] = None
        return self._known[log]

    def _listed(self, policy: Policy, betting: Betting) -> list[_Choice] | None:
        """Return the choices of a policy, no two of which overlap; None if they are too many, or cannot be right."""
        chances: dict[tuple[Kind, int, int], float] = {}
        raises: list[tuple[int, int, float]] = []
        whole = 0.0
        for choice, chance in policy:
            if isinstance(choice, Sizes):
                raises.append((choice.low, choice.high, chance))
            elif choice.kind == "raiseTo":
                raises.append((choice.amount, choice.amount, chance))
            else:
                key = (choice.kind, 0, 0)
                chances[key] = chances.get(key, 0.0) + chance
            whole += chance
            if not chance >= -_TOLERANCE or len(raises) > _MOST_CHOICES:
                return None
        if abs(whole - 1) > _TOLERANCE:
            return None
        least, most = betting.min_raise_to, betting.max_raise_to
        if not all(0 < least <= low <= high <= most for low, high, _ in raises):
            return None
        chances.update((("raiseTo", low, high), chance) for low, high, chance in _apart(raises))
        return self._moved(chances, betting) if len(chances) <= _MOST_CHOICES else None

    def _moved(self, chances: dict[tuple[Kind, int, int], float], betting: Betting) -> list[_Choice] | None:
        """Return choices with what they lead to; None if one is not legal."""
        found = []
        for (kind, low, high), chance in chances.items():
            moved = betting.after(kind, (low + high) // 2)
            if moved is None:
                return None
            # As in the game, nobody may raise after so many actions.
            moved = moved if len(moved.log) < self._longest else moved.without_raises()
            found.append(_Choice(kind, low, high, chance, moved))
        return found


def _apart(raises: list[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """Cut ranges of sizes where others begin or end: no two overlap, and every size keeps its probability.

    >>> _apart([(200, 263, 0.5), (232, 232, 0.25)])
    [(200, 231, 0.25), (232, 232, 0.2578125), (233, 263, 0.2421875)]
    """
    cuts = sorted({cut for low, high, _ in raises for cut in (low, high + 1)})
    found = []
    for low, after in pairwise(cuts):
        inside = [(first, last, chance) for first, last, chance in raises if first <= low and after <= last + 1]
        if inside:
            parts = [chance * (after - low) / (last - first + 1) for first, last, chance in inside]
            found.append((low, after - 1, fsum(parts)))
    return found
