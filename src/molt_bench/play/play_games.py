"""Plays games: asks the agents for every decision, and passes their answers or failures into the game.

`play_game` is for plain code, `play_game_async` for an event loop. Both accept plain and async agents, and give equal
records, whether games run one after another or together.
"""

import asyncio
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import inf
from time import monotonic
from typing import Any, TypeAlias, Unpack

from molt_bench.agents.base import PokerAgent
from molt_bench.errors import AgentError, AgentFailed, GameUnfinished, RunHalted
from molt_bench.play import event_loop
from molt_bench.play.game import GameEvents, game_events
from molt_bench.play.hooks import Notice
from molt_bench.play.seated_agent import SeatedAgent, Seats
from molt_bench.play.time_limits import Waiter, close_agents, close_agents_async
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import Observation
from molt_bench.records import GameRecord
from molt_bench.seeds import Seed
from molt_bench.specs import GameOptions, GameSpec

Players: TypeAlias = tuple[PokerAgent, PokerAgent]
#: Makes fresh agents for a game, players A and B.
MakePlayers: TypeAlias = Callable[[GameSpec], Players]
#: Called with every finished game, in the order in which games finish.
OnGame: TypeAlias = Callable[[GameSpec, GameRecord], None]
#: Returns who takes up a place in a game, by a name, and in how many games at once each can play.
Places: TypeAlias = Callable[[GameSpec], Iterable[tuple[str, int]]]
Event: TypeAlias = Observation | Notice
#: An event, and the awaitable answer to it.
Pending: TypeAlias = tuple[Event, Any]

#: Events after which an async game yields to others on its event loop.
_EVENTS_IN_A_ROW = 20


def play_game(players: Players, *, seed: Seed, hands: int, **options: Unpack[GameOptions]) -> GameRecord:
    """Play one game and return its record.

    Args:
        players: Players A and B. With the default seating A sits in seat 0 and has the button in hand 1.
        seed: Name of the decks: an int of any size, or a string.
        hands: Hands to play, at least 1.
        **options: Fields of `GameSpec`, such as `big_blind`, `stack`, `seating` or `action_timeout_s`.

    Raises:
        ConfigError: A setting is invalid, or a player cannot play such a game.
        AgentError: A player is not an agent.
    """
    return drive(_spec(players, seed, hands, options), players)


async def play_game_async(players: Players, *, seed: Seed, hands: int, **options: Unpack[GameOptions]) -> GameRecord:
    """Play one game on the running event loop; otherwise like `play_game`, with an equal record."""
    return await drive_async(_spec(players, seed, hands, options), players)


class TimeUp(GameUnfinished):
    """The run has no time left, so this game does not go on."""


def play_games_in_order(
    specs: Sequence[GameSpec], make_players: MakePlayers, on_game: OnGame, *, until: float = inf
) -> None:
    """Play games one after another, and report each before the next one starts.

    At `until`, by the monotonic clock, the game under way ends at its next decision, and counts as not played.
    """
    for spec in specs:
        if monotonic() >= until:
            return
        try:
            record = drive(spec, make_players(spec), until=until)
        except TimeUp:
            return
        on_game(spec, record)


async def play_games_together(
    specs: Sequence[GameSpec],
    make_players: MakePlayers,
    on_game: OnGame,
    *,
    at_once: int,
    places: Places | None = None,
    until: float = inf,
) -> None:
    """Play up to `at_once` games together on the running event loop; otherwise like `play_games_in_order`.

    A game that cannot be finished is skipped. A game starts once there is a place in it for each player, and takes both
    places at once, so no two games wait for each other.
    """
    waiting = _WaitingGames(specs, places, until=until)

    async def one_after_the_other() -> None:
        while (spec := await waiting.next()) is not None:
            try:
                on_game(spec, await drive_async(spec, make_players(spec), until=until))
            except RunHalted:
                raise
            except GameUnfinished:
                pass
            finally:
                waiting.ended(spec)

    await event_loop.all_together(one_after_the_other() for _ in range(min(at_once, len(specs))))


class _WaitingGames:
    """Games that have not started, in their order, and the places that those under way take up.

    None starts after `until`, by the monotonic clock.
    """

    def __init__(self, specs: Iterable[GameSpec], places: Places | None, *, until: float = inf) -> None:
        self._waiting = [*specs]
        self._places = places or (lambda _: ())
        self._until = until
        self._taken: Counter[str] = Counter()
        self._changed = asyncio.Event()

    async def next(self) -> GameSpec | None:
        """Return the first game with a free place for each player; None for no more."""
        while self._waiting and monotonic() < self._until:
            for at, spec in enumerate(self._waiting):
                places = [*self._places(spec)]
                if all(self._taken[name] < most for name, most in places):
                    self._taken.update(name for name, _ in places)
                    return self._waiting.pop(at)
            self._changed.clear()
            await self._changed.wait()
        return None

    def ended(self, spec: GameSpec) -> None:
        """Free the places of a game."""
        self._taken.subtract(name for name, _ in self._places(spec))
        self._changed.set()


