"""A plan: what a config takes and what its budget can show, before any money is spent. Formulas, no simulation.

What a budget shows is the run's own rule on what will be known by then, if every pairing has played equally often and
its seed pairs vary as in the pilot, or as assumed without one. A real lead fluctuates around the true one, so single
runs need half or twice as much.
"""

from collections import Counter
from math import ceil, fsum, sqrt
from typing import Final

import msgspec

from molt_bench.bench.ladder import margin_model
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.bench.stop_rules import judge_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.stop import Budget
from molt_bench.llm.prices import PriceList
from molt_bench.rating.boundary import WIDE
from molt_bench.seeds import load_seeds
from molt_bench.study.pilot import NO_PILOT, Pilot, assumed_deviation, needs_of

#: Hands per second of scripted bots, including the removal of luck.
BOT_HANDS_PER_SECOND: Final = 1000.0
_LEAST_SD: Final = 1.0


class Price(msgspec.Struct, frozen=True):
    """What some matches take, spread evenly over the pairings.

    Attributes:
        hands: Hands, at most.
        calls: Calls to language models.
        tokens: Their tokens, input and output.
        usd: Dollars, where prices are known; None if there is no price at all.
        unpriced: The models without a price.
        hours: Hours, with the games of a round at once.
    """

    matches: int
    games: int
    hands: int
    calls: int
    tokens: int
    usd: float | None
    unpriced: tuple[str, ...]
    hours: float


class Plan:
    """Computes what a config will take.

    Attributes:
        deviation: Standard deviation of a seed pair, in thousandths of a big blind per hand.
        models: What each language model is expected to use.
        opening: Matches until every pairing has played the least number of seed pairs.

    Args:
        pilot: What an earlier run taught.
    """

    def __init__(self, config: BenchmarkConfig, pilot: Pilot = NO_PILOT) -> None:
        self.config, self.pilot = config, pilot
        self.pairs = config.pairings()
        prices, hands = PriceList(config.llm.prices), 2 * config.game.hands_per_game
        self.deviation = max(self.pilot.deviation or assumed_deviation(config), _LEAST_SD) / sqrt(hands)
        self.models = tuple(
            needs_of(name, settings, self.pilot, prices, hands=self._dealt)
            for name, settings in config.models().items()
        )
        self.opening = ceil(config.scheduler.min_seed_pairs / config.seeds.per_match) * len(self.pairs)

    @property
    def _dealt(self) -> int:
        """How many hands a game has, with those that do not count."""
        return self.config.game.hands_per_game + self.config.game.warmup_hands

    def price(self, matches: int) -> Price:
        """Return what so many matches take."""
        games = 2 * self.config.seeds.per_match * matches
        hands = games * self._dealt
        meets = Counter(name for pair in self.pairs for name in pair)
        calls = {each.id: hands * meets[each.id] / len(self.pairs) * each.use.calls_per_hand for each in self.models}
        unpriced = tuple(each.id for each in self.models if each.usd_per_call is None)
        usd = fsum(calls[each.id] * (each.usd_per_call or 0.0) for each in self.models)
        tokens = fsum(calls[each.id] * (each.use.input_tokens + each.use.output_tokens) for each in self.models)
        return Price(
            matches=matches,
            games=games,
            hands=hands,
            calls=round(fsum(calls.values())),
            tokens=round(tokens),
            usd=None if unpriced and len(unpriced) == len(self.models) else usd,
            unpriced=unpriced,
            hours=(self._waiting_s(matches, calls) + hands / BOT_HANDS_PER_SECOND) / 3600,
        )

    def _waiting_s(self, matches: int, calls: dict[str, float]) -> float:
        """Return how long replies take: as long as the longest game of each round, or as limits dictate."""
        settings, size = self.config.models(), self.config.matches_per_round()
        in_game = {each.id: self._dealt * each.use.calls_per_hand * each.latency_s for each in self.models}
        games = [sum(in_game.get(name, 0.0) for name in pair) for pair in self.pairs]
        sweep = fsum(max(games[start : start + size]) for start in range(0, len(games), size))
        in_all = {each.id: calls[each.id] * each.latency_s for each in self.models}
        waits = [sweep * matches / len(games)]
        for name, seconds in in_all.items():
            at_once, a_minute = settings[name].max_concurrent, settings[name].requests_per_minute
            waits += [seconds / at_once] if at_once else []
            waits += [calls[name] * 60 / a_minute] if a_minute else []
        return max(waits)

    def most_matches(self) -> int | None:
        """Return how many matches the limits of matches, games, hands and seeds allow; None without such a limit."""
        config = self.config
        limits, games = config.stop.budget or Budget(max_matches=None), 2 * config.seeds.per_match
        listed = None if config.seeds.file is None else load_seeds(config.seeds.file)
        known = [
            limit // share
            for limit, share in (
                (SeedBlocks(config, listed).matches, 1),
                (limits.max_matches, 1),
                (limits.max_games, games),
                (limits.max_hands, games * self._dealt),
            )
            if limit is not None
        ]
        return max(1, min(known)) if known else None

    def affordable(self) -> int | None:
        """Return how many matches the limits of dollars and tokens allow as well; None without any limit."""
        limits, price = self.config.stop.budget or Budget(max_matches=None), self.price(1)
        known = [self.most_matches()]
        for limit, each in ((limits.max_cost_usd, price.usd), (limits.max_tokens, price.tokens)):
            known.append(int(limit / each) if limit is not None and each else None)
        return min((each for each in known if each is not None), default=None)

    def shown_by(self, matches: int) -> tuple[float, bool] | None:
        """Return how far apart the two must be that so many matches order, and whether closer ones are called tied.

        None where ratings decide, or the matches are too few for the opening.
        """
        rule = self.config.stop.adjacent_confidence
        if rule is None or rule.method != "margin" or matches < self.opening:
            return None
        half_width, tied_below = self._half_width(matches), WIDE * rule.tie_margin_mbb / 2
        # Of two that are closer, the run is sooner sure that they are tied.
        return max(half_width, tied_below), half_width <= tied_below

    def _half_width(self, matches: int) -> float:
        """Return how wide the interval of a lead is, on either side, once every pairing has played its share."""
        model, judge = margin_model(self.config), judge_of(self.config)
        count = max(1.0, matches * self.config.seeds.per_match / len(self.pairs))
        first, second = model.numbers(self.pairs)
        for one, two in ((first, second), (second, first)):
            model.sums.count[0, one, two] = count
            model.sums.squares[0, one, two] = (count - 1) * self.deviation**2
        # Only anchors and a yardstick make a difference, so those who are alike come together.
        field = dict(zip(model.participants, model.sums.field.tolist(), strict=True))
        return max(each.half_width for each in judge.neighbours(model, sorted(field, key=field.__getitem__)))
