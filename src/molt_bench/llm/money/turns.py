"""Whose turn it is to ask: under a limit, only as many games are played at once as the money that is left can finish.

Games count in an order: the first seed pair of every match comes before the second of any. One goes on only if what
those before it still need is not touched, and none if what is left finishes none. So a limit ends a run on whole seed
pairs, and not in the middle of many. What a game needs is judged by what a hand has cost so far, and at first by what a
plan expects of it.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from itertools import count
from math import fsum, inf
from typing import Final

import msgspec

from molt_bench.errors import GameUnfinished
from molt_bench.llm.money.estimate import estimate_of
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.money.purse import Purse
from molt_bench.llm.money.replies import Amount
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.specs import GameLabel, GameSpec

#: Hands that the expectation counts for, beside those that were seen.
_PRIOR_HANDS: Final = 4.0
#: What is kept for a game over what it is likely to cost, how much more while that is only expected and nothing was
#: seen, and the least share of that until it ends.
_MARGIN: Final = 1.05
_UNSURE: Final = 3.0
_LEAST: Final = 0.05
#: Hands of every model after which what they have cost says what others will; and the share of what a seed pair needs
#: below which it is not even tried.
_ENOUGH_HANDS: Final = 12
_HOPELESS: Final = 0.9
#: Exchanges after which it is worked out anew how many games the money reaches for.
_OFTEN: Final = 8
#: Seconds without a request after which the next game may ask, whatever those before it still need.
_QUIET_S: Final = 2.0


class _Sum(msgspec.Struct):
    """What some hands have cost."""

    usd: float = 0.0
    tokens: float = 0.0
    hands: float = 0.0

    def add(self, more: "_Sum") -> None:
        """Add what others have cost."""
        self.usd += more.usd
        self.tokens += more.tokens
        self.hands += more.hands

    def each(self) -> Amount:
        """Return what a hand costs."""
        return Amount(self.usd / self.hands, self.tokens / self.hands) if self.hands else Amount()


class _Hands:
    """What one model has cost, by hand; at first what is expected.

    Attributes:
        over: The hands that are over.
        under_way: Those that are not, of each of which half is over, about.
    """

    def __init__(self, settings: LLMSettings, prices: PriceList, hands: int) -> None:
        found = estimate_of(settings, hands)
        usd, tokens = found.usd_per_call(settings, prices) or 0.0, found.input_tokens + found.output_tokens
        self._expected = Amount(found.calls_per_hand * usd, found.calls_per_hand * tokens)
        self.over = _Sum()
        self.under_way = _Sum()

    def each(self) -> Amount:
        """Return what a hand costs, as far as is known: rather more than less, as long as few are over."""
        over, weight = self.over, _PRIOR_HANDS if self.over.hands < _ENOUGH_HANDS else 0.0
        known, expected = _Sum(over.usd, over.tokens, over.hands + weight), self._expected
        known.add(_Sum(weight * expected.usd, weight * expected.tokens))
        all_of_them = _Sum(known.usd, known.tokens, known.hands)
        all_of_them.add(self.under_way)
        one, other = known.each(), all_of_them.each()
        return Amount(max(one.usd, other.usd), max(one.tokens, other.tokens))

    @property
    def margin(self) -> float:
        """How many times as much is kept."""
        return _MARGIN + _UNSURE * _PRIOR_HANDS / (self.over.hands + _PRIOR_HANDS)


class _Game(msgspec.Struct):
    """A game that is not over: its models, its hands so far, what it has cost, and the hand under way of each model."""

    models: tuple[str, ...] = ()
    hands: int = 0
    usd: float = 0.0
    tokens: float = 0.0
    number: dict[str, int] = msgspec.field(default_factory=dict)
    hand: dict[str, _Sum] = msgspec.field(default_factory=dict)


class Turns:
    """Decides whose turn it is to ask, while money is limited.

    Attributes:
        hands: Hands that have begun, in all games.

    Args:
        models: The settings of every participant that is a model, by name.
        prices: What they cost.
        purse: What may be spent.
        hands: Hands of a game.
    """

    def __init__(self, models: Mapping[str, LLMSettings], prices: PriceList, purse: Purse, *, hands: int) -> None:
        self._purse = purse
        self._hands = hands
        self.hands = 0
        self._by_model = {name: _Hands(each, prices, hands) for name, each in models.items()}
        self._games: dict[GameLabel, _Game] = defaultdict(_Game)
        self._order: dict[GameLabel, int] = {}
        self._reach: set[GameLabel] = set()
        self._stale = 0
        self._asking = 0
        self._arrivals = count()
        self._waiting: list[tuple[int, int, GameLabel, asyncio.Future[None]]] = []
        self._timer: asyncio.TimerHandle | None = None

    def deal(self, games: Mapping[GameLabel, GameSpec]) -> dict[GameLabel, GameSpec]:
        """Take note of the games that are played next; return them in the order in which they count."""
        ordered = dict(games)
        if self._purse.limited:
            number: dict[tuple[int, object], int] = {}
            seeds: dict[int, int] = defaultdict(int)
            for label in games:
                if (label.match, label.seed) not in number:
                    number[label.match, label.seed] = seeds[label.match]
                    seeds[label.match] += 1
            ordered = dict(sorted(games.items(), key=lambda each: number[each[0].match, each[0].seed]))
        self._order = {label: at for at, label in enumerate(ordered)}
        for label in [each for each in self._games if each not in games]:
            self._close(label)
        for label, spec in ordered.items():
            self._games[label].models = tuple(name for name in spec.players if name in self._by_model)
        self._work_out()
        return ordered

    def add(self, exchange: Exchange) -> None:
        """Count an exchange."""
        model = self._by_model.get(exchange.participant)
        if model is None or not exchange.hand:
            return
        usd, tokens = (exchange.cost_usd or 0.0) + exchange.lost.usd, exchange.tokens.total + exchange.lost.tokens
        game, name = self._games[exchange.game], exchange.participant
        game.usd += usd
        game.tokens += tokens
        self.hands += max(0, exchange.hand - game.hands)
        game.hands = max(game.hands, exchange.hand)
        if exchange.hand > game.number.get(name, 0):
            self._hand_over(game, name, exchange.hand - game.number.get(name, 1))
            game.number[name], game.hand[name] = exchange.hand, _Sum(hands=0.5)
            model.under_way.add(_Sum(hands=0.5))
        game.hand[name].add(_Sum(usd, tokens))
        model.under_way.add(_Sum(usd, tokens))
        self._stale += 1
        if self._stale >= max(_OFTEN, len(self._order) // _OFTEN):
            self._work_out()

    def ended(self, label: GameLabel) -> None:
        """Take note that a game is over."""
        self._close(label)
        if self._order.pop(label, None) is not None:
            self._work_out()

    def _close(self, label: GameLabel) -> None:
        game = self._games.pop(label, _Game())
        for name in game.hand:
            self._hand_over(game, name, 1)

    def _hand_over(self, game: _Game, name: str, hands: int) -> None:
        """Count so many hands of a model as over: the one under way, and those in which it was not asked."""
        was, model = game.hand.get(name, _Sum()), self._by_model[name]
        model.over.add(_Sum(was.usd, was.tokens, hands))
        model.under_way.add(_Sum(-was.usd, -was.tokens, -was.hands))

    def games_bought(self) -> float | None:
        """Return how many games all of the money buys, by what hands have cost; None as long as too little is known."""
        playing = {name for game in self._games.values() for name in game.models}
        if (
            not playing
            or not self._purse.limited
            or min(self._by_model[name].over.hands for name in playing) < _ENOUGH_HANDS
        ):
            return None
        costs = [self._whole(game) for game in self._games.values()]
        purse, usd, tokens = self._purse, fsum(each.usd for each in costs), fsum(each.tokens for each in costs)
        by_usd = purse.most_usd * len(costs) / usd if purse.most_usd is not None and usd else inf
        by_tokens = purse.most_tokens * len(costs) / tokens if purse.most_tokens is not None and tokens else inf
        return min(by_usd, by_tokens)

    @property
    def playing(self) -> int:
        """Number of games that have begun and are not over."""
        return sum(game.hands > 0 for game in self._games.values())

    async def turn(self, label: GameLabel) -> None:
        """Wait until a game may ask; call `over` afterwards. Raises GameUnfinished if the money is spent first."""
        if not self._may_ask(label):
            turn = asyncio.get_running_loop().create_future()
            heappush(self._waiting, (self._order[label], next(self._arrivals), label, turn))
            self._serve()
            await turn
        if self._purse.spent is not None:
            raise GameUnfinished("the budget is spent")
        self._asking += 1

    def reaches(self, label: GameLabel) -> bool:
        """Return whether a game may still ask, once it was its turn and something else was waited for."""
        return self._asking == 1 or self._may_ask(label)

    def over(self) -> None:
        """End a turn."""
        self._asking -= 1
        self._serve()

    def _may_ask(self, label: GameLabel) -> bool:
        limited = self._purse.limited and label in self._order
        return not limited or label in self._reach or self._purse.spent is not None

    def _whole(self, game: _Game) -> Amount:
        """Return what all of a game costs, as far as is known."""
        each = [self._by_model[name].each() for name in game.models]
        return Amount(self._hands * fsum(one.usd for one in each), self._hands * fsum(one.tokens for one in each))

    def _work_out(self) -> None:
        """Work out for which games the money reaches: for whole seed pairs, and as long as little is known for one."""
        self._stale = 0
        if not self._purse.limited or not self._order:
            return
        left = self._purse.left()
        usd, tokens, hopeful = left.usd, left.tokens, False
        pairs: dict[tuple[int, object], list[GameLabel]] = defaultdict(list)
        for label in self._order:
            pairs[label.match, label.seed].append(label)
        self._reach.clear()
        for labels in pairs.values():
            needs = [self._need(self._games[label]) for label in labels]
            need = Amount(fsum(each.usd for each in needs), fsum(each.tokens for each in needs))
            models = [self._by_model[name] for label in labels for name in self._games[label].models]
            unknown = min((each.over.hands for each in models), default=0.0) < _ENOUGH_HANDS
            hope = unknown or (_HOPELESS * need.usd <= left.usd and _HOPELESS * need.tokens <= left.tokens)
            hopeful |= hope
            margin = max((each.margin for each in models), default=1.0)
            if (hope and not self._reach) or (margin * need.usd <= usd and margin * need.tokens <= tokens):
                usd -= margin * need.usd
                tokens -= margin * need.tokens
                self._reach.update(labels)
        if not hopeful and self._purse.spent is None:
            self._purse.end(too_little=True)
        self._serve()

    def _need(self, game: _Game) -> Amount:
        """Return what a game still costs."""
        whole = self._whole(game)
        usd, tokens = whole.usd - game.usd, whole.tokens - game.tokens
        return Amount(max(usd, _LEAST * whole.usd), max(tokens, _LEAST * whole.tokens))

    def _serve(self) -> None:
        """Let those ask whose turn it is."""
        ready = [each for each in self._waiting if self._may_ask(each[2])]
        if ready:
            self._waiting = [each for each in self._waiting if not self._may_ask(each[2])]
            heapify(self._waiting)
            for *_, turn in sorted(ready, key=lambda each: each[:2]):
                if not turn.done():
                    turn.set_result(None)
        if self._waiting and not self._asking and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_QUIET_S, self._nobody_asks)

    def _nobody_asks(self) -> None:
        """Let the first ask whose turn it is not, if those before it wait for something else: for a person, say."""
        self._timer = None
        if self._waiting and not self._asking:
            turn = heappop(self._waiting)[3]
            if not turn.done():
                turn.set_result(None)
