"""Drivers: ask the agents of a game, and carry their answers or what went wrong into it.

`play_game` is for plain code, `play_game_async` for an event loop. Both take agents of either kind and give equal
records.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias, TypedDict, Unpack

from molt_bench.agents.base import PokerAgent
from molt_bench.errors import AgentError, shown
from molt_bench.play.game import AGENT_RAISES, HOOKS, AgentFailed, Notice, Turns, turns
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation
from molt_bench.records import GameRecord
from molt_bench.seeds import Seed
from molt_bench.specs import GameSpec, Seating, StackMode

Players: TypeAlias = tuple[PokerAgent, PokerAgent]

Event: TypeAlias = Observation | Notice
Call: TypeAlias = Callable[[], Any]
#: An event, and the awaitable that is an agent's answer to it.
Pending: TypeAlias = tuple[Event, Any]


class GameOptions(TypedDict, total=False):
    """The settings of a game that have defaults; `molt_bench.specs.GameSpec` says what they mean."""

    seating: Seating
    small_blind: int
    big_blind: int
    ante: int
    stack: int
    stacks: StackMode
    raise_cap: int | None
    warmup_hands: int
    max_retries: int
    max_actions: int
    action_timeout_s: float | None


def play_game(players: Players, *, seed: Seed, hands: int, **options: Unpack[GameOptions]) -> GameRecord:
    """Play one game and return its record.

    Args:
        players: Players A and B. With the default seating A sits in seat 0 and has the button in hand 1.
        seed: Names the decks: an int of any size or a text.
        hands: Hands to play, at least 1.
        **options: Fields of `GameSpec`, such as `big_blind`, `stack`, `seating` or `action_timeout_s`.

    Raises:
        ConfigError: A setting that cannot work.
        AgentError: A player that is no agent.
    """
    return drive(_spec(players, seed, hands, options), players)


async def play_game_async(players: Players, *, seed: Seed, hands: int, **options: Unpack[GameOptions]) -> GameRecord:
    """Play one game on the running event loop; otherwise as `play_game`, with an equal record."""
    return await drive_async(_spec(players, seed, hands, options), players)


def drive(spec: GameSpec, players: Players) -> GameRecord:
    """Play `spec` with these agents as players A and B."""
    seats, game = _start(spec, players)
    if spec.action_timeout_s is not None:
        return _in_event_loop(spec, seats, game)
    acts = (seats[0].act, seats[1].act)
    try:
        event = next(game)
        while True:
            try:
                answer = acts[event.seat](event) if event.__class__ is Observation else _call(seats, event)()
            except AGENT_RAISES as error:
                event = game.throw(AgentFailed.by_raising(error))
                continue
            if answer.__class__ is not Action and inspect.isawaitable(answer):
                return _in_event_loop(spec, seats, game, (event, answer))
            event = game.send(answer)
    except StopIteration as end:
        record: GameRecord = end.value
        return record


async def drive_async(spec: GameSpec, players: Players) -> GameRecord:
    """Play `spec` with these agents as players A and B on the running event loop."""
    seats, game = _start(spec, players)
    return await _drive_on(spec, seats, game)


async def _drive_on(spec: GameSpec, seats: Players, game: Turns, pending: Pending | None = None) -> GameRecord:
    """Drive a game on: from its start, or from an event whose answer is pending."""
    from molt_bench.play.waiting import Waiter

    waiters = Waiter(spec.action_timeout_s), Waiter(spec.action_timeout_s)
    try:
        if pending is None:
            event = next(game)
            call = _call(seats, event)
        else:
            event, awaitable = pending
            call = partial(_given, awaitable)
        while True:
            try:
                answer = await waiters[event.seat].result(call)
            except AgentFailed as failure:
                event = game.throw(failure)
            else:
                event = game.send(answer)
            call = _call(seats, event)
    except StopIteration as end:
        record: GameRecord = end.value
        return record
    finally:
        for waiter in waiters:
            waiter.close()


def _given(awaitable: Any) -> Any:
    return awaitable


def _in_event_loop(spec: GameSpec, seats: Players, game: Turns, pending: Pending | None = None) -> GameRecord:
    """Drive a game on in an event loop of its own, as awaitable answers and time limits need one."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_drive_on(spec, seats, game, pending))
    if pending is not None and inspect.iscoroutine(pending[1]):
        pending[1].close()
    raise AgentError(
        "play_game cannot wait for an async agent or a time limit inside a running event loop: "
        "use `await play_game_async(...)` there"
    )


def _start(spec: GameSpec, players: Players) -> tuple[Players, Turns]:
    """Return the agents by seat, and the game."""
    seats = players if spec.seating == "AB" else (players[1], players[0])
    listening = [[hook for hook in HOOKS if callable(getattr(agent, hook, None))] for agent in seats]
    return seats, turns(spec, listening=(listening[0], listening[1]))


def _call(seats: Players, event: Event) -> Call:
    """Return the call on an agent that answers `event`."""
    agent = seats[event.seat]
    if isinstance(event, Notice):
        return partial(getattr(agent, event.hook), *event.arguments)
    return partial(agent.act, event)


def _spec(players: Players, seed: Seed, hands: int, options: GameOptions) -> GameSpec:
    if not isinstance(players, tuple | list) or len(players) != 2:
        raise AgentError("a game needs a pair of agents, such as (first, second)")
    for letter, agent in zip("AB", players, strict=True):
        if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
            raise AgentError(
                f"player {letter} is {shown(agent)}, which is no agent: expected an object with a name and a method "
                "act(observation) that returns an Action"
            )
    first, second = (str(getattr(agent, "name", type(agent).__name__)) for agent in players)
    return GameSpec(seed=seed, hands=hands, players=(first, second), **options)
