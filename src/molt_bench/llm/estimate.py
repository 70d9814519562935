"""Estimates: what a model is expected to use before any reply has come, by what it is told and how it is to reason."""

from collections.abc import Mapping
from typing import Final

import msgspec

from molt_bench.llm.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Effort, Tokens

#: Characters of a token, about, in what models are told.
_CHARACTERS_PER_TOKEN: Final = 3.9
#: Decisions of a model per hand against a bot, and the tokens for each: of the message and its answer, without the
#: skill document, whose own count is added.
DECISIONS_PER_HAND: Final = 1.6
TOKENS_PER_DECISION: Final = Tokens(input=154, output=100)
#: What the further actions of a strategy, and the percentages, add to an answer and to what a message says about it.
STRATEGY: Final = Tokens(input=20, output=40)
#: Tokens of thought before an answer, by effort; a number of tokens for thoughts is a bound that few reach.
THOUGHTS: Final[Mapping[Effort, int]] = {
    "minimal": 50,
    "low": 300,
    "medium": 900,
    "high": 2500,
    "xhigh": 5000,
    "max": 8000,
}
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
    """

    calls_per_hand: float
    input_tokens: float
    output_tokens: float
    cached_tokens: float = 0.0
    cache_writes: float = 0.0

    def usd_per_call(self, settings: LLMSettings, prices: PriceList) -> float | None:
        """Return the dollars per call; None if no price is known."""
        each = (self.input_tokens, self.cached_tokens, self.output_tokens, 0.0, self.cache_writes)
        try:
            cost = prices.cost(settings, Tokens(*(round(_PRICED_CALLS * count) for count in each)))
        except ImportError:  # the price list is not installed
            return None
        return None if cost is None else cost / _PRICED_CALLS


def estimate_of(settings: LLMSettings, hands: int, *, skill: str) -> Estimate:
    """Return what a model is expected to use in games of so many hands, before anything is known about it.

    `skill` is its skill document: the one that a run recorded, where there is one, since the file may have changed.
    """
    read = TOKENS_PER_DECISION.input + round(len(skill) / _CHARACTERS_PER_TOKEN) + _TOKENS_OF_GAME
    written: float = TOKENS_PER_DECISION.output
    if settings.reply == "strategy":
        read, written = read + STRATEGY.input, written + STRATEGY.output
    if settings.memory == "session":
        told = _REACH_TURN * hands / 2
        read += _REMINDERS + round(min(told * _TOKENS_OF_HAND, _MOST_OF_HANDS))
    if settings.thinking_tokens is not None:
        written += min(settings.thinking_tokens, THOUGHTS["high"])
    elif settings.reasoning_effort is not None:
        written += THOUGHTS[settings.reasoning_effort]
    return Estimate(DECISIONS_PER_HAND, read, min(written, settings.max_tokens or written))
