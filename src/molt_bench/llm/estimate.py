"""Estimates: what a model is expected to use, by its name and its effort to reason, before any reply has come.

For plans, and for a run with a limit of money, which begins only as many games as it can pay for.
"""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from molt_bench.llm.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Effort, Tokens

#: Characters of a token, about, in what models are told and write.
_CHARACTERS_PER_TOKEN: Final = 3.9
#: Decisions of a model per hand against a bot, and the tokens for each: of the message and its answer, without the
#: skill document, whose own count is added.
DECISIONS_PER_HAND: Final = 1.6
TOKENS_PER_DECISION: Final = Tokens(input=154, output=100)
#: What the further actions of a strategy, and the percentages, add to an answer and to what a message says about it.
STRATEGY: Final = Tokens(input=20, output=40)
#: Tokens of thought before an answer by effort, of models that reason: half of them, and twice as many, are as likely.
THOUGHTS: Final[Mapping[Effort, int]] = {
    "minimal": 50,
    "low": 300,
    "medium": 900,
    "high": 2500,
    "xhigh": 5000,
    "max": 8000,
}
#: By how much the tokens of thought may be fewer or more than that.
SPREAD: Final = (0.4, 2.5)
#: Models that think where no effort is set, wherever they run, and how long: the first pattern that fits counts.
_THINKERS: Final[tuple[tuple[str, Effort | None], ...]] = (
    (r"gpt-5.*-chat|gpt-5\.\d|gemini-2\.5-flash-lite|qwen3.*(instruct|coder)", None),
    (r"gpt-5|(^|[:/])o[134](-|$)|gpt-oss|gemini-(2\.5|[3-9])", "medium"),
    (r"deepseek.*(r1|reason)|(^|[:/-])r1(-|$)", "high"),
    (r"qwen3|qwq|thinking|magistral|grok-(3-mini|4)|glm-(4\.[5-9]|5)|minimax-m", "high"),
)
#: Tokens of the line about the game.
_TOKENS_OF_GAME: Final = 40
#: Tokens that memory adds to a call, without the hands that are told.
_REMINDERS: Final = 190
#: Share of hands that reach the turn, about, the tokens of one, and most tokens of all.
_REACH_TURN: Final = 0.35
_TOKENS_OF_HAND: Final = 65
_MOST_OF_HANDS: Final = 2000
#: Calls priced together: enough to make rounded tokens negligible, too few to reach the price for long prompts.
_PRICED_CALLS: Final = 10


class Estimate(msgspec.Struct, frozen=True):
    """What a model is expected to use per call, and how many calls a hand takes.

    Attributes:
        cached_tokens: Input tokens read from a cache.
        cache_writes: Input tokens written to a cache, where that has a price of its own.
        output_range: The fewest and the most output tokens that would be no surprise.
    """

    calls_per_hand: float
    input_tokens: float
    output_tokens: float
    cached_tokens: float = 0.0
    cache_writes: float = 0.0
    output_range: tuple[float, float] = (0.0, 0.0)

    def usd_per_call(
        self, settings: LLMSettings, prices: PriceList, output_tokens: float | None = None
    ) -> float | None:
        """Return the dollars per call, with so many output tokens if that is given; None if no price is known."""
        written = self.output_tokens if output_tokens is None else output_tokens
        tokens = Tokens(
            input=round(_PRICED_CALLS * self.input_tokens),
            cached=round(_PRICED_CALLS * self.cached_tokens),
            output=round(_PRICED_CALLS * written),
            cache_writes=round(_PRICED_CALLS * self.cache_writes),
        )
        try:
            cost = prices.cost(settings, tokens)
        except ImportError:  # the price list is not installed
            return None
        return None if cost is None else cost / _PRICED_CALLS


def thoughts(settings: LLMSettings) -> float:
    """Return about how many tokens a model thinks for before an answer, as far as its settings and its name tell."""
    if settings.thinking_tokens is not None:
        return min(settings.thinking_tokens, THOUGHTS["high"])
    name = settings.model.partition(":")[2].lower()
    by_name = next((effort for pattern, effort in _THINKERS if re.search(pattern, name)), None)
    effort = settings.reasoning_effort or by_name
    return THOUGHTS[effort] if effort is not None else 0.0


def written_range(settings: LLMSettings) -> tuple[float, float]:
    """Return the fewest and the most tokens of a reply of a model that would be no surprise."""
    least, most = SPREAD
    return _written(settings, thinking=least), _written(settings, thinking=most)


def _written(settings: LLMSettings, *, thinking: float = 1.0) -> float:
    """Return about how many tokens a reply has, if the model thinks so many times as long as it is expected to."""
    said = TOKENS_PER_DECISION.output + (STRATEGY.output if settings.reply == "strategy" else 0)
    return min(said + thinking * thoughts(settings), settings.max_tokens or float("inf"))


def estimate_of(settings: LLMSettings, hands: int, *, skill: str) -> Estimate:
    """Return what a model is expected to use in games of so many hands, before anything is known about it.

    `skill` is its skill document: the one that a run recorded, where there is one, since the file may have changed.
    """
    message = TOKENS_PER_DECISION.input + (STRATEGY.input if settings.reply == "strategy" else 0)
    same = round(len(skill) / _CHARACTERS_PER_TOKEN) + _TOKENS_OF_GAME
    reminders = 0
    if settings.memory == "session":
        told = _REACH_TURN * hands / 2
        reminders = _REMINDERS + round(min(told * _TOKENS_OF_HAND, _MOST_OF_HANDS))
    return Estimate(
        calls_per_hand=DECISIONS_PER_HAND,
        input_tokens=message + same + reminders,
        output_tokens=_written(settings),
        output_range=written_range(settings),
    )
