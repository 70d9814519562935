"""The library that speaks all other protocols, pydantic-ai: it writes requests and reads answers, and we send them."""

import inspect
import warnings
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

import httpx2
from pydantic_ai import exceptions as library_errors
from pydantic_ai import messages
from pydantic_ai import models as library_models
from pydantic_ai import providers as library_providers
from pydantic_ai.settings import ModelSettings

from molt_bench.agents.settings_base import hide_key
from molt_bench.errors import ConfigError
from molt_bench.llm.providers.table import PROVIDERS, provider_of
from molt_bench.llm.sending.http import HttpRequest, NoConnectionError, Received, unframed
from molt_bench.llm.settings import LLMSettings

#: Tags that no reply has.
_NO_TAGS: Final = ("\0<", "\0>")
#: Sends a request.
Send: TypeAlias = Callable[[HttpRequest], Awaitable[Received]]
_SENDER: Final[ContextVar[Send]] = ContextVar("sender")


def provider_class(settings: LLMSettings) -> Any:
    """Return the library's class of a provider; raises ConfigError if there is none."""
    try:
        return library_providers.infer_provider_class(provider_of(settings.provider).library)
    except ValueError:
        raise ConfigError("model", settings.model, f"a provider such as {', '.join(PROVIDERS)}") from None


class ModelLibrary:
    """A model as pydantic-ai has it; raises ConfigError if it cannot be asked.

    Attributes:
        model: The model.
    """

    def __init__(self, settings: LLMSettings, key: str) -> None:
        self._http = httpx2.AsyncClient(transport=_Transport(), trust_env=False, timeout=None)
        self.model = _model(settings, key, self._http)
        self._parameters = library_models.ModelRequestParameters(output_mode="text")

    async def ask(self, system: str, message: str, settings: ModelSettings, send: Send) -> messages.ModelResponse:
        """Ask a model, and return its answer; `send` sends the request that the library writes."""
        said: list[messages.ModelMessage] = [
            messages.ModelRequest([messages.SystemPromptPart(system), messages.UserPromptPart(message)])
        ]
        token = _SENDER.set(send)
        try:
            return await self.model.request(said, settings, self._parameters)
        finally:
            _SENDER.reset(token)

    async def close(self) -> None:
        """Close the library's client."""
        await self._http.aclose()


class Unsent:
    """Sends nothing: keeps the request that the library writes."""

    def __init__(self) -> None:
        self.request: HttpRequest | None = None

    async def __call__(self, request: HttpRequest) -> Received:
        """Keep a request; there is no answer."""
        self.request = request
        raise NoConnectionError("this request was not sent")


class _Transport(httpx2.AsyncBaseTransport):
    """Sends the requests of the library's HTTP client by whoever sends in the current context."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = unframed(request.headers.multi_items())
        wanted = HttpRequest(request.method, str(request.url), headers, await request.aread())
        try:
            received = await _SENDER.get()(wanted)
        except NoConnectionError as error:
            raise httpx2.ConnectError(str(error), request=request) from error
        except OSError as error:
            raise httpx2.ReadError(str(error), request=request) from error
        return httpx2.Response(
            received.status, headers=unframed(received.headers.items()), content=received.body, request=request
        )


def _model(settings: LLMSettings, key: str, http: Any) -> library_models.Model:
    row = provider_of(settings.provider)

    def made(name: str) -> Any:
        kind, address = provider_class(settings), settings.base_url or row.url
        options: dict[str, Any] = {"api_key": key or "none", "http_client": http}
        if address is not None:
            if "base_url" not in inspect.signature(kind.__init__).parameters:
                raise ConfigError("baseUrl", address, f"none, since {name} takes none")
            options["base_url"] = address
        provider = kind(**options)
        if row.retries_on_client:
            provider.client.max_retries = 0
        return provider

    # What the library drops or cannot read is told by us, and once.
    warnings.filterwarnings("ignore", module="pydantic_ai")
    try:
        model = library_models.infer_model(f"{row.library}:{settings.model.partition(':')[2]}", made)
        # Thoughts stay in the text, where `read_reply` looks at them: the library forgets that they never ended.
        model.profile["thinking_tags"] = _NO_TAGS
        return model
    except (library_errors.UserError, ValueError, TypeError) as error:
        expected = f"a model that can be asked ({hide_key(str(error), key)})"
        raise ConfigError("model", settings.model, expected) from None
