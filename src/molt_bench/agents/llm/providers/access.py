"""Providers: a model's API key, library and connections. Libraries are imported late, since that takes a second."""

import inspect
import os
import warnings
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from molt_bench.agents.field_errors import hide_key
from molt_bench.agents.llm.providers.log_probabilities import ReplyTokens
from molt_bench.agents.llm.providers.provider_settings import RETRIES_ON_CLIENT
from molt_bench.agents.llm.sending.connections import Connections
from molt_bench.agents.llm.sending.stopwatch import time_request
from molt_bench.agents.llm.sending.transport import Transport
from molt_bench.agents.llm.sending.wire import ENCODINGS, note_request, note_response
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.errors import ConfigError, how_to_install

if TYPE_CHECKING:
    from pydantic_ai.models import Model

#: Known without importing the library, which takes a second.
USUAL: Final = ("openai", "openai-chat", "openai-responses", "anthropic", "google")


#: Tags that no reply has.
_NO_TAGS: Final = ("\0<", "\0>")


def api_key(settings: LLMSettings) -> str:
    """Return the API key of a model; the user's own server needs none. Raises ConfigError if it is not set."""
    variables = settings.key_variables
    key = next((found for name in variables if (found := os.environ.get(name, "").strip())), "")
    if key or not variables:
        return key
    if settings.api_key_env is not None:
        raise ConfigError("apiKeyEnv", settings.api_key_env, "the name of an environment variable that is set")
    raise ConfigError("model", settings.model, f"its key in the environment variable {' or '.join(variables)}")


class Library:
    """A pydantic-ai model, and the connections over which it asks.

    Attributes:
        connections: The connections; None where there is a proxy, which httpx2 knows how to use.
    """

    def __init__(self, settings: LLMSettings, key: str, *, keep_alive: bool) -> None:
        self.connections = None if _proxied(settings) else Connections(_certificates, keep_alive=keep_alive)
        self.http = _http(self.connections, keep_alive=keep_alive)
        self.model = _model(settings, key, self.http)

    async def close(self) -> None:
        """Close the connections."""
        await self.http.aclose()


def _proxied(settings: LLMSettings) -> bool:
    """Return whether the environment sends the requests of a model over a proxy."""
    from urllib.request import getproxies, proxy_bypass  # loaded when needed, for a fast start

    if not {"http", "https", "all"} & getproxies().keys():
        return False
    host = urlsplit(settings.base_url or "").hostname
    return host is None or not proxy_bypass(host)


def _http(connections: Connections | None, *, keep_alive: bool) -> Any:
    """Return an HTTP client without limits: concurrency and timeouts are enforced elsewhere."""
    try:
        import httpx2  # loaded when needed, for a fast start
    except ImportError as error:
        raise _missing(error) from error
    kept = None if keep_alive else 0
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=kept, keepalive_expiry=60)
    transport: Any = None if connections is None else Transport(connections)
    return httpx2.AsyncClient(
        limits=limits,
        timeout=None,
        verify=_certificates(),
        follow_redirects=False,
        headers={"Accept-Encoding": ", ".join(ENCODINGS)},
        event_hooks={"request": [time_request, note_request], "response": [note_response]},
        transport=transport,
    )


@cache
def _certificates() -> Any:
    import httpx2  # loaded when needed, for a fast start

    return httpx2.create_ssl_context()


def _missing(error: ImportError) -> ConfigError:
    return ConfigError("type", "llm", f"the extra that asks models: {how_to_install('llm')} ({error})")


def provider_class(settings: LLMSettings) -> Any:
    """Return the class of a model's provider; raises ConfigError if there is none, or its package is missing."""
    try:
        from pydantic_ai.providers import infer_provider_class  # loaded when needed, for a fast start

        return infer_provider_class(settings.provider)
    except ImportError as error:
        raise _missing(error) from error
    except ValueError:
        raise ConfigError(
            "model", settings.model, "a provider such as openai, anthropic, google, groq, mistral or openrouter"
        ) from None


def _model(settings: LLMSettings, key: str, http: Any) -> "Model":
    try:
        from pydantic_ai.exceptions import UserError  # loaded when needed, for a fast start
        from pydantic_ai.models import infer_model
    except ImportError as error:
        raise _missing(error) from error

    def provider_of(name: str) -> Any:
        made = provider_class(settings)
        takes = inspect.signature(made.__init__).parameters
        options: dict[str, Any] = {"api_key": key or "none", "http_client": http}
        if settings.base_url is not None:
            if "base_url" not in takes:
                raise ConfigError("baseUrl", settings.base_url, f"none, since {name} takes none")
            options["base_url"] = settings.base_url
        provider = made(**options)
        if name in RETRIES_ON_CLIENT:
            provider.client.max_retries = 0
        return provider

    # What the library drops or cannot read is told by us, and once.
    warnings.filterwarnings("ignore", module="pydantic_ai")
    provider, _, name = settings.model.partition(":")
    # Plain `openai:` would mean the Responses API, which drops the seed and which other servers lack.
    wanted = f"openai-chat:{name}" if provider == "openai" else settings.model
    try:
        model = infer_model(wanted, provider_of)
        # Thoughts stay in the text, where `read_reply` looks at them: the library forgets that they never ended.
        model.profile["thinking_tags"] = _NO_TAGS
        return model
    except ImportError as error:
        raise _missing(error) from error
    except (UserError, ValueError, TypeError) as error:
        expected = f"a model that can be asked ({hide_key(str(error), key)})"
        raise ConfigError("model", settings.model, expected) from None


def reply_tokens(reported: Any) -> ReplyTokens:
    """Return the tokens of a reply with their alternatives; empty if they are missing, or not in a known form."""
    try:
        if isinstance(reported, Mapping):  # Google's
            tops = [each["candidates"] or () for each in reported["top_candidates"] or ()]
            drawn = [each["token"] or "" for each in reported["chosen_candidates"] or ()]
            return [
                (token, [(str(one["token"]), float(one["log_probability"])) for one in top])
                for token, top in zip(drawn, tops, strict=True)
            ]
        return [
            (each["token"], [(str(one["token"]), float(one["logprob"])) for one in each["top_logprobs"]])
            for each in reported or ()
        ]
    except (TypeError, KeyError, ValueError, OverflowError):
        return ()
