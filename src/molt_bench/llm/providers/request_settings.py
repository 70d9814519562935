"""What is sent to a provider besides the prompt: the settings of a model, in the terms of its library.

A setting that a provider does not take is an error before the first card, never dropped in silence.
"""

from typing import Any

from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from molt_bench.errors import ConfigError
from molt_bench.llm.providers.table import provider_of
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import EFFORT_TOKENS


def model_settings(settings: LLMSettings, model: Model) -> ModelSettings:
    """Return the settings for pydantic-ai, with the provider's own retries off: one retry layer is enough.

    Raises ConfigError if the model does not take one of them.
    """
    _check_taken(settings, model)
    provider = provider_of(settings.provider)
    max_tokens = provider.sent_max_tokens(settings)
    wanted: dict[str, Any] = {
        "max_retries": None if provider.retries_on_client else 0,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "max_tokens": max_tokens,
        provider.effort_field: settings.reasoning_effort,
        # Marks what stays the same, where a provider wants to be told what to cache.
        "cache": {"messages": False} if model.profile.get("supports_cache") else None,
        **provider.own_settings(settings, model.profile, max_tokens),
    }
    older = dict.fromkeys(limit_names(settings)[1:], max_tokens) if max_tokens is not None else {}
    wanted["extra_body"] = {**older, **(settings.extra_body or {})} or None
    found: Any = {name: value for name, value in wanted.items() if value is not None}
    result: ModelSettings = found
    return result


def limit_names(settings: LLMSettings) -> tuple[str, ...]:
    """Return the names by which a limit of tokens is sent: servers of the user's own may know either of two."""
    names = provider_of(settings.provider).limit_names
    return names if settings.base_url is not None else names[:1]


def without_fields(settings: ModelSettings, fields: frozenset[str], limits: tuple[str, ...]) -> ModelSettings:
    """Return settings without fields that a server rejects, by their names in a request; `limits`: `limit_names`."""
    kept: dict[str, Any] = {name: value for name, value in settings.items() if name not in fields}
    limit, body = settings.get("max_tokens"), kept.get("extra_body")
    if limit is not None and limits[:1] and limits[0] in fields:
        kept.pop("max_tokens", None)  # the library's name for the first one
    elif limit is not None:
        kept["max_tokens"] = limit
    if isinstance(body, dict) and not fields.isdisjoint(limits[1:]):
        kept["extra_body"] = {name: value for name, value in body.items() if name not in limits[1:]}
        if not kept["extra_body"]:
            del kept["extra_body"]
    result: ModelSettings = kept  # type: ignore[assignment]
    return result


def trial_settings(settings: LLMSettings, model: Model, max_tokens: int) -> ModelSettings:
    """Return the settings for a preflight question: a short answer, without reasoning, which would not fit."""
    room = min(max_tokens, settings.max_tokens or max_tokens)
    trial = {"max_tokens": room, "reasoning_effort": None, "thinking_tokens": None}
    return model_settings(settings.model_copy(update=trial), model)


def _check_taken(settings: LLMSettings, model: Model) -> None:
    """Raise ConfigError if a model does not take a setting, which its library would drop without a word."""
    profile: dict[str, Any] = {**model.profile}
    name, effort = settings.model, settings.reasoning_effort
    never: frozenset[str] = getattr(model, "unsupported_settings", frozenset())
    given = {"temperature": settings.temperature, "topP": settings.top_p}
    for field, library, value in (
        ("temperature", "temperature", settings.temperature),
        ("topP", "top_p", settings.top_p),
        ("seed", "seed", settings.seed),
        ("extraBody", "extra_body", settings.extra_body),
    ):
        if value is not None and library in never:
            raise ConfigError(field, value, f"none, since {settings.provider} takes none")
    provider = provider_of(settings.provider)
    if settings.thinking_tokens is not None and not provider.counts_thoughts:
        expected = f"none, since {settings.provider} takes no number: see reasoningEffort and extraBody"
        raise ConfigError("thinkingTokens", settings.thinking_tokens, expected)
    efforts = profile.get("openai_reasoning_efforts")
    own = provider.chat and settings.base_url is not None  # it may know more than its name tells
    if effort is not None and not own and efforts and effort not in efforts:
        known = ", ".join(each for each in EFFORT_TOKENS if each in efforts)
        raise ConfigError("reasoningEffort", effort, f"one that {name} takes: {known}")
    if effort is not None and not own and not profile.get("supports_thinking", True):
        raise ConfigError("reasoningEffort", effort, f"none, since {name} does not reason")
    can_rest = "none" in (efforts or ()) or profile.get("openai_supports_reasoning_effort_none", False)
    resting = can_rest and effort is None and not profile.get("thinking_enabled_by_default", False)
    reasons = profile.get("openai_supports_reasoning", False) and not resting
    reasons = reasons or (not provider.samples_while_thinking and provider.thought_number(settings) > 0)
    for field in ("temperature", "topP"):
        if reasons and given[field] not in (None, 1):
            raise ConfigError(field, given[field], f"none, since {name} reasons, and takes none then")
