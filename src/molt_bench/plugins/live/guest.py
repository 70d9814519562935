"""A guest, as `molt-bench join` plays it: one of our agents at a live server. It fetches its decisions.

Nothing here needs the packages of the server.
"""

import asyncio
import inspect
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import httpx2
import msgspec

from molt_bench import Action, AgentFailed, Mix, MoltBenchError, PokerAgent, ProviderError
from molt_bench.errors import GameUnfinished, not_an_action
from molt_bench.play.hooks import Hook
from molt_bench.play.seated_agent import SeatedAgent
from molt_bench.plugins.live.messages import DEFAULT_WAIT_S, Over, RunInfo, TurnMessage
from molt_bench.poker.messages import Decision, Result
from molt_bench.poker.plain import fields_of, observation_of, outcome_of
from molt_bench.specs import GameFacts

#: Makes the agent for a game.
Make: TypeAlias = Callable[[], PokerAgent]
#: Is told, in a line, how things go.
Say: TypeAlias = Callable[[str], None]

#: Seconds that slots get to learn that the run is over, once one of them knows.
_LAST_S: Final = 2.0
#: Seconds that a response may take, besides what the request waits, before it counts as lost.
_LATE_S: Final = 20.0
_CONNECT_S: Final = 10.0
#: Seconds of the first pause after a lost connection, and of the longest.
_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 15.0
#: Statuses of a server that is starting, stopping, busy, or hidden behind another that does not reach it.
_NOT_NOW: Final = (429, 500, 502, 503, 504)


class _Error(msgspec.Struct, frozen=True):
    code: str
    message: str


class Answer(msgspec.Struct, frozen=True):
    """A response of a server: a turn, the end of the run, or why a request was refused; nothing to decide without."""

    turn: TurnMessage | None = None
    over: Over | None = None
    error: _Error | None = None


async def play_as_guest(url: str, make: Make, *, patience_s: float, say: Say) -> str:
    """Play at a server until its run is over, and return why it is.

    `make` makes the agent for a game. Raises MoltBenchError if the URL is no invitation, no server answers there, or
    the server is gone: without a connection for `patience_s` seconds.
    """
    base = base_of(url)
    SeatedAgent(make())  # one that cannot be made is an error now, not in the middle of a run
    async with connected(base) as client:
        server = Server(client, patience_s=patience_s, say=say)
        info = await server.first_contact()
        say(f"Joined {server.host} as {info.name}; waiting for the first decision")
        guests = [Guest(server, slot, make, info.game, say) for slot in range(1, info.games_at_once + 1)]
        slots = [asyncio.ensure_future(guest.play()) for guest in guests]
        try:
            done, _ = await asyncio.wait(slots, return_when=asyncio.FIRST_COMPLETED)
            reason = done.pop().result()
            await asyncio.wait(slots, timeout=_LAST_S)  # the run is over for all slots: there is no one to answer
            return reason
        finally:
            for slot in slots:
                slot.cancel()
            await asyncio.gather(*slots, return_exceptions=True)


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
        timeout=httpx2.Timeout(DEFAULT_WAIT_S + _LATE_S, connect=_CONNECT_S),
        limits=httpx2.Limits(max_connections=None),
        headers={"Accept-Encoding": "identity"},
    )


class Server:
    """A live server, as a guest asks it. It counts nothing twice, so whatever got lost is sent again.

    After `patience_s` seconds without a connection it counts as gone. `host` is its name and port, which are no secret.
    """

    def __init__(self, client: httpx2.AsyncClient, *, patience_s: float, say: Say) -> None:
        self.host = client.base_url.netloc.decode()
        self._client = client
        self._patience_s = patience_s
        self._say = say

    async def first_contact(self) -> RunInfo:
        """Ask about the run; raises MoltBenchError if there is none."""
        try:
            response = await self._client.get("v1/run")
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise MoltBenchError(f"URL: no server answers at {self.host}: {_named(error)}") from None
        said = f"status {response.status_code} {response.reason_phrase}".strip()
        with suppress(msgspec.MsgspecError):  # it is another server, or a proxy in front
            if response.status_code == 200:
                return msgspec.json.decode(response.content, type=RunInfo)
            refusal = msgspec.json.decode(response.content, type=Answer).error
            said = refusal.message if refusal is not None else said
        raise MoltBenchError(f"URL: {self.host} admits no one with this invitation: {said}")

    async def ask(self, slot: int, act: dict[str, Any] | None = None) -> Answer:
        """Answer the decision of a slot, if there is an answer, and wait for its next one.

        A request is sent until there is a response, with growing pauses.
        """
        found = await self._sent(slot, act)
        if not isinstance(found, str):
            return found
        self._say(f"Connection lost, trying again ({found})")
        lost_at, pause_s = monotonic(), _PAUSE_S
        while isinstance(found, str):
            if monotonic() - lost_at > self._patience_s:
                raise MoltBenchError(f"{self.host} is gone: no connection for {self._patience_s:g} s ({found})")
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            found = await self._sent(slot, act)
        self._say("Connected again")
        return found

    async def _sent(self, slot: int, act: dict[str, Any] | None) -> Answer | str:
        """Send a request once; return what the server says, or why it said nothing."""
        method, path = ("GET", "v1/turn") if act is None else ("POST", "v1/act")
        query = {"wait": DEFAULT_WAIT_S, "place": slot}
        try:
            response = await self._client.request(method, path, params=query, json=act)
        except (httpx2.HTTPError, OSError) as error:
            return _named(error)
        if response.status_code in _NOT_NOW:
            return f"status {response.status_code}"
        try:
            return msgspec.json.decode(response.content or b"{}", type=Answer)
        except msgspec.MsgspecError as problem:
            said = f"the server's response cannot be read (status {response.status_code}): {problem}"
            raise MoltBenchError(said) from None


