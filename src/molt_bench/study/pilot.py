"""The pilot: what a plan learns from an earlier run, and the priors used without one."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum, sqrt
from statistics import fmean, median, variance
from typing import Final

import msgspec

from molt_bench.agents.llm.money.expected_use import Expected, expected_of
from molt_bench.agents.llm.money.prices import PriceList
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.types import Exchange
from molt_bench.bench.extended_run import another_stop
from molt_bench.bench.result import RunResult
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.specs import Pair

#: Standard deviation of a hand by estimator, in thousandths of a big blind, 100 big blinds deep. That of `adjusted` is
#: of eleven ladders (`benchmarks/ladders.txt`): 1,300 at 20 big blinds, 4,700 to 11,200 at 50, 11,400 to 12,800 at 100
#: and 13,900 at 200. Pairings of built-in bots differ more.
SD_PER_HAND: Final = {"raw": 18_000.0, "adjusted": 10_500.0}
#: Seconds for each call.
LATENCY_S: Final = 5.0
#: The standard deviation of a hand grows as this power of the stacks, over the same ladders.
_DEPTH_POWER: Final = 0.7
_DEPTH: Final = 100.0


def prior_deviation(config: BenchmarkConfig) -> float:
    """Return the standard deviation of a hand that is assumed without a pilot: the mean of all pairings."""
    deep: float = (config.game.stack / config.game.big_blind / _DEPTH) ** _DEPTH_POWER
    return SD_PER_HAND[config.rating.estimator] * deep


class ModelGuess(msgspec.Struct, frozen=True):
    """What one language model is expected to need, per call where nothing else is said.

    Attributes:
        cached_tokens: Input tokens read from a cache.
        cache_writes: Input tokens written to a cache, where that has a price of its own.
        usd_per_call: Dollars; None if no price is known.
        measured: Whether these numbers come from the pilot.
        output_range: The fewest and the most output tokens that would be no surprise; both 0 where they are measured.
        usd_range: Dollars with these; None if no price is known, or where they are measured.
        asked: How it is asked: the form of its replies with its version, and its track.
    """

    id: str
    calls_per_hand: float
    input_tokens: float
    cached_tokens: float
    output_tokens: float
    latency_s: float
    usd_per_call: float | None
    measured: bool
    asked: str = ""
    cache_writes: float = 0.0
    output_range: tuple[float, float] = (0.0, 0.0)
    usd_range: tuple[float, float] | None = None


class Pilot(msgspec.Struct, frozen=True):
    """What an earlier run teaches.

    Attributes:
        deviation_per_hand: Standard deviation of a hand, in thousandths of a big blind.
        seed_pairs: Number of seed pairs it is based on.
        models: What each of its models used, by participant and by model.
        variances: Variance of a hand of each pairing, and its degrees of freedom.
        margins: What one of each pairing won from the other, by its seed pairs: who it is, how much and how many.
        samples: What the first of each pairing won in each of its seed pairs, both ways round.
        config: Of the run; None if that is unknown.
    """

    deviation_per_hand: float
    seed_pairs: int
    models: dict[str, ModelGuess] = {}
    variances: dict[frozenset[str], tuple[float, int]] = {}
    margins: dict[frozenset[str], tuple[str, float, int]] = {}
    samples: dict[Pair, tuple[float, ...]] = {}
    config: BenchmarkConfig | None = None

    def margin(self, first: str, second: str) -> tuple[float, int]:
        """Return what the first won from the second in the pilot, and in how many seed pairs."""
        winner, margin, count = self.margins[frozenset((first, second))]
        return margin if winner == first else -margin, count

    def begins(self, config: BenchmarkConfig) -> bool:
        """Return whether it is the beginning of a run of this config: it can be resumed under that stop rule."""
        if self.config is None:
            return False
        seeds = config.seeds
        if seeds.master_seed is None:  # every run has one
            seeds = seeds.model_copy(update={"master_seed": self.config.seeds.master_seed})
        planned = config.model_copy(update={"seeds": seeds, "output_dir": self.config.output_dir})
        try:
            another_stop(self.config, planned)
        except ConfigError:
            return False
        return True

    def deviation_among(self, pairs: Iterable[Pair]) -> float:
        """Return the standard deviation of a hand of these pairings; that of all if the pilot had none of them.

        The pairings of a gauntlet may vary much less than the others, or much more.
        """
        known = [self.variances[both] for pair in pairs if (both := frozenset(pair)) in self.variances]
        return _pooled(known) if known else self.deviation_per_hand


def pilot_of(config: BenchmarkConfig, result: RunResult, exchanges: Iterable[Exchange], *, estimator: str) -> Pilot:
    """Learn from a run: how much its seed pairs vary, and what its models used in the finished matches.

    The estimator is named as in configs. Raises ConfigError if no pairing has two seed pairs.
    """
    hands: dict[str, int] = defaultdict(int)
    columns: dict[Pair, list[float]] = defaultdict(list)
    for match in result.matches:
        columns[match.participants] += match.margins[estimator]
        dealt = sum(game.dealt for pair in match.result.seed_results for game in pair.games)
        for name in match.participants:
            hands[name] += dealt
    learned = pilot_of_margins(columns, config)
    asked: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        if 0 < exchange.game.match <= len(result.matches):
            asked[exchange.participant].append(exchange)
    models = {}
    for name, settings in config.models().items():
        if asked[name] and hands[name]:
            guess = _measured(name, asked[name], hands[name])
            models[_asked(name, settings)] = guess
            models.setdefault(_asked(settings.model, settings), guess)
    return msgspec.structs.replace(learned, models=models)


def pilot_of_margins(columns: Mapping[Pair, Sequence[float]], config: BenchmarkConfig) -> Pilot:
    """Learn from margins alone: what the first of each pairing won in each of its seed pairs.

    Raises ConfigError if no pairing has two seed pairs.
    """
    per_hand = 2 * config.game.hands_per_game
    variances = {
        frozenset(pair): (variance(column) * per_hand, len(column) - 1)
        for pair, column in columns.items()
        if len(column) > 1
    }
    if not variances:
        raise ConfigError("--pilot", None, "a run with at least two seed pairs of a pairing")
    turned = {pair[::-1]: tuple(-each for each in column) for pair, column in columns.items()}
    return Pilot(
        _pooled(variances.values()),
        seed_pairs=sum(free + 1 for _, free in variances.values()),
        variances=variances,
        margins={frozenset(pair): (pair[0], fmean(column), len(column)) for pair, column in columns.items() if column},
        samples={**turned, **{pair: tuple(column) for pair, column in columns.items()}},
        config=config,
    )


def _asked(name: str, settings: LLMSettings) -> str:
    """Return what is known about a participant or a model by: what replies of another form used says nothing."""
    return f"{name} by {settings.reply_form}"


def _pooled(variances: Collection[tuple[float, int]]) -> float:
    return sqrt(fsum(own * free for own, free in variances) / sum(free for _, free in variances))


def _measured(name: str, exchanges: Sequence[Exchange], hands: int) -> ModelGuess:
    latencies = [each.latency_s for each in exchanges if each.outcome == "reply"]
    return ModelGuess(
        id=name,
        calls_per_hand=len(exchanges) / hands,
        input_tokens=fmean(each.tokens.input for each in exchanges),
        cached_tokens=fmean(each.tokens.cached for each in exchanges),
        output_tokens=fmean(each.tokens.output for each in exchanges),
        cache_writes=fmean(each.tokens.cache_writes for each in exchanges),
        latency_s=median(latencies) if latencies else LATENCY_S,
        usd_per_call=None,
        measured=True,
    )


def guess_of(
    name: str,
    settings: LLMSettings,
    pilot: Pilot | None,
    prices: PriceList,
    latency_s: float | None,
    *,
    hands: int = 50,
) -> ModelGuess:
    """Return what a model will need: from the same participant in the pilot, the same model there, or the prior.

    `hands` is how many hands a game has.
    """
    known = pilot.models if pilot is not None else {}
    found = known.get(_asked(name, settings)) or known.get(_asked(settings.model, settings))
    if found is None:
        assumed = msgspec.structs.asdict(expected_of(settings, hands))
        found = ModelGuess(id="", latency_s=LATENCY_S, usd_per_call=None, measured=False, **assumed)
    latency = found.latency_s if latency_s is None else latency_s
    expected = msgspec.convert(found, Expected, from_attributes=True)
    least, most = (expected.usd_per_call(settings, prices, written) for written in found.output_range)
    return msgspec.structs.replace(
        found,
        id=name,
        latency_s=latency,
        usd_per_call=expected.usd_per_call(settings, prices),
        usd_range=None if least is None or most is None or found.measured else (least, most),
        asked=f"{settings.reply_form}, {settings.track}",
    )
