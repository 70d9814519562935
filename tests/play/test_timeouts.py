"""An agent that never answers costs a fault, not the run."""

import asyncio
import threading
import time

import pytest

from molt_bench import Action, play_game, play_game_async
from tests.play.agents import AsyncCaller, AsyncSleeper, Caller, Deaf, Sleeper

SOON = 0.05


def agent_threads():
    return [thread for thread in threading.enumerate() if thread.name == "agent"]


@pytest.mark.parametrize("sleeper", [AsyncSleeper, Deaf])
def test_an_async_agent_that_never_answers_times_out(sleeper):
    game = play_game_async((sleeper(), Caller()), seed=1, hands=2, max_retries=1, action_timeout_s=SOON)
    record = asyncio.run(game)
    assert record.fault_counts[0] == {"timeout": 4}
    assert record.faults[0].message == "no answer within 0.05 s"
    assert record.net == (-150, 150)


def test_plain_code_times_an_async_agent_out_too():
    record = play_game((AsyncSleeper(), Caller()), seed=1, hands=2, max_retries=0, action_timeout_s=SOON)
    assert record.fault_counts[0] == {"timeout": 2}


@pytest.mark.parametrize("hands", [3, 200])
def test_a_plain_agent_that_never_comes_back_is_given_up_after_two_waits(hands):
    start = time.perf_counter()
    agent = Sleeper()
    record = play_game((agent, Caller()), seed=1, hands=hands, action_timeout_s=SOON)
    assert time.perf_counter() - start < 5
    assert record.fault_counts[0] == {"timeout": 3 * hands}
    assert agent.calls == 1
    assert record.hands == hands


def test_a_slow_plain_agent_is_never_called_twice_at_once():
    inside = []

    class Slow(Caller):
        def act(self, observation):
            inside.append(1)
            assert len(inside) == 1
            time.sleep(0.08)
            inside.pop()
            return super().act(observation)

    record = play_game((Slow(), Caller()), seed=1, hands=2, action_timeout_s=SOON)
    assert record.fault_counts[0].keys() == {"timeout"}


def test_a_limit_that_is_kept_changes_nothing():
    free = play_game((Caller(), Caller()), seed=1, hands=10)
    limited = play_game((Caller(), Caller()), seed=1, hands=10, action_timeout_s=30)
    on_a_loop = asyncio.run(play_game_async((AsyncCaller(), Caller()), seed=1, hands=10, action_timeout_s=30))
    assert free == limited == on_a_loop


@pytest.mark.parametrize("error", [ValueError("no"), StopIteration(), SystemExit(1)])
def test_what_a_plain_agent_raises_in_its_thread_is_its_fault(error):
    class Raises(Caller):
        def act(self, observation):
            raise error

    record = play_game((Raises(), Caller()), seed=1, hands=1, action_timeout_s=5)
    assert record.fault_counts[0] == {"exception": 3}


def test_threads_end_with_their_game():
    before = len(agent_threads())
    play_game((Caller(), Caller()), seed=1, hands=3, action_timeout_s=30)
    deadline = time.perf_counter() + 5
    while len(agent_threads()) > before and time.perf_counter() < deadline:
        time.sleep(0.01)
    assert len(agent_threads()) <= before


def test_an_agent_s_own_timeout_error_is_an_exception_like_any_other():
    class Impatient:
        name = "impatient"

        async def act(self, observation):
            raise TimeoutError("upstream")

    record = play_game((Impatient(), Caller()), seed=1, hands=1, action_timeout_s=5)
    assert record.fault_counts[0] == {"exception": 3}


def test_cancelling_the_game_cancels_it():
    async def cancelled():
        task = asyncio.create_task(play_game_async((AsyncSleeper(), Caller()), seed=1, hands=1))
        await asyncio.sleep(SOON)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())


def test_a_program_ends_though_an_agent_never_comes_back(fresh_python):
    code = """
import time
from molt_bench import Action, play_game, BUILTIN_AGENTS
class Never:
    name = "never"
    def act(self, observation):
        time.sleep(3600)
record = play_game((Never(), BUILTIN_AGENTS["callstation"]()), seed=1, hands=2, action_timeout_s=0.05)
print(record.fault_counts[0]["timeout"])
"""
    assert fresh_python(code) == "6"


def test_action_is_all_an_agent_needs():
    """The smallest agent: a class with a name and a method."""

    class Smallest:
        name = "smallest"

        def act(self, observation):
            return Action.call() if observation.to_call else Action.check()

    assert play_game((Smallest(), Smallest()), seed=1, hands=10).faults == ()
