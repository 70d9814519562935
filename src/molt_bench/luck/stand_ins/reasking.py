"""How many answers of a model a decision is worth: more of them the more depends on which one is drawn.

Of N answers one is drawn, so the odds of the draw are known, and a share of 1 / N of its variance is left. With a
standard deviation s of the draw, answers in proportion to s make the product of cost and variance least. How much
depends on a draw is guessed by stand-ins that learned from earlier matches. It may depend on anything that is known
before the draw, also on the cards that nobody sees yet.

A model never learns how often it is asked, but a server does, and could guess from it what those cards are. So where a
server is not its provider's, the number depends on what the seat to act sees and on nothing else: other cards are drawn
for the rest of the deal.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import sqrt
from threading import Lock
from typing import Final

import numpy as np

from molt_bench.luck.cards.card_luck import street_equities
from molt_bench.luck.stand_ins.ahead import variances
from molt_bench.luck.stand_ins.betting_arrays import At, Deals, column_of
from molt_bench.luck.stand_ins.features import card_features
from molt_bench.luck.stand_ins.learned import StandIns
from molt_bench.luck.stand_ins.visited import MOST_STACK, NO_CAP
from molt_bench.poker.betting import Betting, opening
from molt_bench.poker.cards import Deal
from molt_bench.poker.deck import Shoe
from molt_bench.poker.observation import Observation
from molt_bench.seeds import derive
from molt_bench.specs import GameSpec

#: Standard deviation of a draw that one answer is for, in big blinds.
STEP_BB: Final = 4.0
#: Most answers.
MOST: Final = 12
#: Deals that are looked at where a server may count its questions.
_DEALS: Final = 8


class Reasking:
    """How many answers decisions are worth, by stand-ins that learn nothing more.

    Args:
        stand_ins: The stand-ins.
        numbers: The number of each participant.
    """

    def __init__(self, stand_ins: StandIns, numbers: Mapping[str, int]) -> None:
        self._stand_ins, self._numbers = stand_ins, numbers
        self._lock = Lock()  # of caches

    def of(self, game: GameSpec, participant: str, *, counted: bool) -> Callable[[Observation], int] | None:
        """Return how many answers of a participant decisions in a game are worth; None if it is one everywhere.

        `counted` says whether a server may count its questions, to learn about cards from it.
        """
        numbers = [self._numbers.get(name) for name in game.players]
        known = [number for number in numbers if number is not None and self._stand_ins.knows(number)]
        if len(known) < len(numbers) or game.stack > MOST_STACK // 2:
            return None
        own, other = known if game.players[0] == participant else known[::-1]
        return partial(self._worth, game, (own, other), counted)

    def _worth(self, game: GameSpec, agents: tuple[int, int], counted: bool, seen: Observation) -> int:  # noqa: FBT001
        with self._lock:
            dealt = [_other_deal(seen, at) for at in range(_DEALS)] if counted else [_deal(game, seen)]
            deals = _deals(dealt, seen, agents, game.max_actions)
            moments = np.repeat(np.array([column_of(_moment(seen, game.max_actions), 0)]).T, len(dealt), axis=1)
            moments[At.HAND] = np.arange(len(dealt))
            variance = float(variances(moments, deals, self._stand_ins).mean())
        return min(max(round(sqrt(variance) / seen.big_blind / STEP_BB), 1), MOST)


def _moment(seen: Observation, max_actions: int) -> Betting:
    """Return the betting up to a decision."""
    betting = opening.of(seen.rules, seen.starting_stacks, seen.button).unshared()
    for done in seen.log:
        after = betting.after(done.kind, done.amount)
        if after is None:
            raise ValueError(f"an action that is not legal: {done}")
        betting = after
    return betting if len(betting.log) < max_actions else betting.without_raises()


def _deals(dealt: Sequence[Deal], seen: Observation, agents: tuple[int, int], max_actions: int) -> Deals:
    count, cap = len(dealt), seen.rules.raise_cap
    return Deals(
        stacks=np.array([seen.starting_stacks] * count),
        button=np.full(count, seen.button),
        cap=np.full(count, NO_CAP if cap is None else cap),
        big_blind=np.full(count, seen.big_blind),
        max_actions=np.full(count, max_actions),
        equities=np.array([street_equities(*each) for each in dealt]),
        cards=np.array([card_features(*each) for each in dealt], np.int64),
        agents=np.array([agents[::-1] if seen.seat else agents] * count),
    )


def _deal(game: GameSpec, seen: Observation) -> Deal:
    """Return the cards of a hand."""
    return Shoe(game.decks).deal(seen.hand_number)


def _other_deal(seen: Observation, number: int) -> Deal:
    """Return a deal of which the seat sees the same."""
    left = [card for card in range(52) if card not in seen.cards and card not in seen.board]
    bits = derive("reask", seen.hand_number, len(seen.log), number)
    drawn = []
    for _ in range(2 + 5 - len(seen.board)):
        bits, at = divmod(bits, len(left))
        drawn.append(left.pop(at))
    one, two, *rest = drawn
    holes = ((one, two), seen.cards) if seen.seat else (seen.cards, (one, two))
    return holes, (*seen.board, *rest)
