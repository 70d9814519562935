"""What is sent to a provider besides the prompt: the settings of a model, in the terms of its library.

A setting that a provider does not take is an error before the first card, never dropped in silence.
"""

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from molt_bench.agents.llm.money.expected_use import NUMBERS, thought_number
from molt_bench.agents.llm.providers.log_probabilities import MOST_LISTED
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.errors import ConfigError

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

#: Tokens of a reply for providers that have no default.
_MAX_TOKENS: Final[Mapping[str, int]] = {"anthropic": 8192}
#: The fewest tokens of thought where a provider wants a number, and the fewest for the reply beside them.
_LEAST_THINKING: Final = 1024
_LEAST_REPLY: Final = 512
#: Providers whose client turns retries off once; for others every request does, which takes longer.
RETRIES_ON_CLIENT: Final = ("openai", "openai-chat", "anthropic")
#: Where OpenAI's chat protocol is spoken.
OPENAI_CHAT: Final = ("openai", "openai-chat")
#: The names of the limit of tokens in OpenAI's chat protocol.
_NEWER_LIMIT: Final = "max_completion_tokens"
_OLDER_LIMIT: Final = "max_tokens"
LIMIT_NAMES: Final = (_NEWER_LIMIT, _OLDER_LIMIT)
#: How log-probabilities are asked for, by the class of the model in pydantic-ai.
_ASK_LOGPROBS: Final[Mapping[str, Mapping[str, Any]]] = {
    "OpenAIChatModel": {"openai_logprobs": True, "openai_top_logprobs": MOST_LISTED},
    "GoogleModel": {"google_logprobs": True, "google_top_logprobs": MOST_LISTED},
}


def sent_max_tokens(settings: LLMSettings) -> int | None:
    """Return the limit of tokens that is sent with a request; None if none is."""
    if settings.max_tokens is not None:
        return settings.max_tokens
    usual = _MAX_TOKENS.get(settings.provider)
    return usual if usual is None else usual + thought_number(settings)


def header_values(settings: LLMSettings) -> dict[str, str]:
    """Return the HTTP headers of the user's own; their values are secret."""
    return {name: os.environ.get(variable, "") for name, variable in (settings.extra_headers or {}).items()}


def check_headers(settings: LLMSettings) -> None:
    """Raise ConfigError if the variable of a header is not set."""
    unset = next((name for name, value in header_values(settings).items() if not value), None)
    if unset is not None:
        expected = "the names of environment variables that are set"
        raise ConfigError("extraHeaders", (settings.extra_headers or {})[unset], expected)


def model_settings(settings: LLMSettings, model: "Model") -> "ModelSettings":
    """Return the settings for pydantic-ai, with the provider's own retries off: one retry layer is enough.

    Raises ConfigError if the model does not take one of them.
    """
    _check_taken(settings, model)
    effort = "openai_reasoning_effort" if settings.provider in OPENAI_CHAT else "thinking"
    max_tokens = sent_max_tokens(settings)
    wanted: dict[str, Any] = {
        "max_retries": None if settings.provider in RETRIES_ON_CLIENT else 0,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "max_tokens": max_tokens,
        effort: settings.reasoning_effort,
        # Marks what stays the same, where a provider wants to be told what to cache.
        "cache": {"messages": settings.harness == "chat"} if model.profile.get("supports_cache") else None,
        "anthropic_thinking": _thinking_of_claude(settings, model, max_tokens),
        "google_thinking_config": _thinking_of_gemini(settings),
        "top_k": settings.top_k,
        "stop_sequences": list(settings.stop) if settings.stop is not None else None,
        "service_tier": settings.service_tier,
        "extra_headers": header_values(settings) or None,
    }
    both = max_tokens is not None and _OLDER_LIMIT in limit_names(settings)
    wanted["extra_body"] = {**({_OLDER_LIMIT: max_tokens} if both else {}), **(settings.extra_body or {})} or None
    found: Any = {name: value for name, value in wanted.items() if value is not None}
    result: ModelSettings = found
    return result


def limit_names(settings: LLMSettings) -> frozenset[str]:
    """Return the names by which a limit of tokens is sent to a server that speaks OpenAI's chat protocol.

    Servers of the user's own may know either of them, so they are sent both.
    """
    if settings.provider not in OPENAI_CHAT:
        return frozenset()
    return frozenset(LIMIT_NAMES if settings.base_url is not None else LIMIT_NAMES[:1])


def without_fields(settings: "ModelSettings", fields: Collection[str]) -> "ModelSettings":
    """Return settings without fields that a server rejects, by their names in a request."""
    kept: dict[str, Any] = {name: value for name, value in settings.items() if name not in fields}
    limit, body = settings.get("max_tokens"), kept.get("extra_body")
    if limit is not None and _NEWER_LIMIT in fields:
        kept.pop("max_tokens", None)  # the library's name for the newer one
    elif limit is not None:
        kept["max_tokens"] = limit
    if _OLDER_LIMIT in fields and isinstance(body, dict):
        kept["extra_body"] = {name: value for name, value in body.items() if name != _OLDER_LIMIT}
        if not kept["extra_body"]:
            del kept["extra_body"]
    result: ModelSettings = kept  # type: ignore[assignment]
    return result