def drive(spec: GameSpec, players: Players, *, until: float = inf) -> GameRecord:
    """Play `spec` with these agents as players A and B.

    Raises `TimeUp` at the first decision after `until`, by the monotonic clock.
    """
    seats = _seated(spec, players)
    game = _start(spec, seats)
    if spec.action_timeout_s is not None:
        return event_loop.run_in_new_loop(_drive_on(spec, seats, game, until=until))
    outcome: GameRecord | Pending | None = None
    try:
        outcome = _drive_plainly(seats, game, until)
    finally:
        if not isinstance(outcome, tuple):
            close_agents(seats, interrupted=outcome is None)
    if not isinstance(outcome, tuple):
        return outcome
    return event_loop.run_in_new_loop(_drive_on(spec, seats, game, outcome, until=until))


def _drive_plainly(seats: Seats, game: GameEvents, until: float) -> GameRecord | Pending:
    """Drive a game to its end, or to the first answer that must be awaited."""
    acts = (seats[0].act, seats[1].act)
    timed = until != inf
    try:
        event = next(game)
        while True:
            failure = None
            if timed and monotonic() >= until:
                raise TimeUp
            try:
                answer = acts[event.seat](event) if type(event) is Observation else seats[event.seat].call(event)()
                if type(answer) is not Action and type(answer) is not Mix and inspect.isawaitable(answer):
                    return event, answer
            except (KeyboardInterrupt, GameUnfinished):
                raise
            except BaseException as error:
                failure = seats[event.seat].failure(error)
            # Outside of the handler, so that what agents raise later has nothing to do with this error.
            event = game.send(answer) if failure is None else game.throw(failure)
    except StopIteration as end:
        record: GameRecord = end.value
        return record


async def drive_async(spec: GameSpec, players: Players, *, until: float = inf) -> GameRecord:
    """Play `spec` like `drive`, on the running event loop; at `until`, an answer is not waited for any longer."""
    seats = _seated(spec, players)
    return await _drive_on(spec, seats, _start(spec, seats), until=until)


async def _drive_on(
    spec: GameSpec, seats: Seats, game: GameEvents, pending: Pending | None = None, *, until: float = inf
) -> GameRecord:
    """Drive a game from its start, or from an event whose answer is pending."""
    first, second = (Waiter(seat, spec.action_timeout_s, patience=2 * (spec.max_retries + 1)) for seat in seats)
    # An agent in both seats is still one agent: never two calls at once.
    waiters = first, first if seats[0].agent is seats[1].agent else second
    turns_since_pause = 0
    interrupted = True
    try:
        async with asyncio.timeout(None if until == inf else max(0.0, until - monotonic())) as limit:
            event = next(game) if pending is None else pending[0]
            call = seats[event.seat].call(event) if pending is None else partial(_itself, pending[1])
            while True:
                try:
                    answer = await waiters[event.seat].result(call, hook=type(event) is Notice)
                except AgentFailed as failure:
                    event = game.throw(failure)
                else:
                    event = game.send(answer)
                if monotonic() >= until:  # plain agents may never let the event loop look at its clock
                    raise TimeUp
                call = seats[event.seat].call(event)
                turns_since_pause += 1
                if turns_since_pause == _EVENTS_IN_A_ROW:
                    turns_since_pause = 0
                    await asyncio.sleep(0)
    except StopIteration as end:
        interrupted = False
        record: GameRecord = end.value
        return record
    except TimeoutError:
        if limit.expired():
            raise TimeUp from None
        raise
    finally:
        await close_agents_async(waiters, interrupted=interrupted)


def _itself(answer: Any) -> Any:
    return answer


def _seated(spec: GameSpec, players: Players) -> Seats:
    first, second = (SeatedAgent(agent) for agent in players)
    for seat in (first, second):
        seat.tell_game(spec.facts)
    return (first, second) if spec.seating == "AB" else (second, first)


def _start(spec: GameSpec, seats: Seats) -> GameEvents:
    return game_events(spec, listening=(seats[0].hooks.keys(), seats[1].hooks.keys()))


def _spec(players: Players, seed: Seed, hands: int, options: GameOptions) -> GameSpec:
    return GameSpec(seed=seed, hands=hands, players=names_of(players), **options)


def names_of(players: Players) -> tuple[str, str]:
    """Return the names of players A and B, or raise if these are not two agents."""
    if not isinstance(players, tuple | list) or len(players) != 2:
        raise AgentError("a game needs a pair of agents, such as (first, second)")
    return SeatedAgent(players[0]).name, SeatedAgent(players[1]).name
