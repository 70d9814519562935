"""The client: sends one request to one model. Retrying is up to the caller."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args

import msgspec
from msgspec import UNSET

from molt_bench.agents.llm.answer_bytes import Received
from molt_bench.agents.llm.answers import BROKEN_OFF, Answer, AnswerReader
from molt_bench.agents.llm.batch import Batches
from molt_bench.agents.llm.chat import ChatForm, form_of, plain, with_readable_counts
from molt_bench.agents.llm.exchange import Tokens
from molt_bench.agents.llm.failures import RequestFailed, Trouble, failure_of
from molt_bench.agents.llm.keys import Keys
from molt_bench.agents.llm.library_messages import messages_of, parameters_of
from molt_bench.agents.llm.model_settings import LLMSettings, OutputMode
from molt_bench.agents.llm.provider_settings import (
    LIMIT_NAMES,
    OPENAI_CHAT,
    check_headers,
    header_values,
    limit_names,
    limited_settings,
    logprob_settings,
    model_settings,
    trial_settings,
    without_fields,
)
from molt_bench.agents.llm.providers import USUAL, Library, api_key, provider_class
from molt_bench.agents.llm.question import ToolStep, Turn
from molt_bench.agents.llm.redirection import is_elsewhere
from molt_bench.agents.llm.reply import WITHHELD
from molt_bench.agents.llm.stopwatch import HANDSHAKE_S, LoopDelay, Stopwatch
from molt_bench.agents.llm.tools import MOST_STEPS
from molt_bench.agents.llm.transport import Diversion
from molt_bench.agents.llm.wire import current
from molt_bench.blame import raise_bug
from molt_bench.errors import ConfigError, MoltBenchError

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

_LADDER: Final[tuple[OutputMode, ...]] = get_args(OutputMode)
#: What requests that are written alike have in common: the output mode, the limit of a preflight question, the limit
#: of a reply, the fields left out, and whether there are earlier turns.
FormKind: TypeAlias = tuple[OutputMode, int | None, int | None, frozenset[str], bool]


class ModelClient:
    """One model with its settings, over connections that belong to the running event loop.

    Attributes:
        mode: The output mode of the next request.
        answered: The output modes in which the model has answered.
        keys: What is cut out of everything that is kept or shown.
        left_out: Fields of a request that the server has rejected, and that are not sent any more.
        refusals: Prompts that it has refused in a row.

    Args:
        settings: The model and how it is asked.
        keep_alive: Whether connections are kept for the next request; then `close` closes them.
        key: The API key; None for the one in the environment.
        batches: Sends the requests, if they go in batches.

    Raises:
        ConfigError: The package, the key or the provider is missing, or reports no log-probabilities.
    """

    def __init__(
        self,
        settings: LLMSettings,
        *,
        keep_alive: bool = True,
        key: str | None = None,
        batches: Batches | None = None,
    ) -> None:
        self._settings = settings
        self._batches = batches
        self._keep_alive = keep_alive
        if settings.provider not in USUAL:
            provider_class(settings)  # an unknown provider is reported before a missing key
        self._key = api_key(settings) if key is None else key
        if key is None:
            check_headers(settings)
        self.keys = Keys((self._key, *header_values(settings).values()))
        self._reader = AnswerReader(settings, self.keys)
        self._library = self._new_library()
        asked_mode = settings.asked_mode
        self._fixed = asked_mode != "auto"
        self.mode: OutputMode = asked_mode if asked_mode != "auto" else self._best_mode()
        self.answered: set[OutputMode] = set()
        self._delay = LoopDelay()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._parameters: dict[tuple[OutputMode, bool], ModelRequestParameters] = {}
        self._forms: dict[FormKind, ChatForm | None] = {}
        self._limited: dict[int, ModelSettings] = {}
        model = self._library.model
        self._logprobs = logprob_settings(settings, model)
        self._model_settings = model_settings(settings, model) | self._logprobs
        self._limits = limit_names(settings)
        # OpenAI, Anthropic and Google bill no errors at their own addresses. Of others nobody knows.
        self._bills_errors = settings.provider not in USUAL or is_elsewhere(settings)
        self.left_out: frozenset[str] = frozenset()
        self.refusals = 0

    def _best_mode(self) -> OutputMode:
        profile = self._library.model.profile
        if profile.get("supports_json_schema_output"):
            return "native"
        if profile.get("supports_tools", True):
            return "tool"
        return "prompted" if profile.get("supports_json_object_output") else "text"

    @property
    def url(self) -> str:
        """The address of the server."""
        return self.keys.cut(self._library.model.base_url or "its provider")

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

    async def _check_tools(self, library: Library) -> None:
        """Use the strictest output mode that goes with our tools; raises ConfigError if none does."""
        while problem := await self._problem_with_tools(library):
            if not self.can_step_down(self.mode):
                expected = f"none beside outputMode {self.mode} ({self.keys.cut(problem)})"
                raise ConfigError("tools", ", ".join(self._settings.tools), expected)
            self.step_down(self.mode)

    async def _problem_with_tools(self, library: Library) -> str | None:
        from pydantic_ai.exceptions import UserError  # loaded when needed, for a fast start

        with Diversion():  # nothing is sent
            try:
                await self._ask_library(library, self._asking(self.mode, tools=True), self._model_settings, "", "?")
            except UserError as error:
                return str(error)
            except Exception as error:
                raise_bug(error)
        return None

    async def connect(self, *, within_s: float) -> None:
        """Check that the server can be reached, without a request that costs anything.

        Raises:
            RequestFailed: It cannot.
            ConfigError: Its output mode does not go with our tools.
        """
        import httpx2  # slow to import

        library = self._here()
        if self._settings.tools and library.connections is not None:
            await self._check_tools(library)
        if not library.model.base_url:
            return
        try:
            async with asyncio.timeout(within_s):
                await library.http.get(library.model.base_url)
        except TimeoutError:
            raise RequestFailed("transport", f"no connection within {within_s:g} s") from None
        except httpx2.ConnectError as error:
            raise RequestFailed("transport", f"no connection: {self.keys.cut(str(error))}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
            pass  # whatever went wrong, the server is there

    async def ask(
        self,
        system: str,
        message: str,
        mode: OutputMode,
        *,
        timeout_s: float,
        max_tokens: int | None = None,
        limit: int | None = None,
        earlier: tuple[Turn, ...] = (),
        steps: tuple[ToolStep, ...] = (),
        key: str = "",
    ) -> Answer:
        """Send one request and return the answer; raises RequestFailed if it brought no reply.

        `max_tokens` is for a preflight question, whose answer proves nothing about the output mode. `limit` is the most
        tokens of a reply where the user set none. `earlier` is sent before the message. `steps` are what the model
        asked of our tools, and was told. `key` identifies the request in a batch.
        """
        from pydantic_ai.exceptions import ContentFilterError  # loaded when needed, for a fast start

        library, without = self._here(), self.left_out
        asking = self._asking(mode, tools=bool(self._settings.tools) and max_tokens is None)
        by_library = partial(self._ask_library, library, asking, self._settings_for(library, max_tokens, limit, steps))
        ask = partial(by_library, system, message, steps, earlier)
        watch = Stopwatch(timeout_s, self._delay)
        try:
            received = None
            if self._batches is not None and key:
                received = await self._batched(self._batches, library, key, ask)
            elif form := await self._form(library, (mode, max_tokens, limit, without, bool(earlier)), by_library):
                async with watch:
                    received = await form.send(system, message, watch, earlier)
            answer = await self._read(received, watch, ask)
        except RequestFailed:
            raise
        except TimeoutError:
            if not watch.sent:
                raise RequestFailed("transport", f"no connection within {HANDSHAKE_S:g} s") from None
            trouble: Trouble = "timeout" if watch.answering else "hung"
            late = "the answer was not complete" if watch.answering else "no answer"
            raise RequestFailed(trouble, f"{late} within {timeout_s:g} s", may_cost=True) from None
        except ContentFilterError as error:
            return Answer(self.keys.cut(str(error)), WITHHELD, None, Tokens())
        except MoltBenchError:
            raise
        except Exception as error:
            raise_bug(error)
            failure = failure_of(error, self.keys.cut, sent=watch.sent, bills_errors=self._bills_errors)
            failure.mended = self._mend(failure.field, without)
            # Not chained: the provider's exception may hold the key.
            raise failure from None
        if answer.finish == BROKEN_OFF:
            broken = "the provider broke its answer off with an error"
            raise RequestFailed("transport", broken, may_cost=True, tokens=answer.tokens)
        if not answer.text and answer.finish is None and not answer.tokens.total:
            raise RequestFailed("transport", "the answer is not one of this protocol", may_cost=True)
        if max_tokens is None:
            self.answered.add(mode)
        # Whoever asks our tools too often has not decided.
        return answer if len(steps) < MOST_STEPS else msgspec.structs.replace(answer, calls=UNSET, turn=UNSET)

    def _settings_for(
        self, library: Library, max_tokens: int | None, limit: int | None, steps: tuple[ToolStep, ...]
    ) -> "ModelSettings":
        settings = self._model_settings
        if limit is not None:
            if limit not in self._limited:
                self._limited[limit] = limited_settings(self._settings, library.model, limit) | self._logprobs
            settings = self._limited[limit]
        if max_tokens is not None:
            settings = trial_settings(self._settings, library.model, max_tokens) | self._logprobs
        if self.left_out:
            settings = without_fields(settings, self.left_out)
        if len(steps) >= MOST_STEPS:
            settings = settings | {"tool_choice": "none"}
        return settings

    def _mend(self, field: str, without: frozenset[str]) -> bool:
        """Leave out a field that the server rejects from now on; return whether that makes the next request another.

        A limit of tokens is never left out altogether: only the name that the server does not know.
        """
        if not field or field in without:
            return False
        if field not in self.left_out:
            limits = self._limits - self.left_out
            if limits == {field} or (field in LIMIT_NAMES and field not in limits):
                return False
            if field not in limits and self._model_settings.get(field) is None:
                return False
            self.left_out |= {field}
        return True

    async def _read(
        self, received: Received | None, watch: Stopwatch, by_library: "Callable[[], Awaitable[ModelResponse]]"
    ) -> Answer:
        """Return what an answer says; the library asks for it if there is none yet, and reads it if it is not plain."""
        if received is None:
            async with watch:
                response, capture = await by_library(), current()
            return self._reader.library(response, capture.body if capture is not None else b"")
        found = None if self._settings.tools else plain(received)
        if found is not None:
            return self._reader.plain(found)
        received = with_readable_counts(received)
        with Diversion(received):
            return self._reader.library(await by_library(), received.body)

    async def _batched(
        self, batches: Batches, library: Library, key: str, ask: Callable[[], Awaitable[Any]]
    ) -> Received:
        """Return the answer to a request of the library, which goes in a batch."""
        if library.connections is None:
            raise RequestFailed("fatal", "batches cannot be submitted through a proxy")
        with Diversion() as diversion:
            try:
                await ask()
            except Exception as error:  # it got no answer, as it should
                raise_bug(error)
                if diversion.request is None:
                    raise
        return await batches.send(library.http, key, diversion.request)

    def _here(self) -> Library:
        """Return the library with connections that belong to the running event loop."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._loop is not None:
                self._library = self._new_library()
                self._forms.clear()
                self._delay = LoopDelay()
            self._loop = loop
        return self._library

    def _new_library(self) -> Library:
        return Library(self._settings, self._key, keep_alive=self._keep_alive)

    async def _ask_library(
        self, library: Library, asking: "ModelRequestParameters", settings: "ModelSettings", *said: Any
    ) -> "ModelResponse":
        return await library.model.request(messages_of(*said), settings, asking)

    def _asking(self, mode: OutputMode, *, tools: bool) -> "ModelRequestParameters":
        """Return the request parameters of an output mode."""
        if (mode, tools) not in self._parameters:
            self._parameters[mode, tools] = parameters_of(self._settings, mode, tools=tools)
        return self._parameters[mode, tools]

    async def _form(self, library: Library, kind: FormKind, ask: Callable[..., Awaitable[Any]]) -> ChatForm | None:
        """Return how requests are written without the library; None where the library has to send them."""
        plainly = self._settings.provider in OPENAI_CHAT and not (self._settings.tools and kind[1] is None)
        if library.connections is None or not plainly:
            return None
        if kind not in self._forms:
            self._forms[kind] = await form_of(ask, library.connections, turns=kind[-1])
        return self._forms[kind]

    async def close(self) -> None:
        """Close the connections."""
        if self._batches is not None:
            self._batches.close()
        await self._library.close()
