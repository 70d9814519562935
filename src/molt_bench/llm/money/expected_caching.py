"""Caching: how much of a prompt a provider serves from its cache, at a fraction of the price. For plans.

What stays the same from request to request is the system prompt, the form of the reply, and the line about the game.
Providers cache a beginning like that only from a certain length on.
"""

from typing import Final

from molt_bench.llm.conversation import CHARACTERS_PER_TOKEN
from molt_bench.llm.providers import provider_of
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.skill_document import system_prompt

#: Tokens of the line about the game.
_TOKENS_OF_GAME: Final = 40


def prompt_tokens(settings: LLMSettings) -> int:
    """Return about how many tokens the beginning of every prompt has, which stays the same."""
    return round(len(system_prompt(settings)) / CHARACTERS_PER_TOKEN) + _TOKENS_OF_GAME


def cached_tokens(settings: LLMSettings) -> int:
    """Return how many tokens of a prompt a provider will read from its cache."""
    provider, _, model = settings.model.partition(":")
    row = provider_of(provider)
    least = next((number for beginning, number in row.cached_from if model.startswith(beginning)), None)
    same = prompt_tokens(settings)
    if least is None or same < least or settings.base_url is not None:
        return 0
    return same // row.cache_step * row.cache_step
