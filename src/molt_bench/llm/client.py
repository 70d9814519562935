"""The client: sends one request to one model, through the library. Retrying is up to the caller.

It needs the extra `llm`, so nothing imports it but `new_client`.
"""

import warnings
from collections.abc import Iterable
from typing import Any, Final

import httpx2
import msgspec
from pydantic_ai import exceptions as library_errors
from pydantic_ai import messages
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.providers import infer_provider_class
from pydantic_ai.settings import ModelSettings

from molt_bench.agents.settings_base import hide_key
from molt_bench.blame import raise_bug
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.llm.after_failure import RequestFailed, Trouble
from molt_bench.llm.failures import failure_of
from molt_bench.llm.providers import PROVIDERS
from molt_bench.llm.reply import LONGEST_REPLY, WITHHELD, whole_characters
from molt_bench.llm.request_settings import model_settings
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.transport import CALL, HANDSHAKE_S, Call, Transport
from molt_bench.llm.types import Answer, Said, Tokens

#: Most characters that are kept of thoughts, and of what a server calls itself.
_LONGEST_THOUGHTS: Final = 1_000_000
_LONGEST_NAME: Final = 200
#: Why a reply ended that its provider broke off.
_BROKEN_OFF: Final = "error"
_PARAMETERS: Final = ModelRequestParameters(output_mode="text")


class _Bill(msgspec.Struct, frozen=True):
    cost: Any = None
    total_tokens: Any = None


class _Stated(msgspec.Struct, frozen=True):
    """What answers state that the library does not pass on, in the names of the usual protocols."""

    system_fingerprint: Any = None
    provider: Any = None
    service_tier: Any = None
    usage: _Bill | None = None


_decode: Final = msgspec.json.Decoder(_Stated).decode


class ModelClient:
    """One model with its settings.

    Args:
        settings: The model and how it is asked.
        keep_alive: Whether connections are kept for the next request; then `close` closes them.
        key: The API key; None for the one in the environment.

    Raises:
        ConfigError: The key or the provider is missing, or the model does not take a setting.
        ImportError: A package is missing.
    """

    def __init__(self, settings: LLMSettings, *, keep_alive: bool = True, key: str | None = None) -> None:
        self._settings = settings
        self._provider = settings.provider
        make_provider = _provider_class(settings)  # an unknown provider is reported before a missing key
        self._key = settings.key() if key is None else key
        self._transport = Transport(keep_alive=keep_alive)
        self._http = httpx2.AsyncClient(transport=self._transport, trust_env=False, timeout=None)
        self._model = _model(settings, make_provider, self._key, self._http)
        self._written: dict[int | None, ModelSettings] = {}
        self._settings_for(None)

    @property
    def url(self) -> str:
        """The address of the server."""
        return self.cut(self._model.base_url or "its provider")

    def cut(self, text: str) -> str:
        """Return a text without the key, and without halves of characters, which no file could hold."""
        return hide_key(whole_characters(text), self._key)

    async def ask(self, said: Iterable[Said], *, timeout_s: float, limit: int | None = None) -> Answer:
        """Send one request and return the answer; raises RequestFailed if it brought no reply.

        `limit` is the most tokens of a reply where the user set none, or a smaller number.
        """
        settings, call = self._settings_for(limit), Call(timeout_s)
        token = CALL.set(call)
        try:
            async with call.clock:
                response = await self._model.request(_library_messages(said), settings, _PARAMETERS)
        except TimeoutError:
            raise _late(call, timeout_s) from None
        except library_errors.ContentFilterError as error:
            return Answer(self.cut(str(error)), WITHHELD, None, Tokens())
        except MoltBenchError:
            raise
        except Exception as error:
            raise_bug(error)
            # Not chained: the provider's exception may hold the key.
            raise failure_of(error, self.cut, sent=call.sent) from None
        finally:
            CALL.reset(token)
        answer = self._read(response, _stated_in(call.body))
        if answer.finish == _BROKEN_OFF:
            broken = "the provider broke its answer off with an error"
            raise RequestFailed("transport", broken, may_cost=True, tokens=answer.tokens)
        if not answer.text and answer.finish is None and not answer.tokens.total:
            raise RequestFailed("transport", "the answer is not one of this protocol", may_cost=True)
        return answer

    def _settings_for(self, limit: int | None) -> ModelSettings:
        """Return what is sent besides the prompt, by the limit of a reply."""
        if limit not in self._written:
            settings = self._settings if limit is None else self._settings.model_copy(update={"max_tokens": limit})
            self._written[limit] = model_settings(settings, self._model)
        return self._written[limit]

    def _read(self, response: messages.ModelResponse, stated: _Stated) -> Answer:
        """Return what an answer says and what it took."""
        text, thoughts = (
            "\n\n".join(part.content for part in response.parts if isinstance(part, kind) and part.content)
            for kind in (messages.TextPart, messages.ThinkingPart)
        )
        details = response.provider_details or {}
        # The library also calls it an error where a model wrote what cannot be.
        broken = details.get("finish_reason") == _BROKEN_OFF
        finish = _BROKEN_OFF if broken else None if response.finish_reason == "error" else response.finish_reason
        if finish == WITHHELD and not text:
            text = str(details.get("refusal") or "")
        bill = stated.usage or _Bill()
        return Answer(
            # Cut, so that one answer cannot fill the disk; one character too long, so that the cut is noticed.
            self.cut(text.strip())[: LONGEST_REPLY + 1],
            finish,
            self.cut(response.model_name) if response.model_name else None,
            _tokens(response, bill.total_tokens),
            thoughts=self.cut(thoughts.strip())[:_LONGEST_THOUGHTS],
            response_id=self._named(response.provider_response_id),
            fingerprint=self._named(stated.system_fingerprint),
            upstream=self._named(stated.provider),
            tier=self._named(stated.service_tier),
            billed_usd=_dollars(bill.cost),
        )

    def _named(self, name: object) -> str | None:
        return self.cut(name)[:_LONGEST_NAME] if isinstance(name, str) and name else None

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def _provider_class(settings: LLMSettings) -> Any:
    """Return the library's class of a provider; raises ConfigError if there is none."""
    try:
        return infer_provider_class(settings.provider.library or settings.provider.name)
    except ValueError:
        raise ConfigError("model", settings.model, f"a provider such as {', '.join(PROVIDERS)}") from None


