"""Providers: what is special about each, its key, and its address. Any other is as providers usually are.

The library speaks with all of them; this has only what it does not know.
"""

from typing import Final

import msgspec


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider.

    Attributes:
        name: Its name in configs.
        library: Its name in pydantic-ai; "" for its own name.
        prices: Its name in lists of prices; "" for its own name.
        keys: The environment variables of which one holds its key; none for the usual one.
        addresses: Those that send its requests, and its key, to another server; none for the usual one.
        usual_max_tokens: Tokens of a reply that are asked for where the user sets none.
        effort_field: The setting of the library for the effort.
        bill_field: The setting of the library by which its replies state what they cost; "" where none is needed.
        counts_thoughts: Whether it takes a number of tokens of thought.
        effort_is_number: Whether an effort is sent as such a number, and takes no temperature beside it.
    """

    name: str
    library: str = ""
    prices: str = ""
    keys: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    usual_max_tokens: int | None = None
    effort_field: str = "thinking"
    bill_field: str = ""
    counts_thoughts: bool = False
    effort_is_number: bool = False

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The environment variables of which one holds its key."""
        return self.keys or (f"{self._prefix}_API_KEY",)

    @property
    def url_variables(self) -> tuple[str, ...]:
        """The environment variables that send its requests, and its key, to another server."""
        return self.addresses or (f"{self._prefix}_BASE_URL",)

    @property
    def _prefix(self) -> str:
        return self.name.upper().replace("-", "_")


_OPENAI: Final = Provider(
    name="openai",
    library="openai-chat",  # its Responses would drop the seed, and other servers lack them
    prices="openai",
    keys=("OPENAI_API_KEY",),
    addresses=("OPENAI_BASE_URL",),
    effort_field="openai_reasoning_effort",
)
_ROWS: Final = (
    _OPENAI,
    msgspec.structs.replace(_OPENAI, name="openai-chat"),
    msgspec.structs.replace(_OPENAI, name="openai-responses", library="openai-responses", effort_field="thinking"),
    Provider(
        name="anthropic",
        usual_max_tokens=8192,
        counts_thoughts=True,
        effort_is_number=True,
    ),
    Provider(
        name="google",
        keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        addresses=("GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"),
        counts_thoughts=True,
    ),
    Provider(name="google-cloud", prices="google"),
    Provider(name="deepseek"),
    Provider(name="openrouter", bill_field="openrouter_usage"),
)
PROVIDERS: Final[dict[str, Provider]] = {row.name: row for row in _ROWS}
#: What stands for a model in examples.
EXAMPLE: Final = "openai:gpt-4.1"
#: The packages by which models are asked.
PACKAGES: Final = ("pydantic-ai-slim", "openai", "anthropic", "google-genai", "aiohttp", "genai-prices")


def provider_of(name: str) -> Provider:
    """Return the provider of a name; any that is not in the table is as providers usually are."""
    return PROVIDERS.get(name) or Provider(name=name)
