"""The client: asks one model over the network, once. Whoever calls it decides about trying again."""

import asyncio
import inspect
import os
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

import msgspec

from molt_bench.agents.llm.exchange import Tokens
from molt_bench.agents.llm.reply import LONGEST_REPLY, WITHHELD, reply_schema
from molt_bench.agents.llm.settings import LLMSettings, OutputMode
from molt_bench.errors import ConfigError

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

#: Where providers keep their keys, where that is not PROVIDER_API_KEY.
_KEY_VARIABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "openai-chat": ("OPENAI_API_KEY",),
    "openai-responses": ("OPENAI_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
#: Known without a look into the library, which takes a second to import.
_USUAL: Final = ("openai", "openai-chat", "openai-responses", "anthropic", "google")
#: Requests that share a pool of connections: a pool looks at all of its connections for every request.
_IN_ANY_POOL: Final = 12
#: Google's library takes long to make one.
_IN_A_POOL: Final[Mapping[str, int]] = {"google": 100}
_LADDER: Final[tuple[OutputMode, ...]] = get_args(OutputMode)
#: Tokens of a reply where the provider has no default of its own.
_MAX_TOKENS: Final[Mapping[str, int]] = {"anthropic": 8192}
#: Where retries are turned off once; elsewhere with every request, which takes longer.
_RETRIES_ON_CLIENT: Final = ("openai", "openai-chat", "anthropic")
_SECRET: Final = "[key]"
#: What is shorter is no secret, such as the "none" that some servers want.
_SHORTEST_KEY: Final = 8

#: Why a request has failed: too many at once; no connection, or an answer that is none; refused as it is; refused
#: whatever it is, as with a wrong key; no answer in time.
Trouble: TypeAlias = Literal["busy", "transport", "rejected", "fatal", "timeout"]


class RequestFailed(Exception):  # noqa: N818 - the caller decides whether it is an error
    """A request that brought no reply.

    Attributes:
        trouble: What kind of failure it was.
        retry_after_s: Seconds that the provider asks to wait.
    """

    def __init__(self, trouble: Trouble, message: str, retry_after_s: float | None = None) -> None:
        self.trouble: Trouble = trouble
        self.retry_after_s = retry_after_s
        super().__init__(message)


class Answer(msgspec.Struct, frozen=True):
    """What a model answered; the fields are those of `Exchange`."""

    text: str
    finish: str | None
    model: str | None
    tokens: Tokens


class ModelClient:
    """One model with its settings, over connections that belong to the event loop it is first used on.

    Attributes:
        mode: How replies are asked for now.
        answered: The modes in which the model has ever answered.

    Raises:
        ConfigError: The package, the key or the provider is missing.
    """

    def __init__(self, settings: LLMSettings, *, keep_alive: bool = True) -> None:
        """Look for everything that is needed.

        Args:
            settings: Which model, and how.
            keep_alive: Whether connections are kept for the next request; then `close` ends them.
        """
        self._settings = settings
        self._keep_alive = keep_alive
        if settings.provider not in _USUAL:
            _provider_class(settings)  # that there is no such provider is said before that its key is missing
        self._key = api_key(settings)
        self._pools = [self._new_pool()]
        self._fixed = settings.output_mode != "auto"
        self.mode: OutputMode = settings.output_mode if settings.output_mode != "auto" else self._best_mode()
        self.answered: set[OutputMode] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._parameters: dict[OutputMode, ModelRequestParameters] = {}
        self._model_settings = _model_settings(settings)

    def _best_mode(self) -> OutputMode:
        profile = self._pools[0].model.profile
        if profile.get("supports_json_schema_output"):
            return "native"
        if profile.get("supports_tools", True):
            return "tool"
        return "prompted" if profile.get("supports_json_object_output") else "text"

    def step_down(self, refused: OutputMode) -> bool:
        """Ask in the next less strict way from now on, since the server refused this one; say whether there is one."""
        if self._fixed or refused in self.answered:
            return False
        if self.mode == refused:
            lower = _LADDER.index(refused) + 1
            if lower == len(_LADDER):
                return False
            self.mode = _LADDER[lower]
        return True

    async def ask(self, system: str, message: str, mode: OutputMode, *, timeout_s: float) -> Answer:
        """Send one request.

        Raises:
            RequestFailed: It brought no reply.
        """
        from pydantic_ai.exceptions import ContentFilterError
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

        pool = self._free_pool()
        messages: list[Any] = [ModelRequest(parts=[SystemPromptPart(system), UserPromptPart(message)])]
        pool.in_use += 1
        try:
            async with asyncio.timeout(timeout_s):
                response = await pool.model.request(messages, self._model_settings, self._asking(mode))
        except TimeoutError:
            raise RequestFailed("timeout", f"no answer within {timeout_s:g} s") from None
        except ContentFilterError as error:
            return Answer(self.cleaned(str(error)), WITHHELD, None, Tokens())
        except Exception as error:
            # Not chained: what the provider's library carries along may hold the key.
            raise self._failure(error) from None
        finally:
            pool.in_use -= 1
        answer = self._answer(response)
        if not answer.text and answer.finish is None and not answer.tokens.total:
            raise RequestFailed("transport", "the answer is not one of this protocol")
        self.answered.add(mode)
        return answer

    def _free_pool(self) -> "_Pool":
        """Return connections that belong to the running event loop and are not too busy."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._loop is not None:
                self._pools.clear()
            self._loop = loop
        for pool in self._pools:
            if pool.in_use < _IN_A_POOL.get(self._settings.provider, _IN_ANY_POOL):
                return pool
        self._pools.append(self._new_pool())
        return self._pools[-1]

    def _new_pool(self) -> "_Pool":
        return _Pool(self._settings, self._key, keep_alive=self._keep_alive)

    def _asking(self, mode: OutputMode) -> "ModelRequestParameters":
        """Return how the reply is asked for."""
        if mode not in self._parameters:
            from pydantic_ai.models import ModelRequestParameters
            from pydantic_ai.output import OutputObjectDefinition
            from pydantic_ai.tools import ToolDefinition

            schema = reply_schema(comprehension=self._settings.comprehension)
            about = "Your decision at the poker table."
            self._parameters[mode] = (
                ModelRequestParameters(
                    output_mode="tool",
                    output_tools=[
                        ToolDefinition(
                            name="decide", description=about, parameters_json_schema=schema, kind="output", strict=True
                        )
                    ],
                    allow_text_output=False,
                )
                if mode == "tool"
                else ModelRequestParameters(
                    output_mode=mode,
                    output_object=OutputObjectDefinition(schema, name="decision", description=about, strict=True)
                    if mode != "text"
                    else None,
                )
            )
        return self._parameters[mode]

    def _answer(self, response: "ModelResponse") -> Answer:
        from pydantic_ai.messages import TextPart, ToolCallPart

        called = [
            part.args if isinstance(part.args, str) else part.args_as_json_str()
            for part in response.parts
            if isinstance(part, ToolCallPart)
        ]
        said = [part.content for part in response.parts if isinstance(part, TextPart)]
        text = called[0] if called else "".join(said)
        if response.finish_reason == WITHHELD and not text:
            text = str((response.provider_details or {}).get("refusal") or "")
        usage = response.usage
        reasoning = usage.details.get("reasoning_tokens") or usage.details.get("thoughts_tokens") or 0
        return Answer(
            # Cut, so that one answer cannot fill the disk; one character more than is read, so that it shows.
            self.cleaned(text.strip())[: LONGEST_REPLY + 1],
            response.finish_reason,
            self.cleaned(response.model_name) if response.model_name else None,
            Tokens(usage.input_tokens, usage.cache_read_tokens, usage.output_tokens, reasoning),
        )

    def _failure(self, error: Exception) -> RequestFailed:
        from pydantic_ai import exceptions as known

        said = self.cleaned(" ".join(str(error).split()))[:300]
        message = f"{type(error).__name__}: {said}" if said else type(error).__name__
        after = _asked_pause(error)
        if isinstance(error, known.ModelQuotaExceededError | known.ModelAuthenticationError | known.ModelNotFoundError):
            return RequestFailed("fatal", message)
        if isinstance(error, known.ModelRateLimitError | known.ModelOverloadedError):
            return RequestFailed("busy", message, after)
        if isinstance(error, known.ModelRequestRejectedError | known.UserError):
            return RequestFailed("rejected", message)
        return RequestFailed("transport", message, after)

    def cleaned(self, text: str) -> str:
        """Return a text without the key in it."""
        return _without(text, self._key)

    async def close(self) -> None:
        """Close the connections."""
        for pool in self._pools:
            await pool.http.aclose()


def _asked_pause(error: Exception) -> float | None:
    """Return the seconds that a provider asks to wait: in its header, also as a fraction, or as Google says it."""
    known: float | None = getattr(error, "retry_after", None)
    if known is not None:
        return known
    body = getattr(error, "body", None)
    told = [(getattr(error, "headers", None) or {}).get("retry-after")]
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        details = body["error"].get("details")
        told += [each.get("retryDelay") for each in details or () if isinstance(each, dict)]
    for text in told:
        try:
            seconds = float(str(text).removesuffix("s"))
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def api_key(settings: LLMSettings) -> str:
    """Return the key of a model; a server of the user's own needs none.

    Raises:
        ConfigError: It is not there.
    """
    if settings.api_key_env is not None:
        key = os.environ.get(settings.api_key_env, "").strip()
        if not key:
            raise ConfigError("apiKeyEnv", settings.api_key_env, "the name of an environment variable that is set")
        return key
    if settings.base_url is not None:
        return ""  # never send a provider's key to another server
    provider = settings.provider
    variables = _KEY_VARIABLES.get(provider, (f"{provider.upper().replace('-', '_')}_API_KEY",))
    key = next((found for name in variables if (found := os.environ.get(name, "").strip())), "")
    if not key:
        raise ConfigError("model", settings.model, f"its key in the environment variable {' or '.join(variables)}")
    return key


class _Pool:
    """A model as pydantic-ai has it, with connections of its own, and how many requests are using them."""

    __slots__ = ("http", "in_use", "model")

    def __init__(self, settings: LLMSettings, key: str, *, keep_alive: bool) -> None:
        self.http = _http(keep_alive=keep_alive)
        self.model = _model(settings, key, self.http)
        self.in_use = 0


def _http(*, keep_alive: bool) -> Any:
    """Return connections without limits: how many there are and how long they take is decided elsewhere."""
    try:
        import httpx2
    except ImportError as error:
        raise _missing(error) from error
    kept = None if keep_alive else 0
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=kept, keepalive_expiry=60)
    return httpx2.AsyncClient(limits=limits, timeout=None, verify=_certificates(), follow_redirects=False)


@cache
def _certificates() -> Any:
    import httpx2

    return httpx2.create_ssl_context()


def _missing(error: ImportError) -> ConfigError:
    return ConfigError("type", "llm", f"the extra that asks models: pip install 'molt-bench[llm]' ({error})")


def _provider_class(settings: LLMSettings) -> Any:
    """Return the class of a model's provider.

    Raises:
        ConfigError: There is no such provider, or its package is missing.
    """
    try:
        from pydantic_ai.providers import infer_provider_class

        return infer_provider_class(settings.provider)
    except ImportError as error:
        raise _missing(error) from error
    except ValueError:
        raise ConfigError(
            "model", settings.model, "a provider such as openai, anthropic, google, groq, mistral or openrouter"
        ) from None


def _model(settings: LLMSettings, key: str, http: Any) -> "Model":
    try:
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.models import infer_model
    except ImportError as error:
        raise _missing(error) from error

    def provider_of(name: str) -> Any:
        made = _provider_class(settings)
        takes = inspect.signature(made.__init__).parameters
        options: dict[str, Any] = {"api_key": key or "none", "http_client": http}
        if settings.base_url is not None:
            if "base_url" not in takes:
                raise ConfigError("baseUrl", settings.base_url, f"none, since {name} takes none")
            options["base_url"] = settings.base_url
        provider = made(**options)
        if name in _RETRIES_ON_CLIENT:
            provider.client.max_retries = 0
        return provider

    provider, _, name = settings.model.partition(":")
    # By itself `openai:` means the Responses API, which drops the seed and which other servers do not have.
    wanted = f"openai-chat:{name}" if provider == "openai" else settings.model
    try:
        return infer_model(wanted, provider_of)
    except ImportError as error:
        raise _missing(error) from error
    except (UserError, ValueError, TypeError) as error:
        expected = f"a model that can be asked ({_without(str(error), key)})"
        raise ConfigError("model", settings.model, expected) from None


def _without(text: str, key: str) -> str:
    return text.replace(key, _SECRET) if len(key) >= _SHORTEST_KEY else text


def _model_settings(settings: LLMSettings) -> "ModelSettings":
    """Return the settings as pydantic-ai takes them; one retry layer is enough, so those of the providers are off."""
    effort = "openai_reasoning_effort" if settings.provider in ("openai", "openai-chat") else "thinking"
    wanted: dict[str, Any] = {
        "max_retries": None if settings.provider in _RETRIES_ON_CLIENT else 0,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "max_tokens": settings.max_tokens or _MAX_TOKENS.get(settings.provider),
        effort: settings.reasoning_effort,
    }
    found: Any = {name: value for name, value in wanted.items() if value is not None}
    result: ModelSettings = found
    return result
