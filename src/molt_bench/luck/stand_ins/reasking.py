"""How many answers of a model a decision is worth: more of them the more depends on which one is drawn.

Of N answers one is drawn, so the odds of the draw are known, and a share of 1 / N of its variance is left. With a
standard deviation s of the draw, answers in proportion to s make the product of cost and variance least. How much
depends on a draw is guessed by stand-ins that learned from earlier matches. It may depend on anything known before the
draw, and it depends on what the seat to act sees and on nothing else: whoever counts the questions, such as a server of
the user's own, learns nothing about cards that it does not see. So other cards are drawn for the rest of the deal, and
each counts by how likely the other player's stand-in would have played as that player did.
"""

from collections.abc import Callable, Mapping
from functools import partial
from math import sqrt
from threading import Lock
from typing import TYPE_CHECKING, Final

from molt_bench.lazy_import import lazy_import
from molt_bench.luck.cards.card_luck import street_equities
from molt_bench.luck.stand_ins.ahead import variances
from molt_bench.luck.stand_ins.betting_arrays import At, Deals, column_of
from molt_bench.luck.stand_ins.features import card_features
from molt_bench.luck.stand_ins.learned import StandIns
from molt_bench.luck.stand_ins.visited import MOST_STACK, NO_CAP, class_of
from molt_bench.poker.betting import Betting, opening
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.observation import Observation
from molt_bench.seeds import derive
from molt_bench.specs import GameSpec

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy_import("numpy")

#: Standard deviation of a draw that one answer is for, in big blinds.
STEP_BB: Final = 4.0
#: Most answers.
MOST: Final = 12
#: Deals that are looked at.
_DEALS: Final = 8
#: What is added to a chance, since a stand-in may be wrong about what its player would never do.
_DOUBT: Final = 0.01


class Reasking:
    """How many answers decisions are worth, by stand-ins that learn nothing more.

    Args:
        stand_ins: The stand-ins.
        numbers: The number of each participant.
    """

    def __init__(self, stand_ins: StandIns, numbers: Mapping[str, int]) -> None:
        self._stand_ins, self._numbers = stand_ins, numbers
        self._lock = Lock()  # of caches

    def of(self, game: GameSpec, participant: str) -> Callable[[Observation], int] | None:
        """Return how many answers of a participant decisions in a game are worth; None if it is one everywhere."""
        other = game.players[1 - game.players.index(participant)]
        numbers = [self._numbers.get(name) for name in (participant, other)]
        known = [number for number in numbers if number is not None and self._stand_ins.knows(number)]
        return partial(self._worth, game.max_actions, known[0], known[1]) if len(known) == len(numbers) else None

    def _worth(self, max_actions: int, own: int, other: int, seen: Observation) -> int:
        if max(seen.starting_stacks) > MOST_STACK:
            return 1
        with self._lock:
            agents = (other, own) if seen.seat else (own, other)
            found = _deviation(self._stand_ins, agents, max_actions, seen)
        return min(max(round(found / seen.big_blind / STEP_BB), 1), MOST)


def _deviation(stand_ins: StandIns, agents: tuple[int, int], max_actions: int, seen: Observation) -> float:
    """Return the standard deviation of what is drawn at a decision, in chips: over all that the seat does not see."""
    path, answered = _path(seen, max_actions)
    deals = _deals(seen, agents, max_actions)
    moments = np.repeat(np.array([column_of(path[-1], 0)], np.int64).T, _DEALS, axis=1)
    moments[At.HAND] = np.arange(_DEALS)
    weights = np.ones(_DEALS)
    for betting, done in zip(path, answered, strict=False):
        if betting.actor != seen.seat:
            before = np.repeat(np.array([column_of(betting, 0)], np.int64).T, _DEALS, axis=1)
            before[At.HAND] = np.arange(_DEALS)
            weights *= stand_ins.odds(before, deals)[0][:, done] + _DOUBT
    variance = float((weights * variances(moments, deals, stand_ins)).sum() / weights.sum())
    return sqrt(variance)


def _path(seen: Observation, max_actions: int) -> tuple[list[Betting], list[int]]:
    """Return the moments of a hand up to a decision, and the class of what was done at those before it."""
    betting = opening.of(seen.rules, seen.starting_stacks, seen.button).unshared()
    path, classes = [], []
    for done in seen.log:
        path.append(betting)
        classes.append(class_of(done.kind, done.amount, betting))
        after = betting.after(done.kind, done.amount)
        if after is None:
            raise ValueError(f"an action that is not legal: {done}")
        betting = after
    path.append(betting if len(betting.log) < max_actions else betting.without_raises())
    return path, classes


def _deals(seen: Observation, agents: tuple[int, int], max_actions: int) -> Deals:
    """Return deals of which the seat sees as much as of the actual one."""
    hands = [_dealt(seen, number) for number in range(_DEALS)]
    cap = NO_CAP if seen.rules.raise_cap is None else seen.rules.raise_cap
    return Deals(
        stacks=np.array([seen.starting_stacks] * _DEALS),
        button=np.full(_DEALS, seen.button),
        cap=np.full(_DEALS, cap),
        big_blind=np.full(_DEALS, seen.big_blind),
        max_actions=np.full(_DEALS, max_actions),
        equities=np.array([street_equities(*hand) for hand in hands]),
        cards=np.array([card_features(*hand) for hand in hands], np.int64),
        agents=np.array([agents] * _DEALS),
    )


def _dealt(seen: Observation, number: int) -> tuple[tuple[Hole, Hole], Board]:
    """Return the cards of a deal, by what the seat sees and by dice of its number."""
    left = [card for card in range(52) if card not in seen.cards and card not in seen.board]
    bits = derive("reask", seen.hand_number, len(seen.log), number)
    drawn = []
    for _ in range(2 + 5 - len(seen.board)):
        bits, at = divmod(bits, len(left))
        drawn.append(left.pop(at))
    one, two, *rest = drawn
    holes = ((one, two), seen.cards) if seen.seat else (seen.cards, (one, two))
    return holes, (*seen.board, *rest)
