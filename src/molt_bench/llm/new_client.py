"""The way to a client, whose packages take long to load."""

from typing import TYPE_CHECKING

from molt_bench.errors import ConfigError
from molt_bench.extras import how_to_install
from molt_bench.llm.settings import LLMSettings

if TYPE_CHECKING:  # it needs the extra llm
    from molt_bench.llm.client import ModelClient


def new_client(settings: LLMSettings, *, keep_alive: bool = True, key: str | None = None) -> "ModelClient":
    """Return the client of a model; see `ModelClient`. Raises ConfigError if a package, key or provider is missing."""
    try:
        import genai_prices  # noqa: F401, PLC0415 - its prices are asked for with every reply

        from molt_bench.llm.client import ModelClient  # noqa: PLC0415

        return ModelClient(settings, keep_alive=keep_alive, key=key)
    except ImportError as error:
        raise ConfigError("type", "llm", f"the extra that asks models: {how_to_install('llm')} ({error})") from error
