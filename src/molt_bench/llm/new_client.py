"""The way to a client, whose packages take long to load."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from molt_bench.errors import ConfigError
from molt_bench.extras import how_to_install
from molt_bench.llm.settings import LLMSettings

if TYPE_CHECKING:  # it needs the extra llm
    from molt_bench.llm.client import ModelClient


#: What is imported of the extra.
_MODULES: Final = ("aiohttp", "genai_prices", "httpx2", "pydantic_ai")


def check_installed() -> None:
    """Raise ConfigError if what asks models, and knows their prices, is not installed; nothing is imported."""
    missing = [name for name in _MODULES if find_spec(name) is None]
    if missing:
        raise _not_installed(f"{', '.join(missing)} missing")


def _not_installed(why: object) -> ConfigError:
    return ConfigError("type", "llm", f"the extra that asks models: {how_to_install('llm')} ({why})")


def new_client(settings: LLMSettings, *, keep_alive: bool = True, key: str | None = None) -> "ModelClient":
    """Return the client of a model; see `ModelClient`. Raises ConfigError if a package, key or provider is missing."""
    check_installed()
    try:
        from molt_bench.llm.client import ModelClient  # noqa: PLC0415 - it needs the extra llm

        return ModelClient(settings, keep_alive=keep_alive, key=key)
    except ImportError as error:
        raise _not_installed(error) from error
