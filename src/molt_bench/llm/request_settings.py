"""What is sent to a provider besides the prompt: the settings of a model, in the terms of the library.

A setting that a provider does not take is an error before the first card, never dropped in silence.
"""

from typing import Any, Final, cast

from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from molt_bench.errors import ConfigError
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import EFFORT_TOKENS

#: The fewest tokens of thought by number, and the fewest for the reply beside them.
_LEAST_THINKING: Final = 1024
_LEAST_REPLY: Final = 512


def model_settings(settings: LLMSettings, model: Model) -> ModelSettings:
    """Return the settings for the library, with its own retries off: one retry layer is enough.

    Raises ConfigError if the model does not take one of them.
    """
    provider, max_tokens = settings.provider, settings.sent_max_tokens
    _check_taken(settings, model)
    wanted: dict[str, Any] = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "max_tokens": max_tokens,
        provider.effort_field: settings.reasoning_effort,
        # Marks what stays the same, where a provider wants to be told what to cache.
        "cache": {"messages": False} if model.profile.get("supports_cache") else None,
        "extra_body": settings.extra_body,
        **({provider.bill_field: {"include": True}} if provider.bill_field else {}),
        **_thinking(settings, model, max_tokens),
    }
    return cast(ModelSettings, {name: value for name, value in wanted.items() if value is not None})


def _thinking(settings: LLMSettings, model: Model, max_tokens: int | None) -> dict[str, Any]:
    """Return how long to think, where a provider takes a number."""
    wanted = settings.thought_number
    if settings.thinking_tokens is not None and not settings.provider.effort_is_number:
        return {"google_thinking_config": {"thinking_budget": wanted}}
    adaptive = model.profile.get("anthropic_supports_adaptive_thinking") and settings.thinking_tokens is None
    if not wanted or adaptive or max_tokens is None:
        return {}
    room = max_tokens - _LEAST_REPLY  # or the request is refused
    if room < _LEAST_THINKING:
        least = _LEAST_THINKING + _LEAST_REPLY
        expected = f"at least {least:,} beside reasoningEffort: thoughts are part of the reply"
        raise ConfigError("maxTokens", max_tokens, expected)
    return {"anthropic_thinking": {"type": "enabled", "budget_tokens": min(wanted, room)}}


def _check_taken(settings: LLMSettings, model: Model) -> None:
    """Raise ConfigError if a model does not take a setting, which its library would drop without a word."""
    profile: dict[str, Any] = {**model.profile}
    provider = settings.provider
    name, effort = settings.model, settings.reasoning_effort
    never: frozenset[str] = model.unsupported_settings
    for field, library, value in (
        ("temperature", "temperature", settings.temperature),
        ("topP", "top_p", settings.top_p),
        ("seed", "seed", settings.seed),
        ("extraBody", "extra_body", settings.extra_body),
    ):
        if value is not None and library in never:
            raise ConfigError(field, value, f"none, since {provider.name} takes none")
    if settings.thinking_tokens is not None and not provider.counts_thoughts:
        expected = f"none, since {provider.name} takes no number: see reasoningEffort and extraBody"
        raise ConfigError("thinkingTokens", settings.thinking_tokens, expected)
    efforts = profile.get("openai_reasoning_efforts")
    own = settings.base_url is not None  # a model of the user's own server may know more than its name tells
    if effort is not None and not own and efforts and effort not in efforts:
        known = ", ".join(each for each in EFFORT_TOKENS if each in efforts)
        raise ConfigError("reasoningEffort", effort, f"one that {name} takes: {known}")
    if effort is not None and not own and not profile.get("supports_thinking", True):
        raise ConfigError("reasoningEffort", effort, f"none, since {name} does not reason")
    can_rest = "none" in (efforts or ()) or profile.get("openai_supports_reasoning_effort_none", False)
    resting = can_rest and effort is None and not profile.get("thinking_enabled_by_default", False)
    reasons = profile.get("openai_supports_reasoning", False) and not resting
    reasons = reasons or (provider.effort_is_number and settings.thought_number > 0)
    for field, value in (("temperature", settings.temperature), ("topP", settings.top_p)):
        if reasons and value not in (None, 1):
            raise ConfigError(field, value, f"none, since {name} reasons, and takes none then")
