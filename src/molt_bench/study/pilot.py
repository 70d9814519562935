"""The pilot: what a plan learns from an earlier run, and what it assumes without one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, sqrt
from statistics import fmean, median
from typing import Final

import msgspec
import numpy as np

from molt_bench.bench.ladder import margin_model
from molt_bench.bench.result import RunResult
from molt_bench.bench.stop_rules import judge_of, rule_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.llm.estimate import Estimate, estimate_of
from molt_bench.llm.prices import PriceList
from molt_bench.llm.prompt import system_prompt
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.rating.model import MarginModel
from molt_bench.specs import GameLabel

#: Standard deviation of a hand by estimator, in thousandths of a big blind, 100 big blinds deep. That of `adjusted` is
#: of eleven ladders of bots: 1,300 at 20 big blinds, 4,700 to 11,200 at 50, 11,400 to 12,800 at 100
#: and 13,900 at 200. Pairings of built-in bots differ more.
SD_PER_HAND: Final = {"raw": 18_000.0, "adjusted": 10_500.0}
#: Seconds for each call.
LATENCY_S: Final = 5.0
#: The standard deviation of a hand grows as this power of the stacks, over the same ladders.
_DEPTH_POWER: Final = 0.7
_DEPTH: Final = 100.0
#: More matches than anyone plays.
_NEVER: Final = 1e9


class Pilot(msgspec.Struct, frozen=True):
    """What an earlier run teaches; nothing without one.

    Attributes:
        deviation: Standard deviation of a hand, in thousandths of a big blind; None if too little was played.
        seed_pairs: Seed pairs that it is based on.
        models: What each of its models used and how many seconds it took, by participant and by model.
        deciding: Matches of the planned config that decide the order of this run, if every lead stays as it is; None
            if that cannot be said, or if the run is not of this config.
    """

    deviation: float | None = None
    seed_pairs: int = 0
    models: Mapping[str, tuple[Estimate, float]] = {}
    deciding: int | None = None


NO_PILOT: Final = Pilot()


def assumed_deviation(config: BenchmarkConfig) -> float:
    """Return the standard deviation of a hand that is assumed without a pilot."""
    deep: float = (config.game.stack / config.game.big_blind / _DEPTH) ** _DEPTH_POWER
    return SD_PER_HAND[config.rating.estimator] * deep


def pilot_of(result: RunResult, exchanges: Iterable[Exchange], planned: BenchmarkConfig) -> Pilot:
    """Learn from a run, by the estimator of the config to plan.

    Raises ConfigError if no pairing has two seed pairs, and no model has been asked.
    """
    known = margin_model(result.config)
    for match in result.matches:
        known.add(match.participants, match.margins[planned.rating.estimator])
    count, squares = (np.triu(each[0]) for each in (known.sums.count, known.sums.squares))
    free, models = float(np.maximum(count - 1, 0).sum()), _models_of(result.config, exchanges)
    if not free and not models:
        raise ConfigError("--pilot", None, "a run with at least two seed pairs of a pairing")
    hands = 2 * result.config.game.hands_per_game
    return Pilot(
        deviation=sqrt(float(squares.sum()) / free * hands) if free else None,
        seed_pairs=int(count[count > 1].sum()),
        models=models,
        deciding=_deciding(known, int(count.sum()), result.config, planned),
    )


def _deciding(known: MarginModel, seed_pairs: int, played: BenchmarkConfig, planned: BenchmarkConfig) -> int | None:
    """Return the matches that decide the order by the rule of the headline: play so far, times what it would take."""
    same = (played.game, played.pairings()) == (planned.game, planned.pairings())
    if not same or rule_of(planned.stop).method != "margin":
        return None
    judge = judge_of(planned)
    matches = seed_pairs * judge.more_play(judge.neighbours(known, known.ranking())) / planned.seeds.per_match
    return ceil(matches) if matches < _NEVER else None


def _models_of(config: BenchmarkConfig, exchanges: Iterable[Exchange]) -> dict[str, tuple[Estimate, float]]:
    """Return what each model has used so far; games count up to the last hand in which it was asked."""
    asked: dict[str, list[Exchange]] = defaultdict(list)
    hands: dict[str, dict[GameLabel, int]] = defaultdict(dict)
    for exchange in exchanges:
        if exchange.hand:
            asked[exchange.participant].append(exchange)
            games = hands[exchange.participant]
            games[exchange.game] = max(games.get(exchange.game, 0), exchange.hand)
    found: dict[str, tuple[Estimate, float]] = {}
    for name, settings in config.models().items():
        if asked[name]:
            found[_key(name, settings)] = used = _used(asked[name], sum(hands[name].values()))
            found.setdefault(_key(settings.model, settings), used)
    return found


def _key(name: str, settings: LLMSettings) -> str:
    """Return what is known about a participant or a model by: what replies of another form used says nothing."""
    return f"{name} by {settings.reply_form}"


def _used(exchanges: Sequence[Exchange], hands: int) -> tuple[Estimate, float]:
    latencies = [each.latency_s for each in exchanges if each.outcome == "reply"]
    used = Estimate(
        calls_per_hand=len(exchanges) / hands,
        input_tokens=fmean(each.tokens.input for each in exchanges),
        cached_tokens=fmean(each.tokens.cached for each in exchanges),
        output_tokens=fmean(each.tokens.output for each in exchanges),
        cache_writes=fmean(each.tokens.cache_writes for each in exchanges),
    )
    return used, median(latencies) if latencies else LATENCY_S


class ModelNeeds(msgspec.Struct, frozen=True):
    """What one language model is expected to need.

    Attributes:
        usd_per_call: Dollars; None if no price is known.
        measured: Whether its use is that of the pilot.
        asked: How it is asked: the form of its replies with its version, and its track.
    """

    id: str
    use: Estimate
    latency_s: float
    usd_per_call: float | None
    measured: bool
    asked: str


def needs_of(name: str, settings: LLMSettings, pilot: Pilot, prices: PriceList, *, hands: int = 50) -> ModelNeeds:
    """Return what a model will need: from the same participant in the pilot, the same model there, or the prior.

    `hands` is how many hands a game has.
    """
    known = pilot.models.get(_key(name, settings)) or pilot.models.get(_key(settings.model, settings))
    use, latency = known or (estimate_of(settings, hands, skill=system_prompt(settings)), LATENCY_S)
    return ModelNeeds(
        name,
        use,
        latency,
        use.usd_per_call(settings, prices),
        known is not None,
        f"{settings.reply_form}, {settings.track}",
    )
