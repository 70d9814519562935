"""The client: sends one request to one model. Retrying is up to the caller.

It needs the extra `llm`, so nothing imports it but `new_client`.
"""

import asyncio
from typing import TypeAlias

from pydantic_ai import exceptions as library_errors
from pydantic_ai.settings import ModelSettings

from molt_bench.blame import raise_bug
from molt_bench.errors import MoltBenchError
from molt_bench.llm.providers.answers import AnswerReader
from molt_bench.llm.providers.api_keys import api_key
from molt_bench.llm.providers.base import BROKEN_OFF
from molt_bench.llm.providers.chat_protocol import ChatForm, form_of, plain, with_readable_counts
from molt_bench.llm.providers.pydantic_ai_library import (
    ModelLibrary,
    Send,
    Unsent,
    provider_class,
)
from molt_bench.llm.providers.server_address import is_elsewhere
from molt_bench.llm.providers.table import PROVIDERS, provider_of
from molt_bench.llm.sending.failures import failure_of
from molt_bench.llm.sending.http import Http, HttpRequest, NoConnectionError, Received
from molt_bench.llm.sending.http_record import Seen
from molt_bench.llm.sending.redaction import Keys
from molt_bench.llm.sending.rejected_fields import SentFields
from molt_bench.llm.sending.request import Prompt
from molt_bench.llm.sending.stopwatch import HANDSHAKE_S, LoopDelay, Stopwatch
from molt_bench.llm.sending.trouble import RequestFailed, Trouble
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.talk.reply import WITHHELD
from molt_bench.llm.types import Answer, Tokens

#: What requests that are written alike have in common: the limit of a preflight question, the limit of a reply, and
#: the fields left out.
FormKind: TypeAlias = tuple[int | None, int | None, frozenset[str]]


