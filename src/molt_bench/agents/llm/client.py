"""The client: sends one request to one model. Retrying is up to the caller."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.agents.fields import hide_key
from molt_bench.agents.llm.exchange import Tokens
from molt_bench.agents.llm.model_settings import LLMSettings, OutputMode
from molt_bench.agents.llm.odds import Choice, choice_of
from molt_bench.agents.llm.providers import (
    USUAL,
    Pool,
    api_key,
    logprob_settings,
    model_settings,
    provider_class,
    reply_tokens,
    trial_settings,
)
from molt_bench.agents.llm.reply import LONGEST_REPLY, WITHHELD, reply_schema

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import ModelRequestParameters

#: Requests per connection pool: a pool goes through all of its connections for every request.
_IN_ANY_POOL: Final = 12
#: Google's library takes long to set one up.
_IN_A_POOL: Final[Mapping[str, int]] = {"google": 100}
_LADDER: Final[tuple[OutputMode, ...]] = get_args(OutputMode)
#: Why a request failed: too many at once; no connection, or an answer of another protocol; this request refused; every
#: request refused, as with a wrong key; no answer in time.
Trouble: TypeAlias = Literal["busy", "transport", "rejected", "fatal", "timeout"]


class RequestFailed(Exception):  # noqa: N818 - the caller decides whether it is an error
    """A request that brought no reply; `retry_after_s` is the pause that the provider asks for."""

    def __init__(self, trouble: Trouble, message: str, retry_after_s: float | None = None) -> None:
        self.trouble: Trouble = trouble
        self.retry_after_s = retry_after_s
        super().__init__(message)


class Answer(msgspec.Struct, frozen=True):
    """A model's answer; the fields are those of `Exchange`."""

    text: str
    finish: str | None
    model: str | None
    tokens: Tokens
    choice: Choice | UnsetType = UNSET


