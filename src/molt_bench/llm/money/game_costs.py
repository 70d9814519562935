"""What games cost: under a limit, only as many are played at once as the money that is left can finish.

Games count in the order in which they are dealt. One goes on only if what those before it still need is not touched. So
a limit ends a run on whole seed pairs, and not in the middle of many. What a game needs is judged by what a hand has
cost so far, and at first by what a plan expects of it.
"""

import asyncio
from collections.abc import Mapping
from heapq import heappop, heappush
from itertools import count, groupby
from math import fsum
from typing import Final, TypeAlias

import msgspec

from molt_bench.errors import GameUnfinished
from molt_bench.llm.money.budget import ModelBudget
from molt_bench.llm.money.expected_use import expected_of
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.specs import GameLabel, Pair

#: Hands that the expectation counts for, beside those that were seen.
_PRIOR_HANDS: Final = 4.0
#: What is kept for a game over what it is likely to cost, how much more while that is only expected and nothing was
#: seen, and the least share of that until it ends.
_MARGIN: Final = 1.15
_UNSURE: Final = 3.0
_LEAST: Final = 0.05
#: Exchanges after which it is worked out anew how many games the money reaches for.
_OFTEN: Final = 8

#: Seconds without a request after which the next game may ask, whatever those before it still need.
_QUIET_S: Final = 2.0

#: Dollars and tokens.
Cost: TypeAlias = tuple[float, float]


class _Hands:
    """What one model has cost, by hand; at first what is expected."""

    def __init__(self, settings: LLMSettings, prices: PriceList, hands: int) -> None:
        found = expected_of(settings, hands)
        calls = found.calls_per_hand * _PRIOR_HANDS
        self.usd = calls * (found.usd_per_call(settings, prices) or 0.0)
        self.tokens = calls * (found.input_tokens + found.output_tokens)
        self.hands = _PRIOR_HANDS

    def of(self, hands: int) -> Cost:
        """Return what to keep for so many hands."""
        margin = (_MARGIN + _UNSURE * _PRIOR_HANDS / self.hands) * hands / self.hands
        return self.usd * margin, self.tokens * margin


class _Spent(msgspec.Struct):
    """What a game has cost so far, and the hands that each model was asked in."""

    usd: float = 0.0
    tokens: float = 0.0
    hands: dict[str, float] = msgspec.field(default_factory=dict)


_NOTHING: Final = _Spent()


class GameCosts:
    """Decides whose turn it is to ask, while money is limited.

    Args:
        models: The settings of every participant that is a model, by name.
        prices: What they cost.
        budget: What may be spent.
        hands: Hands of a game.
    """

    def __init__(
        self, models: Mapping[str, LLMSettings], prices: PriceList, budget: ModelBudget, *, hands: int
    ) -> None:
        self._budget = budget
        self._hands = hands
        self._by_model = {name: _Hands(each, prices, hands) for name, each in models.items()} if budget.limited else {}
        self._dealt: dict[GameLabel, Pair] = {}
        self._numbers: dict[GameLabel, int] = {}
        self._spent: dict[GameLabel, _Spent] = {}
        self._reach = 0
        self._stale = 0
        self._asking = 0
        self._arrivals = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._timer: asyncio.TimerHandle | None = None

    def deal(self, games: Mapping[GameLabel, Pair]) -> None:
        """Take note of the games that are played next, in their order."""
        if self._budget.limited:
            self._dealt = dict(games)
            self._numbers = {label: number for number, label in enumerate(games)}
            self._spent = {label: found for label, found in self._spent.items() if label in games}
            self._work_out()

    def add(self, exchange: Exchange) -> None:
        """Count an exchange."""
        model = self._by_model.get(exchange.participant)
        if model is None or not exchange.attempt:
            return
        game = self._spent.setdefault(exchange.game, _Spent())
        usd, tokens = exchange.most
        before, now = game.hands.get(exchange.participant, 0.0), exchange.hand - 0.5  # half of a hand is over, about
        model.usd += usd
        model.tokens += tokens
        model.hands += max(0.0, now - before)
        game.usd += usd
        game.tokens += tokens
        game.hands[exchange.participant] = max(before, now)
        self._stale += 1
        if self._stale >= max(_OFTEN, len(self._dealt) // _OFTEN):
            self._work_out()

    def ended(self, label: GameLabel) -> None:
        """Take note that a game is over."""
        if self._dealt.pop(label, None) is not None:
            self._spent.pop(label, None)
            self._work_out()

    async def turn(self, label: GameLabel) -> None:
        """Wait until a game may ask; call `over` afterwards. Raises GameUnfinished if the budget is spent first."""
        number = self._numbers.get(label, -1)
        if number >= self._reach and self._budget.spent is None:
            turn = asyncio.get_running_loop().create_future()
            heappush(self._waiting, (number, next(self._arrivals), turn))
            self._serve()
            await turn
        if self._budget.spent is not None:
            raise GameUnfinished("the budget is spent")
        self._asking += 1

    def reaches(self, label: GameLabel) -> bool:
        """Return whether a game may still ask, once it was its turn and something else was waited for."""
        return self._asking == 1 or self._numbers.get(label, -1) < self._reach or self._budget.spent is not None

    def over(self) -> None:
        """End a turn."""
        self._asking -= 1
        self._serve()

    def _work_out(self) -> None:
        """Work out for how many games the money reaches: for whole seed pairs, and the first one at least."""
        self._stale = 0
        usd, tokens = self._budget.left()
        usual = {name: each.of(self._hands) for name, each in self._by_model.items()}
        self._reach = 0
        for _, labels in groupby(self._dealt, key=lambda label: (label.match, label.seed)):
            number = 0
            for label in labels:
                spent = self._spent.get(label, _NOTHING)
                costs = [usual[name] for name in self._dealt[label] if name in usual]
                whole = fsum(each[0] for each in costs), fsum(each[1] for each in costs)
                usd -= max(whole[0] - spent.usd, _LEAST * whole[0])
                tokens -= max(whole[1] - spent.tokens, _LEAST * whole[1])
                number = self._numbers[label]
            if self._reach and (usd < 0 or tokens < 0):
                break
            self._reach = number + 1
        self._serve()

    def _serve(self) -> None:
        """Let those ask whose turn it is."""
        while self._waiting and (self._waiting[0][0] < self._reach or self._budget.spent is not None):
            self._next()
        if self._waiting and not self._asking and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_QUIET_S, self._nobody_asks)

    def _nobody_asks(self) -> None:
        """Let the first ask whose turn it is not, if those before it wait for something else: for a person, say."""
        self._timer = None
        if self._waiting and not self._asking:
            self._next()

    def _next(self) -> None:
        turn = heappop(self._waiting)[2]
        if not turn.done():
            turn.set_result(None)
