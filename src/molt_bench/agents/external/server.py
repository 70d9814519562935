"""HttpAgent: a web server that plays. Every message is posted to it as JSON."""

import asyncio
import os
import secrets
import ssl
from contextlib import suppress
from functools import cache
from typing import Final

import httpx2

from molt_bench.agents.external import answers, protocol
from molt_bench.agents.external.http_kind import HttpSettings
from molt_bench.agents.settings_base import hide_key
from molt_bench.errors import AgentFailed, ConfigError
from molt_bench.poker import messages
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.specs import DEFAULT_TIMEOUT_S

#: Seconds that a server gets to acknowledge the end of a game.
GRACE_S: Final = 0.5
#: Seconds after which an idle connection is not reused: many servers close it after five.
_IDLE_S: Final = 2.0


class HttpAgent:
    """A server that plays one game at a time, over the game's own connections; raises ConfigError if it has no key.

    It enforces the time limit itself. It does not retry: the game repeats a decision whose request failed.

    Args:
        name: Name in records.
        settings: Its URL and key.
        action_timeout_s: Seconds for one answer, connecting included.
    """

    keeps_time = True

    def __init__(self, name: str, settings: HttpSettings, *, action_timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self.name = name
        self._url = settings.url
        self._limit_s = action_timeout_s
        self._key = _key(settings)
        self._client: httpx2.AsyncClient | None = None
        self._begin()

    def _begin(self) -> None:
        # Random, since an id derived from the seed would reveal the deck. No result depends on it.
        self._game = secrets.token_hex(8)
        self._decisions = 0
        self._greeted = False
        #: Whether it answers, or has not been asked; one that does not is told nothing.
        self._answering = True

    async def greet(self) -> None:
        """Check before the first card that the server answers: say hello and goodbye; raises ConfigError if not."""
        try:
            await self._hello()
        except AgentFailed as failure:
            why = hide_key(str(failure), self._key)
            raise ConfigError("url", self._url, f"a server that answers ({why})") from None
        finally:
            await self.close()

    async def reset(self) -> None:
        """Begin a game. It begins with a hello; if that fails, the first decision is at fault."""
        await self._disconnect()
        self._begin()

    async def act(self, observation: Observation) -> Action | Mix:
        """Ask the server."""
        try:
            await self._hello()
            self._decisions += 1
            question = messages.decision(observation, self._decisions, self._game)
            answered, answer = answers.read_answer(await self._posted(question, self._limit_s))
            if answered != self._decisions:
                raise AgentFailed("unparsable", f"id is not {self._decisions}, that of the observation")
            if isinstance(answer, AgentFailed):
                raise answer
        except AgentFailed as failure:
            raise AgentFailed(failure.kind, hide_key(str(failure), self._key)) from None
        return answer

    async def on_hand_complete(self, outcome: HandResult) -> None:
        """Send the server the result as the table saw it."""
        await self._tell(messages.result(outcome, self._game), self._limit_s)

    async def on_error(self, message: str) -> None:
        """Tell the server that its answer was not accepted."""
        await self._tell(protocol.Rejection(message=message, game=self._game), self._limit_s)

    async def close(self) -> None:
        """Say goodbye and disconnect."""
        try:
            if self._greeted:
                await self._tell(protocol.Bye(game=self._game), GRACE_S)
        finally:
            await self._disconnect()

    async def _disconnect(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _hello(self) -> None:
        if not self._greeted:
            answers.read_hello(await self._posted(protocol.hello(self.name, self._game), self._limit_s))
            self._greeted = True

    async def _tell(self, message: protocol.ToAgent, limit_s: float) -> None:
        """Send a message that needs no answer and ignore the response."""
        if self._answering:
            with suppress(AgentFailed):
                await self._hello()
                await self._posted(message, limit_s)

    async def _posted(self, message: protocol.ToAgent, limit_s: float) -> bytes:
        """Post a message and return the answer's body, or raise AgentFailed."""
        self._client = client = self._client or _client(self._url, self._key)
        self._answering = False
        try:
            async with (
                asyncio.timeout(limit_s),
                client.stream("POST", self._url, content=protocol.line_of(message)) as response,
            ):
                body = await _body(response)
        except TimeoutError:
            raise AgentFailed("timeout", f"no answer within {limit_s:g} s") from None
        except (httpx2.HTTPError, OSError) as error:
            raise AgentFailed("transport", f"no connection: {str(error) or type(error).__name__}") from None
        self._answering = True
        if len(body) > protocol.LONGEST_ANSWER:
            raise AgentFailed("flood", f"the answer has more than {protocol.LONGEST_ANSWER // 1024} KiB")
        return body


def _client(url: str, key: str) -> httpx2.AsyncClient:
    """Return a client that takes nothing from our environment: no proxy, and no credentials from a netrc file."""
    headers = {"content-type": "application/json", "accept-encoding": "identity"}
    return httpx2.AsyncClient(
        headers=headers | ({"authorization": f"Bearer {key}"} if key else {}),
        verify=_trusted() if url.startswith("https:") else False,
        timeout=None,
        trust_env=False,
        limits=httpx2.Limits(keepalive_expiry=_IDLE_S),
    )


@cache
def _trusted() -> ssl.SSLContext:
    """Return the certificates of this machine, which take long to load."""
    return ssl.create_default_context()


async def _body(response: httpx2.Response) -> bytes:
    """Return the body of an answer, or the beginning of one that is too long; raises AgentFailed if it has none."""
    status, body = response.status_code, bytearray()
    if not 200 <= status < 300:
        redirect = ", a redirect, which is not followed" if 300 <= status < 400 else ", not 200"
        raise AgentFailed("transport", f"the server answered {status}{redirect}")
    packed = response.headers.get("content-encoding", "identity")
    if packed != "identity":
        raise AgentFailed("transport", f"the answer is packed ({packed}), which was not asked for")
    async for data in response.aiter_raw():
        body += data
        if len(body) > protocol.LONGEST_ANSWER:
            break
    return bytes(body)


def _key(settings: HttpSettings) -> str:
    if settings.api_key_env is None:
        return ""
    key = os.environ.get(settings.api_key_env, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        raise ConfigError("apiKeyEnv", settings.api_key_env, "the name of an environment variable that holds a key")
    return key
