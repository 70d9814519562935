"""A recorded agent is called only where the record ends, and then as if it had been there all along."""

import resource
import sys
from contextlib import contextmanager

import msgspec
import pytest

from molt_bench import Action, GameSpec, Mix, make_agent
from molt_bench.arena.resuming_agent import RecordedAgent
from molt_bench.errors import AgentFailed, NotRecorded, RunHalted
from molt_bench.play.play_games import drive
from molt_bench.runs.replies import Replies
from molt_bench.specs import GameLabel

GAME = GameLabel(1, "s", "AB")
SPEC = GameSpec(seed="s", hands=6, players=("mine", "callstation"))


class Noting:
    """Notes every call; fails in one way at some decisions, and stops at one."""

    keeps_time = True
    name = "mine"

    def __init__(self, *, fails=(), stops=None):
        self.calls = []
        self.decisions = 0
        self._fails, self._stops = fails, stops

    async def reset(self):
        self.calls.append("reset")

    async def on_hand_complete(self, result):
        self.calls.append(f"result {result.hand_number}")

    def on_error(self, message):
        self.calls.append(f"error {message}")

    async def act(self, observation):
        self.calls.append(f"hand {observation.hand_number}")
        self.decisions += 1
        if self.decisions == self._stops:
            raise KeyboardInterrupt
        if self.decisions in self._fails:
            raise AgentFailed("timeout", "no answer within 1 s" + "." * 1000)
        return Action("call") if observation.to_call else Action("check")

    async def close(self):
        self.calls.append("close")


def played(agent, answers, spec=SPEC):
    return drive(spec, (RecordedAgent("mine", agent, GAME, answers), make_agent("callstation")))


def reading(answers):
    answers.read_only = True
    return answers


def test_the_record_is_that_of_the_agent_itself():
    agent, alone = Noting(fails=(3, 4, 9)), Noting(fails=(3, 4, 9))
    assert played(agent, Replies()) == drive(SPEC, (alone, make_agent("callstation")))
    assert agent.calls == alone.calls


def test_a_game_is_replayed_without_the_agent_faults_included():
    answers = Replies()
    record = played(Noting(fails=(3, 4, 9)), answers)
    assert record.faults
    assert played(None, reading(answers)) == record


def test_a_mix_is_on_record_and_drawn_from_again():
    class Mixing(Noting):
        async def act(self, observation):
            return Mix([(Action("fold"), 1), (await super().act(observation), 2)])

    answers = Replies()
    record = played(Mixing(), answers)
    assert any(record.mixes)
    assert played(None, reading(answers)) == record


def test_an_agent_that_stays_silent_is_given_up_again_in_a_replay():
    """The game gives it up without asking, so those faults are not on record."""
    answers = Replies()
    record = played(Noting(fails=range(1000)), answers)
    assert any("given up" in fault.message for fault in record.faults)
    assert played(None, reading(answers)) == record


@pytest.mark.parametrize("stops", [1, 2, 5, 11])
def test_a_game_cut_off_goes_on_at_the_open_decision(stops):
    whole = Noting()
    record = played(whole, Replies())
    answers, first = Replies(), Noting(stops=stops)
    with pytest.raises(KeyboardInterrupt):
        played(first, answers)
    second = Noting()
    assert played(second, answers) == record
    open_hand = next(call for call in reversed(first.calls) if call.startswith("hand"))
    number = int(open_hand.split()[1])
    assert second.calls[: number + 1] == ["reset", *(f"result {each}" for each in range(1, number)), open_hand]
    assert first.decisions - 1 + second.decisions == whole.decisions


def test_an_agent_whose_game_is_all_on_record_is_closed_and_not_asked():
    answers = Replies()
    played(Noting(), answers)
    agent = Noting()
    played(agent, answers)
    assert agent.calls == ["close"]


def test_a_missing_answer_is_no_fault_of_the_agent():
    with pytest.raises(NotRecorded, match="match 1, seed 's', seating AB: no answer of 'mine' is recorded for hand 1"):
        played(None, reading(Replies()))


def test_an_answer_to_another_decision_is_not_taken():
    answers = Replies()
    played(Noting(), answers)
    other = msgspec.structs.replace(SPEC, deck_seed="another")
    agent = Noting()
    played(agent, answers, other)
    assert agent.decisions > 0


@contextmanager
def full_disk(path):
    """Let no file grow beyond the size of this one."""
    before, compiles = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # what Python compiles meanwhile would be cut off, for good
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = compiles


def test_an_answer_that_cannot_be_written_ends_the_run_and_nobody_is_asked_again(tmp_path):
    path = tmp_path / "replies.jsonl"
    answers = Replies(str(path))
    answers.begin()
    agent = Noting()
    for _ in range(2):
        with full_disk(path), pytest.raises(RunHalted, match="could not be written"):
            played(agent, answers)
        assert agent.decisions == 1
    answers.close()
    assert not answers.knows(GAME)