def _named(error: Exception) -> str:
    return str(error) or type(error).__name__


class Guest:
    """Our agent in one slot at a server, from game to game."""

    def __init__(self, server: Server, slot: int, make: Make, facts: GameFacts, say: Say) -> None:
        self._server = server
        self._slot = slot
        self._make = make
        self._facts = facts
        self._say = say
        self._seat: SeatedAgent | None = None
        self._game: str | None = None
        self._games = self._hands = self._won = 0
        self._heard: dict[str, int] = {}
        self._last: tuple[tuple[str, str | None], dict[str, Any]] | None = None

    async def play(self) -> str:
        """Play until the run is over, and return why it is."""
        found = Answer()
        try:
            while found.over is None:
                found = await self._server.ask(self._slot) if found.turn is None else await self._played(found.turn)
                if found.error is not None and found.over is None:
                    found = self._after(found.error)
            await self._hear(found.over.results)
        finally:
            await self._end_game()
        return found.over.reason

    def _after(self, error: _Error) -> Answer:
        """Return how it goes on after a refusal: mostly, by asking for a turn."""
        match error.code:
            case "RUN_OVER" | "STALE_TURN":  # after a restart it may come again: with the answer that is known
                return Answer()
            case "INVALID_ACTION" | "VALIDATION_ERROR" if self._last is not None:
                self._last = None  # it comes again, and the agent is asked again
                return Answer()
        raise MoltBenchError(f"the server refused: {error.code}: {error.message}")

    async def _played(self, turn: TurnMessage) -> Answer:
        await self._hear(turn.results)
        await self._begin(str(turn.observation.game))
        question = (turn.turn_token, turn.observation.previous_error)
        if self._last is None or self._last[0] != question:
            self._last = question, {"turn_token": turn.turn_token, **await self._decided(turn.observation)}
        return await self._server.ask(self._slot, self._last[1])

    async def _decided(self, asked: Decision) -> dict[str, Any]:
        """Ask the agent; its failure is sent as an answer that counts as a mistake."""
        assert self._seat is not None
        seen = observation_of(msgspec.to_builtins(asked))
        if seen.previous_error is not None:
            await self._hook("on_error", seen.previous_error)
        try:
            found = await _awaited(self._seat.act(seen))
            if type(found) is not Action and type(found) is not Mix:
                raise not_an_action(found)
        except ProviderError:
            raise
        except GameUnfinished as error:
            raise MoltBenchError(f"the agent cannot go on: {error}") from None
        except Exception as error:
            failure = self._seat.failure(error)
            self._say(f"The agent made a mistake ({failure.kind}): {failure}")
            return {"kind": None, "problem": str(failure)[:500]}
        return fields_of(found)

    async def _hear(self, results: tuple[Result, ...]) -> None:
        """Tell the agent of hands that ended; each once, also when the server repeats them."""
        for each in results:
            game = str(each.game)
            if each.hand_number <= self._heard.get(game, 0):
                continue
            self._heard[game] = each.hand_number
            await self._begin(game)
            self._hands += 1
            self._won += each.net[each.seat]
            await self._hook("on_hand_complete", outcome_of(msgspec.to_builtins(each)))

    async def _begin(self, game: str) -> None:
        """Begin a game, unless it is the one being played."""
        if game == self._game:
            return
        await self._end_game()
        self._game = game
        self._games += 1
        self._hands = self._won = 0
        self._seat = SeatedAgent(self._make())
        self._seat.tell_game(self._facts)
        await self._hook("reset")

    async def _end_game(self) -> None:
        seat, self._seat = self._seat, None
        if seat is None:
            return
        where = f"Place {self._slot}, game" if self._slot > 1 else "Game"
        self._say(f"{where} {self._games}: {self._hands:,} hands, {self._won:+,} chips")
        if seat.close is not None:
            await self._tried("close", seat.close)

    async def _hook(self, name: Hook, *arguments: Any) -> None:
        assert self._seat is not None
        if name in self._seat.hooks:
            await self._tried(name, self._seat.hooks[name], *arguments)

    async def _tried(self, name: str, call: Callable[..., Any], *arguments: Any) -> None:
        """Call a hook; what it raises is shown, and the game goes on."""
        try:
            await _awaited(call(*arguments))
        except ProviderError:
            raise
        except Exception as error:
            self._say(f"The agent's {name} failed: {AgentFailed.by_raising(error)}")


async def _awaited(answer: Any) -> Any:
    return await answer if inspect.isawaitable(answer) else answer