class ModelClient:
    """One model with its settings, over connections that belong to the running event loop.

    Attributes:
        mode: The output mode of the next request.
        answered: The output modes in which the model has answered.

    Args:
        settings: The model and how it is asked.
        keep_alive: Whether connections are kept for the next request; then `close` closes them.
        key: The API key; None for the one in the environment.

    Raises:
        ConfigError: The package, the key or the provider is missing, or reports no log-probabilities.
    """

    def __init__(self, settings: LLMSettings, *, keep_alive: bool = True, key: str | None = None) -> None:
        self._settings = settings
        self._keep_alive = keep_alive
        if settings.provider not in USUAL:
            provider_class(settings)  # an unknown provider is reported before a missing key
        self._key = api_key(settings) if key is None else key
        self._pools = [self._new_pool()]
        self._fixed = settings.output_mode != "auto"
        self.mode: OutputMode = settings.output_mode if settings.output_mode != "auto" else self._best_mode()
        self.answered: set[OutputMode] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._parameters: dict[OutputMode, ModelRequestParameters] = {}
        self._logprobs = logprob_settings(settings, self._pools[0].model)
        self._model_settings = model_settings(settings) | self._logprobs

    def _best_mode(self) -> OutputMode:
        profile = self._pools[0].model.profile
        if profile.get("supports_json_schema_output"):
            return "native"
        if profile.get("supports_tools", True):
            return "tool"
        return "prompted" if profile.get("supports_json_object_output") else "text"

    def can_step_down(self, refused: OutputMode) -> bool:
        """Return whether there is a simpler output mode than one that the server refused and never accepted."""
        if self._fixed or refused in self.answered:
            return False
        return self.mode != refused or refused != _LADDER[-1]

    def step_down(self, refused: OutputMode) -> None:
        """Use the next simpler output mode from now on, unless that has happened since the request was sent."""
        if self.mode == refused:
            self.mode = _LADDER[_LADDER.index(refused) + 1]

    async def connect(self, *, within_s: float) -> None:
        """Check that the server can be reached, without a request that costs anything; raises RequestFailed if not."""
        import httpx2  # slow to import

        pool = self._free_pool()
        if not pool.model.base_url:
            return
        try:
            await pool.http.get(pool.model.base_url, timeout=within_s)
        except httpx2.ConnectTimeout:
            raise RequestFailed("transport", f"no connection within {within_s:g} s") from None
        except httpx2.ConnectError as error:
            raise RequestFailed("transport", f"no connection: {self.cleaned(str(error))}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
            pass  # whatever went wrong, the server is there

    async def ask(
        self, system: str, message: str, mode: OutputMode, *, timeout_s: float, max_tokens: int | None = None
    ) -> Answer:
        """Send one request and return the answer; raises RequestFailed if it brought no reply.

        `max_tokens` is for a preflight question, whose answer proves nothing about the output mode.
        """
        # Loaded here, and below, since the library takes a second to import.
        from pydantic_ai.exceptions import ContentFilterError
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

        pool = self._free_pool()
        messages: list[Any] = [ModelRequest(parts=[SystemPromptPart(system), UserPromptPart(message)])]
        settings = self._model_settings
        if max_tokens is not None:
            settings = trial_settings(self._settings, max_tokens) | self._logprobs
        pool.in_use += 1
        try:
            async with asyncio.timeout(timeout_s):
                response = await pool.model.request(messages, settings, self._asking(mode))
        except TimeoutError:
            raise RequestFailed("timeout", f"no answer within {timeout_s:g} s") from None
        except ContentFilterError as error:
            return Answer(self.cleaned(str(error)), WITHHELD, None, Tokens())
        except Exception as error:
            # Not chained: the provider's exception may hold the key.
            raise self._failure(error) from None
        finally:
            pool.in_use -= 1
        answer = self._answer(response)
        if not answer.text and answer.finish is None and not answer.tokens.total:
            raise RequestFailed("transport", "the answer is not one of this protocol")
        if max_tokens is None:
            self.answered.add(mode)
        return answer

    def _free_pool(self) -> "Pool":
        """Return a pool that belongs to the running event loop and has room."""
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

    def _new_pool(self) -> "Pool":
        return Pool(self._settings, self._key, keep_alive=self._keep_alive)

    def _asking(self, mode: OutputMode) -> "ModelRequestParameters":
        """Return the request parameters of an output mode."""
        if mode not in self._parameters:
            from pydantic_ai.models import ModelRequestParameters  # loaded when needed, for a fast start
            from pydantic_ai.output import OutputObjectDefinition
            from pydantic_ai.tools import ToolDefinition

            asked = self._settings
            schema = reply_schema(comprehension=asked.comprehension, first=asked.reply_first)
            about = "Your decision at the poker table."
            if mode == "tool":
                tool = ToolDefinition(
                    name="decide", description=about, parameters_json_schema=schema, kind="output", strict=True
                )
                found = ModelRequestParameters(output_mode=mode, output_tools=[tool], allow_text_output=False)
            else:
                form = OutputObjectDefinition(schema, name="decision", description=about, strict=True)
                found = ModelRequestParameters(output_mode=mode, output_object=form if mode != "text" else None)
            self._parameters[mode] = found
        return self._parameters[mode]

    def _answer(self, response: "ModelResponse") -> Answer:
        from pydantic_ai.messages import TextPart, ToolCallPart  # loaded when needed, for a fast start

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
            # Cut, so that one answer cannot fill the disk; one character too long, so that the cut is noticed.
            self.cleaned(text.strip())[: LONGEST_REPLY + 1],
            response.finish_reason,
            self.cleaned(response.model_name) if response.model_name else None,
            Tokens(usage.input_tokens, usage.cache_read_tokens, usage.output_tokens, reasoning),
            (choice_of(reply_tokens(response), text.strip()) or UNSET) if self._settings.logprobs else UNSET,
        )

    def _failure(self, error: Exception) -> RequestFailed:
        from pydantic_ai import exceptions as known  # loaded when needed, for a fast start

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
        """Return a text without the key."""
        return hide_key(text, self._key)

    async def close(self) -> None:
        """Close the connections."""
        for pool in self._pools:
            await pool.http.aclose()


def _asked_pause(error: Exception) -> float | None:
    """Return the seconds that a provider asks to wait, in a header or in the error that Google returns."""
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