def _model(settings: LLMSettings, make_provider: Any, key: str, http: httpx2.AsyncClient) -> Model:
    """Return a model as the library has it; raises ConfigError if it cannot be asked."""
    row = settings.provider

    def made(name: str) -> Any:
        options = {"api_key": key or "none", "http_client": http}
        if settings.base_url is not None:
            options["base_url"] = settings.base_url
        provider = make_provider(**options)
        client = provider.client
        if hasattr(client, "max_retries"):
            client.max_retries = 0
        return provider

    # What the library drops or cannot read is told by us, and once.
    warnings.filterwarnings("ignore", module="pydantic_ai")
    try:
        model = infer_model(f"{row.library or row.name}:{settings.model.partition(':')[2]}", made)
        if settings.base_url is not None:  # most servers know the limit of tokens by its older name alone
            model.profile["openai_chat_supports_max_completion_tokens"] = False  # type: ignore[typeddict-unknown-key]
        return model
    except TypeError as error:
        if settings.base_url is not None and "base_url" in str(error):
            raise ConfigError("baseUrl", settings.base_url, f"none, since {row.name} takes none") from None
        raise
    except (library_errors.UserError, ValueError) as error:
        expected = f"a model that can be asked ({hide_key(str(error), key)})"
        raise ConfigError("model", settings.model, expected) from None


def _library_messages(said: Iterable[Said]) -> list[messages.ModelMessage]:
    """Return what was said in the terms of the library."""
    found: list[messages.ModelMessage] = []
    parts: list[messages.ModelRequestPart] = []
    for each in said:
        if each.role == "assistant":
            found += [messages.ModelRequest(parts), messages.ModelResponse([messages.TextPart(each.text)])]
            parts = []
        elif each.role == "system":
            parts.append(messages.SystemPromptPart(each.text))
        else:
            parts.append(messages.UserPromptPart(each.text))
    return [*found, messages.ModelRequest(parts)]


def _stated_in(body: bytes) -> _Stated:
    """Return what an answer states, if it can be read."""
    try:
        return _decode(body)
    except (ValueError, RecursionError):
        return _Stated()


def _late(call: Call, timeout_s: float) -> RequestFailed:
    """Return what came of a request whose time is up."""
    if not call.sent:
        return RequestFailed("transport", f"no connection within {HANDSHAKE_S:g} s")
    trouble: Trouble = "timeout" if call.answering else "hung"
    late = "the answer was not complete" if call.answering else "no answer"
    return RequestFailed(trouble, f"{late} within {timeout_s:g} s", may_cost=True)


def _tokens(response: messages.ModelResponse, total: object) -> Tokens:
    """Return the tokens of an answer.

    Thoughts count as written where a server counts them apart: all of them charge for it. Some say so by thoughts that
    are more than what was written, others only by a total that is more than what was read and written.
    """
    usage = response.usage
    thoughts = usage.details.get("reasoning_tokens") or usage.details.get("thoughts_tokens") or 0
    counts = (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens, thoughts, usage.cache_write_tokens)
    if any(type(count) is not int for count in counts):  # the library passes on what servers send, a half or a text too
        return Tokens()
    written = usage.output_tokens + (thoughts if thoughts > usage.output_tokens >= 0 else 0)
    if isinstance(total, int):
        written = max(written, total - max(0, usage.input_tokens))
    return Tokens(usage.input_tokens, usage.cache_read_tokens, written, thoughts, usage.cache_write_tokens)


def _dollars(stated: object) -> float | None:
    """Return the cost that an answer states; None for what is no number of dollars."""
    number = isinstance(stated, int | float) and not isinstance(stated, bool)
    return float(stated) if number and 0 <= stated < float("inf") else None  # type: ignore[operator,arg-type]
