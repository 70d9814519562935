"""Settings of a language model that plays, checked."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from molt_bench.agents.fields import MOST, MUCH, Count, Name, PathText, Section, as_problem, checked

#: How the reply is asked for, strictest first; `auto` takes the first that the model and its server take.
OutputMode: TypeAlias = Literal["native", "tool", "prompted", "text"]
#: What it remembers: nothing; its own thoughts in this hand; and, for the session, what the table has seen so far.
Memory: TypeAlias = Literal["none", "hand", "session"]
#: What it is told: its cards alone, or its made hand as well.
Track: TypeAlias = Literal["bare", "assisted"]
Effort: TypeAlias = Literal["minimal", "low", "medium", "high", "xhigh", "max"]


class LLMSettings(Section):
    """How a language model plays. What is left out has its provider's default."""

    model: Annotated[Name, Field(description="Provider and model, such as openai:gpt-4.1.")]
    temperature: Annotated[float, Field(ge=0, le=1000)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: (
        Annotated[int, Field(ge=-MOST, le=MOST, strict=True, description="Sent to the provider, where it takes one.")]
        | None
    ) = None
    max_tokens: Annotated[Count, Field(description="Tokens of one reply.")] | None = None
    reasoning_effort: Effort | None = None
    base_url: Annotated[PathText, Field(description="A server that speaks the provider's protocol.")] | None = None
    api_key_env: Annotated[Name, Field(description="The variable that holds the key.")] | None = None
    skill_doc: Annotated[PathText, Field(description="A file that is the system prompt, verbatim.")] | None = None
    output_mode: OutputMode | Literal["auto"] = "auto"
    memory: Memory = "none"
    shown_hands: Annotated[int, Field(ge=0, le=50, strict=True, description="Showdowns remembered in a session.")] = 5
    track: Track = "bare"
    comprehension: Annotated[
        bool, Field(description="Ask for the made hand and the price as well, and check them.")
    ] = False
    max_concurrent: (
        Annotated[Count, Field(le=1_000_000, description="Requests at once; left out, it is found out.")] | None
    ) = None
    requests_per_minute: Annotated[float, Field(ge=1e-3, le=MUCH)] | None = None

    @field_validator("model")
    @classmethod
    def _has_a_provider(cls, value: str) -> str:
        provider, colon, name = value.partition(":")
        if not (colon and provider and name):
            raise as_problem("", value, "a provider and a model, such as openai:gpt-4.1")
        return value

    @field_validator("base_url")
    @classmethod
    def _is_a_url(cls, value: str | None) -> str | None:
        if value is not None:
            parts = urlsplit(value)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise as_problem("", value, "a URL such as http://127.0.0.1:8000/v1")
            if parts.username or parts.password:
                raise as_problem("", "...", "a URL without a password in it: name the variable of the key in apiKeyEnv")
        return value

    @property
    def provider(self) -> str:
        """The provider alone."""
        return self.model.partition(":")[0]

    @property
    def endpoint(self) -> str:
        """What shares one limit: a model at a server."""
        return f"{self.model}@{self.base_url}" if self.base_url else self.model

    def decisive(self) -> dict[str, object]:
        """Return what decides a reply, apart from the prompt."""
        fields = ("model", "temperature", "top_p", "seed", "max_tokens", "reasoning_effort", "base_url", "output_mode")
        return {field: getattr(self, field) for field in fields}


def settings_from(values: Mapping[str, object]) -> LLMSettings:
    """Check plain values.

    Raises:
        ConfigError: The first thing that is wrong, by its field.
    """
    return checked(LLMSettings, values)
