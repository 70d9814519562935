"""An agent's exception keeps its traceback, and changes nothing else."""

import asyncio

import pytest

from molt_bench import Action, AgentFailed, play_game, play_game_async, run_benchmark
from molt_bench.agents.agent_log import KEPT
from molt_bench.agents.kinds import make_agent
from molt_bench.agents.tracebacks import TraceLog
from molt_bench.arena.status import Observer
from molt_bench.files import file_name


def check_or_call(observation):
    return Action("call") if observation.to_call else Action("check")


def deep(hand_number):
    raise KeyError(f"hand {hand_number}")


class Plain:
    name = "plain"

    def act(self, observation):
        if observation.hand_number % 3 == 0:
            deep(observation.hand_number)
        return check_or_call(observation)

    def on_hand_complete(self, result):
        if result.hand_number == 2:
            raise OSError("the hook")


class Async(Plain):
    async def act(self, observation):
        await asyncio.sleep(0)
        return Plain.act(self, observation)


class Waits(Plain):
    def act(self, observation):
        return Async.act(self, observation)


class OnPurpose:
    name = "on purpose"

    def act(self, observation):
        raise AgentFailed("refused", "no")


class Odd:
    """Raises what is hard to carry."""

    name = "odd"

    def act(self, observation):
        raise (StopIteration, SystemExit, asyncio.CancelledError, RecursionError)[observation.hand_number % 4]("odd")


class Slow:
    name = "slow"

    async def act(self, observation):
        await asyncio.sleep(10)


def played(make, *, timeout_s=None, hands=12):
    """Play a game twice, with and without notes; return what was noted, and check that the records are equal."""
    log = TraceLog()
    records = [
        play_game((agent, make_agent("callstation")), seed=1, hands=hands, action_timeout_s=timeout_s, max_retries=1)
        for agent in (make(), log.watched("mine", make()))
    ]
    assert records[0] == records[1]
    on_a_loop = play_game_async(
        (TraceLog().watched("mine", make()), make_agent("callstation")),
        seed=1,
        hands=hands,
        action_timeout_s=timeout_s,
        max_retries=1,
    )
    assert asyncio.run(on_a_loop) == records[0]
    return records[0], log.found().get("mine", ())


@pytest.mark.parametrize("timeout_s", [None, 5.0])
@pytest.mark.parametrize("make", [Plain, Async, Waits])
def test_every_place_is_noted_once_and_the_record_is_the_same(make, timeout_s):
    record, traces = played(make, timeout_s=timeout_s)
    by_kind = {trace.splitlines()[-1].partition(":")[0]: trace for trace in traces}
    assert (len(traces), sorted(by_kind)) == (2, ["KeyError", "OSError"])
    assert sum("KeyError" in fault.message for fault in record.faults) > 2
    text = by_kind["KeyError"]
    assert text.startswith("Traceback (most recent call last):\n")
    assert 'raise KeyError(f"hand {hand_number}")' in text
    assert "hand 3" in text
    frames = [line for line in text.splitlines() if line.startswith("  File ")]
    assert all(__file__ in frame for frame in frames), "frames of our own drivers are left out"


def test_what_is_hard_to_carry_is_noted_as_well():
    _, traces = played(Odd)
    raised = {trace.splitlines()[-1].partition(":")[0].rpartition(".")[2] for trace in traces}
    assert raised == {"StopIteration", "SystemExit", "CancelledError", "RecursionError"}


@pytest.mark.parametrize(("make", "timeout_s"), [(OnPurpose, None), (Slow, 0.4)])
def test_a_failure_on_purpose_and_a_timeout_have_no_traceback(make, timeout_s):
    record, traces = played(make, timeout_s=timeout_s, hands=2)
    assert record.faults
    assert traces == ()


def test_an_exception_that_cannot_be_written_ends_nothing():
    class BrokenError(Exception):
        def __str__(self):
            raise ValueError

    class Agent:
        name = "broken"

        def act(self, observation):
            raise BrokenError

    _, (trace,) = played(Agent, hands=2)
    assert "BrokenError" in trace


def raising(log, lines):
    """Raise at so many different lines."""
    agent = log.watched("my/bot", Plain())
    for line in range(lines):
        try:
            exec(compile("\n" * line + "raise ValueError('x' * 3000)", "generated.py", "exec"))
        except ValueError as error:
            agent.note(error)
            agent.note(error)


def test_the_log_is_bounded(tmp_path):
    raising(TraceLog(tmp_path), 200)
    (log,) = tmp_path.iterdir()
    assert KEPT < len(log.read_text()) < KEPT + 4000


def test_two_names_never_share_a_log(tmp_path):
    log = TraceLog(tmp_path)
    names = ["Анна", "Ольга", "my bot", "my/bot", "my_bot", "x" * 150, "x" * 151, ".", "..", "_", file_name("my bot")]
    names += ["My_Bot", "MY_BOT", file_name("My_Bot")]
    for name in names:
        try:
            raise ValueError(name)
        except ValueError as error:
            log.watched(name, Plain()).note(error)
    assert len({path.name.lower() for path in tmp_path.iterdir()}) == len(names)


def test_it_is_told_once_for_each_participant_and_place_of_a_sitting(tmp_path):
    told = []
    for _ in range(2):
        raising(TraceLog(tmp_path, lambda participant, text: told.append((participant, text))), 2)
    assert [participant for participant, _ in told] == ["my/bot"] * 4


def test_a_log_that_cannot_be_written_ends_no_game(tmp_path):
    (tmp_path / "agents").write_text("no folder")
    log = TraceLog(tmp_path / "agents")
    record = play_game((log.watched("mine", Plain()), make_agent("callstation")), seed=1, hands=6)
    assert record.faults
    assert log.found()["mine"]


def test_a_benchmark_tells_where_agents_of_the_callers_own_raise():
    told = []
    config = {"participants": ["mine", "callstation"], "seeds": {"perMatch": 2}, "stop": {"budget": {"maxMatches": 1}}}
    run_benchmark(config, agents={"mine": Plain}, observer=Observer(on_traceback=lambda *what: told.append(what)))
    assert sorted((participant, text.splitlines()[-1].split(":")[0]) for participant, text in told) == [
        ("mine", "KeyError"),
        ("mine", "OSError"),
    ]