class ModelClient:
    """One model with its settings, over connections that belong to the running event loop.

    Attributes:
        has_answered: Whether it has answered a question.
        keys: What is cut out of everything that is kept or shown.
        fields: What is sent besides the prompt, without what the server rejects.
        refusals: Prompts that it has refused in a row.

    Args:
        settings: The model and how it is asked.
        keep_alive: Whether connections are kept for the next request; then `close` closes them.
        key: The API key; None for the one in the environment.

    Raises:
        ConfigError: The key or the provider is missing.
        ImportError: A package is missing.
    """

    def __init__(self, settings: LLMSettings, *, keep_alive: bool = True, key: str | None = None) -> None:
        self._settings = settings
        self._provider = provider_of(settings.provider)
        if settings.provider not in PROVIDERS:
            provider_class(settings)  # an unknown provider is reported before a missing key
        self._key = api_key(settings) if key is None else key
        self.keys = Keys((self._key,))
        self._reader = AnswerReader(settings, self.keys)
        self._library = ModelLibrary(settings, self._key)
        self._http = Http(keep_alive=keep_alive)
        self.has_answered = False
        self._delay = LoopDelay()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._forms: dict[FormKind, ChatForm | None] = {}
        self.fields = SentFields(settings, self._library.model)
        # What a provider bills at its own address says nothing about another server.
        self._bills_errors = provider_of(settings.provider).bills_errors or is_elsewhere(settings)
        self.refusals = 0

    @property
    def url(self) -> str:
        """The address of the server."""
        return self.keys.cut(self._library.model.base_url or "its provider")

    async def _written(self, system: str, message: str, settings: ModelSettings) -> HttpRequest:
        """Return the request that the library writes, which is not sent; raises what it raises if it writes none."""
        unsent = Unsent()
        try:
            await self._library.ask(system, message, settings, unsent)
        except Exception as error:  # it gets no answer, as it should
            raise_bug(error)
            if unsent.request is None:
                raise
        assert unsent.request is not None
        return unsent.request

    async def connect(self, *, within_s: float) -> None:
        """Check that the server can be reached, without a request that costs anything.

        Raises RequestFailed if it cannot.
        """
        self._settle_here()
        if not (url := self._library.model.base_url):
            return
        try:
            async with asyncio.timeout(within_s):
                await self._http.send(HttpRequest("GET", url))
        except TimeoutError:
            raise RequestFailed("transport", f"no connection within {within_s:g} s") from None
        except NoConnectionError as error:
            raise RequestFailed("transport", f"no connection: {self.keys.cut(str(error))}") from None
        except OSError:
            pass  # whatever went wrong, the server is there

    async def ask(
        self, prompt: Prompt, *, timeout_s: float, limit: int | None = None, seen: Seen | None = None
    ) -> Answer:
        """Send one request and return the answer; raises RequestFailed if it brought no reply.

        `limit` is the most tokens of a reply where the user set none. `seen` takes note of what goes over the wire.
        """
        self._settle_here()
        watch, without = Stopwatch(timeout_s, self._delay), self.fields.left_out
        try:
            answer = await self._answer(prompt, limit, watch, seen or Seen())
        except RequestFailed:
            raise
        except TimeoutError:
            if not watch.sent:
                raise RequestFailed("transport", f"no connection within {HANDSHAKE_S:g} s") from None
            trouble: Trouble = "timeout" if watch.answering else "hung"
            late = "the answer was not complete" if watch.answering else "no answer"
            raise RequestFailed(trouble, f"{late} within {timeout_s:g} s", may_cost=True) from None
        except library_errors.ContentFilterError as error:
            return Answer(self.keys.cut(str(error)), WITHHELD, None, Tokens())
        except MoltBenchError:
            raise
        except Exception as error:
            raise_bug(error)
            failure = failure_of(error, self.keys.cut, sent=watch.sent, bills_errors=self._bills_errors)
            failure.mended = self.fields.leave_out(failure.field, without)
            # Not chained: the provider's exception may hold the key.
            raise failure from None
        if answer.finish == BROKEN_OFF:
            broken = "the provider broke its answer off with an error"
            raise RequestFailed("transport", broken, may_cost=True, tokens=answer.tokens)
        if not answer.text and answer.finish is None and not answer.tokens.total:
            raise RequestFailed("transport", "the answer is not one of this protocol", may_cost=True)
        if prompt.max_tokens is None:
            self.has_answered = True
        return answer

    async def _answer(self, prompt: Prompt, limit: int | None, watch: Stopwatch, seen: Seen) -> Answer:
        """Send a request and read the answer: the library reads what is not plain."""
        settings = self.fields.of(prompt, limit)
        received = None
        if form := await self._form(prompt, limit, settings):
            async with watch:
                received = await self._sent(form.request(prompt.system, prompt.message), watch, seen)
        if received is None:
            bodies: list[bytes] = []

            async def send(request: HttpRequest) -> Received:
                found = await self._sent(request, watch, seen)
                bodies.append(found.body)
                return found

            async with watch:
                response = await self._library.ask(prompt.system, prompt.message, settings, send)
            return self._reader.library(response, bodies[-1] if bodies else b"")
        found = plain(received) if self._provider.chat else None
        if found is not None:
            return self._reader.plain(found)
        readable = with_readable_counts(received)
        response = await self._library.ask(prompt.system, prompt.message, settings, _at_hand(readable))
        return self._reader.library(response, readable.body)

    async def _sent(self, request: HttpRequest, watch: Stopwatch, seen: Seen) -> Received:
        """Send a request of this model, and take note of it and of the answer."""
        seen.sending(request.url, request.body)
        received = await self._http.send(request, watch)
        seen.answered(received.status, received.body)
        return received

    def _settle_here(self) -> None:
        """Use connections that belong to the running event loop."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._loop is not None:
                self._http.leave()
                self._delay = LoopDelay()
            self._loop = loop

    async def _form(self, prompt: Prompt, limit: int | None, settings: ModelSettings) -> ChatForm | None:
        """Return how requests are written without the library; None where the library has to write each of them."""
        if not self._provider.chat:
            return None
        kind: FormKind = (prompt.max_tokens, limit, self.fields.left_out)
        if kind not in self._forms:

            async def write(system: str, message: str) -> HttpRequest:
                return await self._written(system, message, settings)

            self._forms[kind] = await form_of(write)
        return self._forms[kind]

    async def close(self) -> None:
        """Close the connections."""
        await self._library.close()
        await self._http.close()


def _at_hand(received: Received) -> Send:
    """Return what hands the library an answer that has come already."""

    async def send(_: HttpRequest) -> Received:
        return received

    return send
