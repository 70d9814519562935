"""Settings of a language model that plays, and what follows from them and its provider."""

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec
from pydantic import Field, field_validator
from pydantic.alias_generators import to_camel

from molt_bench.agents.settings_base import (
    MOST,
    MUCH,
    AgentSettings,
    Count,
    Name,
    PathText,
    as_problem,
    http_parts,
)
from molt_bench.errors import ConfigError
from molt_bench.llm.providers import EXAMPLE, Provider, provider_of
from molt_bench.llm.types import EFFORT_TOKENS, Effort
from molt_bench.specs import MODEL_TIMEOUT_S

#: What it remembers: nothing; or its thoughts in this hand, and what the table has seen in this game.
Memory: TypeAlias = Literal["none", "session"]
#: What it is told besides what the table shows: pot odds and the legal actions; nothing.
Track: TypeAlias = Literal["standard", "bare"]
#: What a reply is: a JSON object with an action, or one with a strategy, from which the bench draws.
ReplyForm: TypeAlias = Literal["action", "strategy"]
#: The version of each. Whatever changes a prompt or the reading of a reply gets a new one.
REPLY_VERSIONS: Final[Mapping[ReplyForm, int]] = {"action": 1, "strategy": 1}

#: Tokens of thought a second of a slow model.
_TOKENS_PER_SECOND: Final = 25


