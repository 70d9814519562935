"""The client of a live server, for a guest: repeats lost requests with growing pauses, and reads responses."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import httpx2
import msgspec

from molt_bench.agents.live.turn_messages import DEFAULT_WAIT_S, Next, Over
from molt_bench.errors import MoltBenchError
from molt_bench.visible_text import printable

#: Is told, in a line, how things go.
Say: TypeAlias = Callable[[str], None]

#: Seconds that a response may take, besides what the request waits, before it counts as lost.
_LATE_S: Final = 20.0
_CONNECT_S: Final = 10.0
#: Seconds of the first pause after a lost connection, and of the longest.
_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 15.0
#: Statuses of a server that is starting, stopping, busy, or hidden behind another that does not reach it.
_NOT_NOW: Final = (429, 500, 502, 503, 504)


class RunInfo(msgspec.Struct, frozen=True):
    """What a guest needs to know about a run; `game` are the settings of its games."""

    name: str
    games_at_once: int
    game: dict[str, Any]
    over: str | None = None


class RunOver(Exception):  # noqa: N818 - the end of it
    """The run is over, and why."""

    def __init__(self, over: Over) -> None:
        self.over = over
        super().__init__(over.reason)


class Stale(Exception):  # noqa: N818 - nobody's mistake
    """A turn is not open now."""


class NotTaken(Exception):  # noqa: N818 - the agent is asked again
    """An answer was not taken."""


class _Error(msgspec.Struct, frozen=True):
    code: str
    message: str


class _Refusal(msgspec.Struct, frozen=True):
    error: _Error
    over: Over | None = None


def base_of(url: str) -> str:
    """Return the base of an invitation's URL; the error for anything else does not repeat it, since it is a secret.

    >>> base_of("http://127.0.0.1:8000/j/0123/skill.md")
    'http://127.0.0.1:8000/j/0123'
    >>> base_of("https://bench.example.org/poker/j/0123")
    'https://bench.example.org/poker/j/0123'
    """
    try:
        parts = urlsplit(url.strip())
        before, door, after = parts.path.partition("/j/")
        token = after.partition("/")[0]
        _ = parts.port  # checked when it is asked for
    except ValueError:
        door = token = ""
    if not door or not token or not parts.netloc or parts.scheme not in ("http", "https"):
        raise MoltBenchError("URL: expected an invitation, such as http://127.0.0.1:8000/j/... from `molt-bench serve`")
    return f"{parts.scheme}://{parts.netloc}{before}/j/{token}"


def connected(base: str) -> httpx2.AsyncClient:
    """Return a client for a server. It takes nothing from our environment, and follows no redirect with the secret."""
    return httpx2.AsyncClient(
        base_url=f"{base}/",
        trust_env=False,
        timeout=httpx2.Timeout(_LATE_S, connect=_CONNECT_S),
        limits=httpx2.Limits(max_connections=None),
        headers={"Accept-Encoding": "identity"},
    )


class LiveClient:
    """Requests to a server. The server counts nothing twice, so whatever got lost is sent again.

    After `patience_s` seconds without a connection it counts as gone. `host` is its name and port, which are no secret.
    """

    def __init__(self, client: httpx2.AsyncClient, *, patience_s: float, say: Say) -> None:
        self.host = client.base_url.netloc.decode()
        self._client = client
        self._patience_s = patience_s
        self._say = say
        self._lost = False

    async def first_contact(self) -> RunInfo:
        """Ask about the run; raises MoltBenchError if there is none."""
        try:
            response = await self._client.get("v1/run")
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise MoltBenchError(f"URL: nobody answers at {self.host}: {str(error) or type(error).__name__}") from None
        try:
            if response.status_code == 200:
                return msgspec.json.decode(response.content, type=RunInfo)
            code = msgspec.json.decode(response.content, type=_Refusal).error.code
        except msgspec.MsgspecError:
            code = ""
        status = f"status {response.status_code} {response.reason_phrase}".strip()
        if code == "INVITATION_NOT_FOUND":
            raise MoltBenchError(f"URL: {self.host} has no such invitation: ask its operator for one")
        if code == "WRONG_HOST":
            raise MoltBenchError(f"URL: the server behind {self.host} needs `--public-url`: its operator can set it")
        if response.status_code in _NOT_NOW:
            raise MoltBenchError(f"URL: a proxy at {self.host} does not reach the server behind it ({status})")
        if response.has_redirect_location:
            raise MoltBenchError(f"URL: {self.host} sends elsewhere ({status}): ask its operator for the whole URL")
        raise MoltBenchError(f"URL: {self.host} is not a server of `molt-bench serve` ({printable(status)})")

    async def turn(self, slot: int) -> Next:
        """Wait for a decision of a slot; the answer is empty if there is none yet."""
        try:
            return await self._asked("GET", "v1/turn", slot)
        except NotTaken as refusal:  # such as a slot that is not there
            raise MoltBenchError(f"the server refused: {printable(str(refusal))}") from None

    async def act(self, answer: Mapping[str, Any], slot: int) -> Next:
        """Answer a decision and wait for the next one of its slot."""
        return await self._asked("POST", "v1/act", slot, json=answer)

    async def _asked(self, method: str, path: str, slot: int, **content: Any) -> Next:
        """Send a request until there is a response, with growing pauses."""
        loop = asyncio.get_running_loop()
        lost_at: float | None = None
        pause_s = _PAUSE_S
        query = {"wait": DEFAULT_WAIT_S, "place": slot}
        timeout = httpx2.Timeout(DEFAULT_WAIT_S + _LATE_S, connect=_CONNECT_S)
        while True:
            try:
                response = await self._client.request(method, path, params=query, timeout=timeout, **content)
            except (httpx2.HTTPError, OSError) as error:
                why = str(error) or type(error).__name__
            else:
                if response.status_code not in _NOT_NOW:
                    self._note(None)
                    return _read(response)
                why = f"status {response.status_code}"
            lost_at = loop.time() if lost_at is None else lost_at
            if loop.time() - lost_at > self._patience_s:
                raise MoltBenchError(f"{self.host} is gone: no connection for {self._patience_s:g} s ({why})")
            self._note(why)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _note(self, problem: str | None) -> None:
        """Say it once when the connection is lost, and once when it is back."""
        lost = problem is not None
        if lost != self._lost:
            self._lost = lost
            self._say(f"Connection lost, trying again ({printable(problem or '')})" if lost else "Connected again")


def _read(response: httpx2.Response) -> Next:
    """Return what a response brings."""
    status = response.status_code
    try:
        if status == 204:
            return Next()
        if status == 200:
            found = msgspec.json.decode(response.content, type=Next)
            if found.over is not None:
                raise RunOver(found.over)
            return found
        refusal = msgspec.json.decode(response.content, type=_Refusal)
    except msgspec.MsgspecError as problem:
        raise MoltBenchError(f"the server's response cannot be read (status {status}): {problem}") from None
    said = f"{refusal.error.code}: {refusal.error.message}"
    match refusal.error.code:
        case "RUN_OVER":
            raise RunOver(refusal.over or Over(reason=refusal.error.message))
        case "STALE_TURN":
            raise Stale(said)
        case "INVALID_ACTION" | "VALIDATION_ERROR":
            raise NotTaken(said)
    raise MoltBenchError(f"the server refused: {printable(said)}")
