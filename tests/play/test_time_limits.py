"""An agent that never answers costs a fault, not the run."""

import asyncio
import threading
import time

import msgspec
import pytest

from molt_bench import play_game, play_game_async
from tests.play.agents import AsyncCaller, AsyncSleeper, Caller, Deaf, Sleeper

SOON = 0.05
#: Long enough for an agent that answers at once, though its machine has other work to do.
PATIENT = 1.0
#: What no machine is slow enough to need, and less than waiting for every answer in 200 hands takes.
LONG = 25


def agent_threads():
    return [thread for thread in threading.enumerate() if thread.name == "agent"]


@pytest.mark.parametrize("sleeper", [AsyncSleeper, Deaf])
def test_an_async_agent_that_never_answers_times_out(sleeper):
    game = play_game_async((sleeper(), Caller()), seed=1, hands=1, max_retries=1, action_timeout_s=PATIENT)
    record = asyncio.run(game)
    assert record.fault_counts[0] == {"timeout": 2}
    assert record.faults[0].message == f"no answer within {PATIENT:g} s"
    assert record.net == (-50, 50)


@pytest.mark.parametrize("hands", [3, 200])
def test_a_plain_agent_that_never_comes_back_is_given_up_after_two_decisions(hands):
    start = time.perf_counter()
    agent = Sleeper()
    record = play_game((agent, Caller()), seed=1, hands=hands, action_timeout_s=SOON)
    assert time.perf_counter() - start < LONG
    assert record.fault_counts[0] == {"timeout": 3 * hands}
    assert agent.calls == 1
    assert record.hands == hands


def test_an_async_agent_that_never_answers_is_given_up_after_two_decisions():
    start = time.perf_counter()
    record = play_game((AsyncSleeper(), Caller()), seed=1, hands=200, action_timeout_s=SOON)
    assert time.perf_counter() - start < LONG
    assert record.fault_counts[0] == {"timeout": 600}
    assert "given up" in record.faults[-1].message


def test_one_who_answers_again_is_not_given_up():
    class Dozes(Caller):
        async def act(self, observation):
            if observation.previous_error is None:
                await asyncio.sleep(3600)
            return super().act(observation)

    retries = 3  # so that a pause of the machine may cost it some
    record = play_game((Dozes(), Caller()), seed=1, hands=3, action_timeout_s=4 * SOON, max_retries=retries)
    assert record.fault_counts[0]["timeout"] > 2 * (retries + 1), "who fails so often in a row is given up"
    assert not any(fault.forced_fold for fault in record.faults)
    assert record.net == play_game((Caller(), Caller()), seed=1, hands=3).net


class Swallows:
    """Never answers, and ignores that it is cancelled, always."""

    name = "swallows"

    async def act(self, observation):
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                continue


class LeavesTask(Caller):
    """Answers, but leaves a task behind that ignores its cancellation."""

    async def act(self, observation):
        self.task = asyncio.create_task(Swallows().act(observation))
        await asyncio.sleep(0)
        return super().act(observation)


class Blocks(Caller):
    """Blocks the event loop, so that nobody can stop it in time."""

    async def act(self, observation):
        time.sleep(0.08)
        return super().act(observation)


class InThread(Caller):
    """Waits for a thread that takes its time."""

    async def act(self, observation):
        return await asyncio.to_thread(time.sleep, 1.5)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("agent", "limit_s", "faults"),
    [
        (Swallows, SOON, {"timeout"}),
        (LeavesTask, LONG, set()),
        (Blocks, SOON, {"timeout"}),
        (InThread, SOON, {"timeout"}),
    ],
)
def test_nothing_an_async_agent_does_to_its_loop_hangs_the_game(agent, limit_s, faults):
    start = time.perf_counter()
    record = play_game((agent(), Caller()), seed=1, hands=2, max_retries=0, action_timeout_s=limit_s)
    assert record.fault_counts[0].keys() == faults
    assert time.perf_counter() - start < LONG


def test_one_agent_in_both_seats_is_never_called_twice_at_once():
    inside = []

    class Slow(Caller):
        def act(self, observation):
            inside.append(1)
            assert len(inside) == 1
            time.sleep(0.07)
            inside.pop()
            return super().act(observation)

    agent = Slow()
    record = play_game((agent, agent), seed=1, hands=2, action_timeout_s=SOON)
    assert {fault.kind for fault in record.faults} == {"timeout"}


def test_a_limit_that_is_kept_changes_nothing():
    free = play_game((Caller(), Caller()), seed=1, hands=10)
    limited = play_game((Caller(), Caller()), seed=1, hands=10, action_timeout_s=30)
    on_a_loop = asyncio.run(play_game_async((AsyncCaller(), Caller()), seed=1, hands=10, action_timeout_s=30))
    assert limited == on_a_loop
    assert msgspec.structs.replace(limited, spec=free.spec) == free


def test_an_agent_whose_own_task_was_cancelled_has_failed_and_the_game_goes_on():
    class Cancelled(Caller):
        async def act(self, observation):
            task = asyncio.create_task(asyncio.sleep(10))
            task.cancel()
            await task

    record = play_game((Cancelled(), Caller()), seed=1, hands=3, max_retries=0)
    assert record.fault_counts[0].keys() == {"exception"}


def test_threads_end_with_their_game():
    before = len(agent_threads())
    play_game((Caller(), Caller()), seed=1, hands=3, action_timeout_s=30)
    deadline = time.perf_counter() + LONG
    while len(agent_threads()) > before and time.perf_counter() < deadline:
        time.sleep(0.01)
    assert len(agent_threads()) <= before


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