class LLMSettings(AgentSettings):
    """How a language model plays. Settings left out have the provider's default."""

    model: Annotated[Name, Field(description=f"Provider and model, such as {EXAMPLE}.")]
    temperature: Annotated[float, Field(ge=0, le=1000)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: (
        Annotated[int, Field(ge=-MOST, le=MOST, strict=True, description="Sent to the provider, where it takes one.")]
        | None
    ) = None
    max_tokens: Annotated[Count, Field(description="Tokens of one reply.")] | None = None
    reasoning_effort: Effort | None = None
    thinking_tokens: (
        Annotated[Count, Field(description="Tokens of thought, where a provider takes a number.")] | None
    ) = None
    extra_body: (
        Annotated[dict[str, Any], Field(description="Sent with every request beside everything else, as it is.")] | None
    ) = None
    base_url: Annotated[PathText, Field(description="A server that speaks the provider's protocol.")] | None = None
    api_key_env: Annotated[Name, Field(description="The variable that holds the key.")] | None = None
    skill_doc: Annotated[PathText, Field(description="A file that is the system prompt, verbatim.")] | None = None
    memory: Memory = "none"
    reply: Annotated[
        ReplyForm,
        Field(description="What it states: an action, or a strategy.", exclude_if=lambda value: value == "action"),
    ] = "action"
    track: Track = "standard"
    max_concurrent: (
        Annotated[Count, Field(le=1_000_000, description="Requests at once; adapted to the provider if unset.")] | None
    ) = None
    requests_per_minute: Annotated[float, Field(ge=1e-3, le=MUCH)] | None = None

    @field_validator("model")
    @classmethod
    def _has_a_provider(cls, value: str) -> str:
        provider, colon, name = value.partition(":")
        if not (colon and provider and name):
            raise as_problem("", value, f"a provider and a model, such as {EXAMPLE}")
        return value

    @field_validator("base_url")
    @classmethod
    def _is_a_url(cls, value: str | None) -> str | None:
        if value is None:
            return value
        parts = http_parts(value)
        if parts is None:
            raise as_problem("", value, "a URL such as http://127.0.0.1:8000/v1")
        if parts.username or parts.password:
            raise as_problem("", "...", "a URL without a password in it: name the variable of the key in apiKeyEnv")
        return value

    @property
    def reply_form(self) -> str:
        """The form of a reply with its version, such as `action/1`."""
        return f"{self.reply}/{REPLY_VERSIONS[self.reply]}"

    @property
    def label(self) -> str:
        """A short name that two models of a provider share only if they are asked alike, such as `gpt-5 high`."""
        parts: list[str | None] = [self.model.partition(":")[2], self.reasoning_effort]
        for name, value in (
            ("thinking", self.thinking_tokens),
            ("t", self.temperature),
            ("top_p", self.top_p),
            ("seed", self.seed),
            ("max", self.max_tokens),
        ):
            if value is not None:
                parts.append(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}")
        if self.base_url is not None:
            parts.append(f"at {urlsplit(self.base_url).netloc}")
        if self.extra_body:
            body = msgspec.json.encode(self.extra_body, order="sorted")
            parts.append(f"extra {sha256(body).hexdigest()[:4]}")
        return " ".join(filter(None, parts))

    def stated(self) -> dict[str, object]:
        """Return what decides a reply besides the prompt, as configs have it, with the label of that."""
        return {"label": self.label, **{to_camel(name): value for name, value in self.decisive().items()}}

    @property
    def provider(self) -> Provider:
        """The provider."""
        return provider_of(self.model.partition(":")[0])

    @property
    def endpoint(self) -> str:
        """What a rate limit applies to: a model at a server."""
        return f"{self.model}@{self.base_url}" if self.base_url else self.model

    @property
    def timeout_s(self) -> float:
        """Seconds for an answer if the config sets no limit: who thinks hard takes minutes."""
        many = self.thinking_tokens or (
            EFFORT_TOKENS[self.reasoning_effort] if self.reasoning_effort is not None else 0
        )
        return max(MODEL_TIMEOUT_S, many / _TOKENS_PER_SECOND)

    @property
    def thought_number(self) -> int:
        """How many tokens of thought a request asks for, where that is a number; 0 for none."""
        effort = self.reasoning_effort
        if self.thinking_tokens is None and effort is not None and self.provider.effort_is_number:
            return EFFORT_TOKENS[effort]
        return self.thinking_tokens or 0

    @property
    def sent_max_tokens(self) -> int | None:
        """The limit of tokens that is sent with a request; None if none is."""
        usual = self.provider.usual_max_tokens
        return self.max_tokens if self.max_tokens is not None or usual is None else usual + self.thought_number

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The environment variables of which one has to hold the key; none where no key is needed."""
        if self.api_key_env is not None:
            return (self.api_key_env,)
        # A provider's key is never sent to another server.
        return () if self.base_url is not None else self.provider.key_variables

    def variables(self) -> list[str]:
        """Return the variables of its key."""
        return [" or ".join(self.key_variables)] if self.key_variables else []

    def key(self) -> str:
        """Return the API key; the user's own server needs none. Raises ConfigError if it is not set."""
        names = self.key_variables
        found = next((key for name in names if (key := os.environ.get(name, "").strip())), "")
        if found or not names:
            return found
        if self.api_key_env is not None:
            raise ConfigError("apiKeyEnv", self.api_key_env, "the name of an environment variable that is set")
        raise ConfigError("model", self.model, f"its key in the environment variable {' or '.join(names)}")

    @property
    def redirection(self) -> tuple[str, str] | None:
        """The variable that redirects its requests, and the server it names, without a password; None if none does."""
        names = () if self.base_url is not None else self.provider.url_variables
        variable = next((name for name in names if os.environ.get(name)), None)
        if variable is None:
            return None
        parts = urlsplit(os.environ[variable])
        return variable, parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is asked at another server than its provider's."""
        return self.base_url is not None or self.redirection is not None

    def decisive(self) -> dict[str, object]:
        """Return the settings that decide a reply, besides the prompt."""
        sampling = ("temperature", "top_p", "seed", "max_tokens", "reasoning_effort", "thinking_tokens")
        fields = ("model", *sampling, "base_url", "extra_body")
        return {field: value for field in fields if (value := getattr(self, field)) is not None}


def redirection_warnings(models: Mapping[str, Iterable[LLMSettings]]) -> list[str]:
    """Say of each model by its participant where the environment sends its requests and its key."""
    found = [(name, each.redirection) for name, some in models.items() for each in some]
    return [
        f"{where[0]} sends the requests and the key of {name} to {where[1]}: published prices do not hold there"
        for name, where in found
        if where is not None
    ]
