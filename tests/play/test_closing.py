"""When a game ends, however it ends, its agents are told once."""

import asyncio
import threading
import time

import pytest

from molt_bench import play_game, play_game_async
from molt_bench.errors import AgentError, GameUnfinished
from tests.play.agents import AsyncCaller, Caller


class Closing:
    """Counts how often it is closed, and where."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.closed = 0
        self.threads = []

    def close(self):
        self.closed += 1
        self.threads.append(threading.current_thread())


class Plain(Closing, Caller):
    pass


class Async(Closing, AsyncCaller):
    async def close(self):
        await asyncio.sleep(0)
        super().close()


class PlainWithAsyncClose(Plain):
    async def close(self):
        await asyncio.sleep(0)
        super().close()


def game_of(players, **options):
    return play_game(players, seed=1, hands=2, **options)


def game_on_a_loop(players, **options):
    return asyncio.run(play_game_async(players, seed=1, hands=2, **options))


PLAYED = pytest.mark.parametrize("play", [game_of, game_on_a_loop])
LIMITS = pytest.mark.parametrize("limit_s", [None, 5.0])
KINDS = pytest.mark.parametrize("kind", [Plain, Async, PlainWithAsyncClose])


@PLAYED
@LIMITS
@KINDS
def test_each_agent_is_closed_once_in_either_seat(play, limit_s, kind):
    for seating in ("AB", "BA"):
        agents = kind(), Caller()
        play(agents, action_timeout_s=limit_s, seating=seating)
        assert agents[0].closed == 1
        agents = Caller(), kind()
        play(agents, action_timeout_s=limit_s, seating=seating)
        assert agents[1].closed == 1
    both = kind(), kind()
    play(both, action_timeout_s=limit_s)
    assert [agent.closed for agent in both] == [1, 1]


@PLAYED
@KINDS
def test_one_agent_in_both_seats_is_closed_once(play, kind):
    agent = kind()
    play((agent, agent))
    assert agent.closed == 1


class Raises(Plain):
    def __init__(self, error):
        super().__init__()
        self.error = error

    def act(self, observation):
        raise self.error


@PLAYED
@pytest.mark.parametrize(
    ("error", "limit_s"),
    [(GameUnfinished("no"), None), (GameUnfinished("no"), 5.0), (KeyboardInterrupt(), None)],
    ids=["unfinished", "unfinished, with a limit", "interrupted"],
)
def test_a_game_that_is_broken_off_is_closed_as_well(play, limit_s, error):
    agents = Raises(error), PlainWithAsyncClose()
    with pytest.raises(type(error)):
        play(agents, action_timeout_s=limit_s)
    assert agents[0].closed == 1


@PLAYED
def test_what_close_raises_or_wants_is_ignored(play):
    class Throws(Caller):
        def close(self):
            raise SystemExit(3)

    class Wants(Caller):
        def close(self, connection):
            raise AssertionError

    class ThrowsLater(Caller):
        async def close(self):
            raise RuntimeError

    class HasAnAttribute(Caller):
        close = "at six"

    for agent in (Throws(), Wants(), ThrowsLater(), HasAnAttribute()):
        assert play((agent, Caller())).faults == ()


@PLAYED
def test_a_close_that_cannot_even_be_read_is_said(play):
    class CannotBeRead(Caller):
        @property
        def close(self):
            raise RuntimeError

    with pytest.raises(AgentError, match="reading its close raised RuntimeError"):
        play((CannotBeRead(), Caller()))


def test_a_cancelled_game_is_closed_at_once(monkeypatch):
    monkeypatch.setattr("molt_bench.play.time_limits._CLOSE_S", 600.0)
    said = []

    class Slow(AsyncCaller):
        async def act(self, observation):
            await asyncio.sleep(3600)

        async def close(self):
            said.append("closing")
            try:
                await asyncio.sleep(3600)
            finally:
                said.append("closed")

    async def cancelled():
        game = asyncio.ensure_future(play_game_async((Slow(), Caller()), seed=1, hands=2))
        await asyncio.sleep(0.05)
        game.cancel()
        with pytest.raises(asyncio.CancelledError):
            await game

    start = time.perf_counter()
    asyncio.run(cancelled())
    assert said == ["closing", "closed"]
    assert time.perf_counter() - start < 60


def test_a_plain_close_that_never_comes_back_does_not_keep_a_limited_game(monkeypatch):
    monkeypatch.setattr("molt_bench.play.time_limits._CLOSE_S", 0.1)
    over = threading.Event()

    class Stuck(Caller):
        def close(self):
            over.wait(120)

    start = time.perf_counter()
    assert game_of((Stuck(), Caller()), action_timeout_s=30.0).faults == ()
    over.set()
    assert time.perf_counter() - start < 60
