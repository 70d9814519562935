"""The client: sends one request to one model. Retrying is up to the caller."""

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, get_args

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.agents.fields import hide_key
from molt_bench.agents.llm.exchange import Tokens
from molt_bench.agents.llm.failures import RequestFailed, failure_of
from molt_bench.agents.llm.model_settings import LLMSettings, OutputMode
from molt_bench.agents.llm.odds import Choice, choice_of
from molt_bench.agents.llm.provider_settings import (
    header_values,
    logprob_settings,
    model_settings,
    sends_both_limits,
    trial_settings,
)
from molt_bench.agents.llm.providers import USUAL, Pool, api_key, provider_class, reply_tokens
from molt_bench.agents.llm.reply import LONGEST_REPLY, WITHHELD, reply_schema, whole_characters
from molt_bench.agents.llm.stopwatch import HANDSHAKE_S, LoopDelay, Stopwatch
from molt_bench.errors import ConfigError

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

#: Requests per connection pool: a pool goes through all of its connections for every request.
_IN_ANY_POOL: Final = 12
#: Google's library takes long to set one up.
_IN_A_POOL: Final[Mapping[str, int]] = {"google": 100}
#: The name of the tool that a model calls to decide.
_TOOL: Final = "decide"
_LADDER: Final[tuple[OutputMode, ...]] = get_args(OutputMode)


class Answer(msgspec.Struct, frozen=True):
    """A model's answer; the fields are those of `Exchange`. Tokens are all 0 where the server did not count them."""

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
        unset = next((name for name, value in header_values(settings).items() if not value), None)
        if key is None and unset is not None:
            expected = "the names of environment variables that are set"
            raise ConfigError("extraHeaders", (settings.extra_headers or {})[unset], expected)
        self._pools = [self._new_pool()]
        self._fixed = settings.output_mode != "auto"
        self.mode: OutputMode = settings.output_mode if settings.output_mode != "auto" else self._best_mode()
        self.answered: set[OutputMode] = set()
        self._delay = LoopDelay()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._parameters: dict[OutputMode, ModelRequestParameters] = {}
        model = self._pools[0].model
        self._logprobs = logprob_settings(settings, model)
        self._model_settings = model_settings(settings, model) | self._logprobs
        self._both_limits = sends_both_limits(settings)

    def _best_mode(self) -> OutputMode:
        profile = self._pools[0].model.profile
        if profile.get("supports_json_schema_output"):
            return "native"
        if profile.get("supports_tools", True):
            return "tool"
        return "prompted" if profile.get("supports_json_object_output") else "text"

    @property
    def url(self) -> str:
        """The address of the server."""
        return self.cleaned(self._pools[0].model.base_url or "its provider")

    @property
    def is_auto(self) -> bool:
        """Whether the output mode was left to us."""
        return not self._fixed

    def can_step_down(self, refused: OutputMode) -> bool:
        """Return whether there is a simpler output mode than one that the server refused and never accepted."""
        if self._fixed or refused in self.answered:
            return False
        return self.mode != refused or refused != _LADDER[-1]

    def step_down(self, refused: OutputMode) -> bool:
        """Use the next simpler output mode from now on; return False if that happened after the request was sent."""
        if self.mode != refused:
            return False
        self.mode = _LADDER[_LADDER.index(refused) + 1]
        return True

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
            settings = trial_settings(self._settings, pool.model, max_tokens) | self._logprobs
        if not self._both_limits:
            settings = _one_limit(settings, self._settings)
        pool.in_use += 1
        watch = Stopwatch(timeout_s, self._delay)
        try:
            async with watch:
                response = await pool.model.request(messages, settings, self._asking(mode))
        except TimeoutError:
            if not watch.sent:
                raise RequestFailed("transport", f"no connection within {HANDSHAKE_S:g} s") from None
            raise RequestFailed("timeout", f"no answer within {timeout_s:g} s", may_cost=True) from None
        except ContentFilterError as error:
            return Answer(self.cleaned(str(error)), WITHHELD, None, Tokens())
        except Exception as error:
            failure = failure_of(error, self.cleaned, sent=watch.sent)
            if self._both_limits and "max_tokens" in str(failure):
                self._both_limits = False  # one of them is one too many, so the next request has only the newer one
            # Not chained: the provider's exception may hold the key.
            raise failure from None
        finally:
            pool.in_use -= 1
        answer = self._answer(response)
        if not answer.text and answer.finish is None and not answer.tokens.total:
            raise RequestFailed("transport", "the answer is not one of this protocol", may_cost=True)
        if max_tokens is None:
            self.answered.add(mode)
        return answer

    def _free_pool(self) -> "Pool":
        """Return a pool that belongs to the running event loop and has room."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._loop is not None:
                self._pools.clear()
                self._delay = LoopDelay()
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
                    name=_TOOL, description=about, parameters_json_schema=schema, kind="output", strict=True
                )
                found = ModelRequestParameters(output_mode=mode, output_tools=[tool], allow_text_output=False)
            else:
                form = OutputObjectDefinition(schema, name="decision", description=about, strict=True)
                found = ModelRequestParameters(output_mode=mode, output_object=form if mode != "text" else None)
            self._parameters[mode] = found
        return self._parameters[mode]

    def _answer(self, response: "ModelResponse") -> Answer:
        from pydantic_ai.messages import TextPart, ToolCallPart  # loaded when needed, for a fast start

        calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
        said = "".join(part.content for part in response.parts if isinstance(part, TextPart))
        text = _called(calls) if calls else said
        if response.finish_reason == WITHHELD and not text:
            text = str((response.provider_details or {}).get("refusal") or "")
        usage = response.usage
        reasoning = usage.details.get("reasoning_tokens") or usage.details.get("thoughts_tokens") or 0
        # Some servers count the reasoning apart, and all of them charge for it.
        written = usage.output_tokens + (reasoning if reasoning > usage.output_tokens > 0 else 0)
        read = Tokens(usage.input_tokens, usage.cache_read_tokens, written, reasoning, usage.cache_write_tokens)
        return Answer(
            # Cut, so that one answer cannot fill the disk; one character too long, so that the cut is noticed.
            self.cleaned(text.strip())[: LONGEST_REPLY + 1],
            response.finish_reason,
            self.cleaned(response.model_name) if response.model_name else None,
            read,
            (choice_of(reply_tokens(response), text.strip()) or UNSET) if self._settings.logprobs else UNSET,
        )

    def cleaned(self, text: str) -> str:
        """Return a text without the key, and without halves of characters, which no file could hold."""
        shown = hide_key(whole_characters(text), self._key)
        for secret in header_values(self._settings).values():
            shown = hide_key(shown, secret)
        return shown

    async def close(self) -> None:
        """Close the connections."""
        for pool in self._pools:
            await pool.http.aclose()


def _one_limit(settings: "ModelSettings", own: LLMSettings) -> "ModelSettings":
    """Return settings that have the limit of tokens by its newer name alone."""
    kept: Any = {name: value for name, value in settings.items() if name != "extra_body"}
    if own.extra_body:
        kept["extra_body"] = own.extra_body
    result: ModelSettings = kept
    return result


def _called(calls: "list[ToolCallPart]") -> str:
    """Return the arguments of the one call that was asked for; other calls, or several, are shown as they are.

    Those are a list, which no reader takes for a decision.
    """
    args = [call.args if isinstance(call.args, str) else call.args_as_json_str() for call in calls]
    if len(calls) == 1 and calls[0].tool_name == _TOOL:
        return args[0]
    return json.dumps([{"tool": call.tool_name, "arguments": each} for call, each in zip(calls, args, strict=True)])