def limited_settings(settings: LLMSettings, model: "Model", limit: int) -> "ModelSettings":
    """Return the settings for a request whose reply has a limit of tokens that is not the user's, thoughts included."""
    return model_settings(settings.model_copy(update={"max_tokens": limit}), model)


def trial_settings(settings: LLMSettings, model: "Model", max_tokens: int) -> "ModelSettings":
    """Return the settings for a preflight question: a short answer, without reasoning, which would not fit.

    With log-probabilities, the effort stays: some models report them only without reasoning.
    """
    room = min(max_tokens, settings.max_tokens or max_tokens)
    effort = settings.reasoning_effort if settings.logprobs else None
    trial = {"max_tokens": room, "reasoning_effort": effort, "thinking_tokens": None, "stop": None}
    return model_settings(settings.model_copy(update=trial), model)


def logprob_settings(settings: LLMSettings, model: "Model") -> "ModelSettings":
    """Return the settings that ask for log-probabilities; raises ConfigError if they cannot be had."""
    if not settings.logprobs:
        return {}
    for kind in type(model).__mro__:
        if kind.__name__ in _ASK_LOGPROBS:
            asking: Any = dict(_ASK_LOGPROBS[kind.__name__])
            result: ModelSettings = asking
            return result
    expected = f"false, since {settings.provider} reports none; openai, google and servers like OpenAI's do"
    raise ConfigError("logprobs", value=True, expected=expected)


def _check_taken(settings: LLMSettings, model: "Model") -> None:
    """Raise ConfigError if a model does not take a setting, which its library would drop without a word."""
    profile: dict[str, Any] = {**model.profile}
    name, effort = settings.model, settings.reasoning_effort
    never: frozenset[str] = getattr(model, "unsupported_settings", frozenset())
    given = {"temperature": settings.temperature, "topP": settings.top_p}
    for field, library, value in (
        ("temperature", "temperature", settings.temperature),
        ("topP", "top_p", settings.top_p),
        ("seed", "seed", settings.seed),
        ("topK", "top_k", settings.top_k),
        ("stop", "stop_sequences", settings.stop),
        ("serviceTier", "service_tier", settings.service_tier),
        ("extraBody", "extra_body", settings.extra_body),
        ("extraHeaders", "extra_headers", settings.extra_headers),
    ):
        if value is not None and library in never:
            raise ConfigError(field, value, f"none, since {settings.provider} takes none")
    if settings.thinking_tokens is not None and settings.provider not in ("anthropic", "google"):
        expected = f"none, since {settings.provider} takes no number: see reasoningEffort and extraBody"
        raise ConfigError("thinkingTokens", settings.thinking_tokens, expected)
    efforts = profile.get("openai_reasoning_efforts")
    own = settings.provider in OPENAI_CHAT and settings.base_url is not None  # it may know more than its name tells
    if effort is not None and not own and efforts and effort not in efforts:
        known = ", ".join(each for each in NUMBERS if each in efforts)
        raise ConfigError("reasoningEffort", effort, f"one that {name} takes: {known}")
    if effort is not None and not own and not profile.get("supports_thinking", True):
        raise ConfigError("reasoningEffort", effort, f"none, since {name} does not reason")
    can_rest = "none" in (efforts or ()) or profile.get("openai_supports_reasoning_effort_none", False)
    resting = can_rest and effort is None and not profile.get("thinking_enabled_by_default", False)
    reasons = profile.get("openai_supports_reasoning", False) and not resting
    reasons = reasons or (settings.provider == "anthropic" and thought_number(settings) > 0)
    for field in ("temperature", "topP"):
        if reasons and given[field] not in (None, 1):
            raise ConfigError(field, given[field], f"none, since {name} reasons, and takes none then")


def _thinking_of_claude(settings: LLMSettings, model: "Model", max_tokens: int | None) -> dict[str, Any] | None:
    """Return how many tokens Claude may think for: fewer than the reply may have, or Anthropic refuses the request."""
    adaptive = model.profile.get("anthropic_supports_adaptive_thinking") and settings.thinking_tokens is None
    wanted = thought_number(settings)
    if settings.provider != "anthropic" or adaptive or not wanted or max_tokens is None:
        return None
    room = max_tokens - _LEAST_REPLY
    if room < _LEAST_THINKING:
        expected = f"at least {_LEAST_THINKING + _LEAST_REPLY:,} beside reasoningEffort: thoughts are part of the reply"
        raise ConfigError("maxTokens", max_tokens, expected)
    return {"type": "enabled", "budget_tokens": min(wanted, room)}


def _thinking_of_gemini(settings: LLMSettings) -> dict[str, Any] | None:
    by_number = settings.provider == "google" and settings.thinking_tokens is not None
    return {"thinking_budget": settings.thinking_tokens} if by_number else None
