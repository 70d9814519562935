"""Caching: how much of a prompt a provider serves from its cache, at a fraction of the price. For plans.

What stays the same from request to request is the system prompt, the form of the reply, and the line about the game; in
a conversation, all that was said before. Providers cache a beginning like that only from a certain length on.
"""

from typing import Final

from molt_bench.agents.llm.providers.table import provider_of
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.skill_document import system_prompt
from molt_bench.agents.llm.talk.conversation import CHARACTERS_PER_TOKEN

#: Tokens of the line about the game.
_TOKENS_OF_GAME: Final = 40


def prompt_tokens(settings: LLMSettings) -> int:
    """Return about how many tokens the beginning of every prompt has, which stays the same."""
    return round(len(system_prompt(settings)) / CHARACTERS_PER_TOKEN) + _TOKENS_OF_GAME


def conversation_tokens(settings: LLMSettings, turns: float, tokens_per_turn: float) -> float:
    """Return how many tokens of earlier messages and answers a request has on average, in a game of so many turns.

    A conversation grows to its limit, loses half of that, and grows again.
    """
    if settings.harness != "chat" or turns <= 1:
        return 0.0
    most = float(settings.chat_tokens)
    until_full = most / tokens_per_turn
    if turns <= until_full:
        return tokens_per_turn * (turns - 1) / 2
    share = until_full / turns
    return share * most / 2 + (1 - share) * most * 0.75


def cached_tokens(settings: LLMSettings, conversation: float = 0.0) -> int:
    """Return how many tokens of a prompt a provider will read from its cache; `conversation` has been sent before."""
    provider, _, model = settings.model.partition(":")
    row = provider_of(provider)
    least = next((number for beginning, number in row.cached_from if model.startswith(beginning)), None)
    same = prompt_tokens(settings) + round(conversation)
    if least is None or same < least or settings.base_url is not None:
        return 0
    return same // row.cache_step * row.cache_step
