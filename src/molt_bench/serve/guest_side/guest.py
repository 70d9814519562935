"""A guest, as `molt-bench join` plays it: one of our agents at a live server. It fetches its decisions.

Nothing here needs the packages of the server.
"""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external.protocol import Result, fields_of, observation_of, outcome_of
from molt_bench.agents.live.turn_messages import TurnMessage
from molt_bench.agents.settings_base import checked
from molt_bench.config.game import GameConfig
from molt_bench.errors import AgentFailed, GameUnfinished, ProviderError, not_an_action
from molt_bench.play.hooks import Hook
from molt_bench.play.seated_agent import SeatedAgent
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.serve.guest_side.live_client import LiveClient, NotTaken, RunOver, Say, Stale, base_of, connected
from molt_bench.specs import GameFacts, GameSpec
from molt_bench.visible_text import printable

#: Makes the agent for a game.
Make: TypeAlias = Callable[[], PokerAgent]

#: Seconds that slots get to learn that the run is over, once one of them knows.
_LAST_S: Final = 2.0


async def play_as_guest(url: str, make: Make, *, patience_s: float, say: Say) -> str:
    """Play at a server until its run is over, and return why it is.

    `make` makes the agent for a game. Raises MoltBenchError if the URL is no invitation, nobody answers there, or the
    server is gone: without a connection for `patience_s` seconds.
    """
    base = base_of(url)
    SeatedAgent(make())  # one that cannot be made is an error now, not in the middle of a run
    async with connected(base) as client:
        server = LiveClient(client, patience_s=patience_s, say=say)
        info = await server.first_contact()
        if info.over is not None:
            return info.over
        say(f"Joined {server.host} as {printable(info.name)}; waiting for the first decision")
        game = checked(GameConfig, info.game)
        facts = GameSpec(seed=0, hands=game.hands_per_game, **game.options()).facts
        guests = [Guest(server, slot, make, facts, say) for slot in range(1, info.games_at_once + 1)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(guest.play()) for guest in guests]
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.wait(tasks, timeout=_LAST_S)  # the run is over for all slots: nobody is left to answer
                for task in tasks:
                    task.cancel()
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return next(task.result() for task in tasks if not task.cancelled())


class Guest:
    """Our agent in one slot at a server, from game to game."""

    def __init__(self, server: LiveClient, slot: int, make: Make, facts: GameFacts, say: Say) -> None:
        self._server = server
        self._slot = slot
        self._make = make
        self._facts = facts
        self._say = say
        self._seat: SeatedAgent | None = None
        self._game: str | None = None
        self._games = 0
        self._hands = 0
        self._won = 0
        self._heard: dict[str, int] = {}
        self._last: tuple[tuple[str, str | None], dict[str, Any]] | None = None

    async def play(self) -> str:
        """Play until the run is over, and return why it is."""
        turn: TurnMessage | None = None
        try:
            while True:
                try:
                    if turn is None:
                        turn = (await self._server.turn(self._slot)).turn
                    else:
                        turn = await self._played(turn)
                except NotTaken:
                    turn = self._last = None  # it comes again, and the agent is asked again
                except Stale:
                    turn = None  # after a restart it may come again: with the answer that is known
        except RunOver as end:
            await self._hear(end.over.results)
            return end.over.reason
        finally:
            await self._end_game()

    async def _played(self, turn: TurnMessage) -> TurnMessage | None:
        await self._hear(turn.results)
        await self._begin(str(turn.observation.game))
        question = (turn.turn_token, turn.observation.previous_error)
        if self._last is None or self._last[0] != question:
            answer = await self._decided(turn)
            if answer is None:
                return None
            self._last = question, answer
        return (await self._server.act(self._last[1], self._slot)).turn

    async def _decided(self, turn: TurnMessage) -> dict[str, Any] | None:
        """Ask the agent; its failure is sent as an answer that counts as a mistake. None if it could not answer now."""
        assert self._seat is not None
        seen = observation_of(turn.observation)
        if seen.previous_error is not None:
            await self._hook("on_error", seen.previous_error)
        try:
            found = await _awaited(self._seat.act(seen))
            if type(found) is not Action and type(found) is not Mix:
                raise not_an_action(found)
        except ProviderError:
            raise
        except GameUnfinished as error:
            self._say(f"The agent cannot answer now, asking it again: {printable(str(error))}")
            await asyncio.sleep(1)
            return None
        except Exception as error:
            failure = self._seat.failure(error)
            self._say(f"The agent made a mistake ({failure.kind}): {printable(str(failure))}")
            return {"turn_token": turn.turn_token, "kind": None, "problem": str(failure)[:500]}
        return {"turn_token": turn.turn_token, **fields_of(found)}

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
            await self._hook("on_hand_complete", outcome_of(each))

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
            self._say(f"The agent's {name} failed: {printable(str(AgentFailed.by_raising(error)))}")


async def _awaited(answer: Any) -> Any:
    return await answer if inspect.isawaitable(answer) else answer
