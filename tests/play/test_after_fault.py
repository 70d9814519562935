"""Faults: recorded, told to the agent, asked again, and folded after the last try."""

import asyncio

import msgspec
import pytest

from molt_bench import Action, play_game, play_game_async
from tests.play.agents import Answers, Caller


class YesToAll:
    """Says that it equals whatever it is compared with."""

    __hash__ = None

    def __eq__(self, other):
        return True


class str_subclass(str):  # noqa: N801
    """Text that is not quite text."""


ILLEGAL_ANSWERS = [
    None,
    "call",
    5,
    {"kind": "call"},
    Action("bet", 200),
    Action("raiseTo", 300.0),
    Action("raiseTo", float("nan")),
    Action("raiseTo", "300"),
    Action("raiseTo", 10**5000),
    Action("raiseTo", -1),
    Action("check"),
    Action(None),
    ZeroDivisionError("at the table"),
    SystemExit(3),
    GeneratorExit(),
    asyncio.CancelledError(),
    BaseExceptionGroup("both", [ValueError()]),
    Action(YesToAll(), 300),
    Action("raiseTo", object()),
    Action(str_subclass("call")),
    YesToAll(),
    StopIteration(),
    RecursionError(),
    TimeoutError("upstream"),
]


@pytest.mark.parametrize("answer", ILLEGAL_ANSWERS, ids=lambda answer: type(answer).__name__)
def test_an_answer_that_cannot_be_taken_is_a_fault_then_a_forced_fold(answer):
    agent, other = Answers(answer), Caller()
    record = play_game((agent, other), seed=1, hands=4, max_retries=2)
    mine = [fault for fault in record.faults if fault.player == 0]
    assert sum(record.net) == 0
    assert record.fault_counts[1] == {}
    forced = [parsed for parsed in record.replay() if parsed.forced == 0]
    assert forced
    assert len(mine) == 3 * len(forced)
    assert [fault.attempt for fault in mine[:3]] == [1, 2, 3]
    assert [fault.forced_fold for fault in mine[:3]] == [False, False, True]
    assert all(len(fault.message) <= 500 for fault in mine)
    assert all(" at 0x" not in fault.message for fault in mine)
    assert not record.both_failed


def test_kinds_of_faults_are_told_apart():
    kinds = {}
    for answer in (None, Action("raiseTo", 1), ValueError("no")):
        record = play_game((Answers(answer), Caller()), seed=1, hands=1)
        kinds[str(answer)] = record.faults[0].kind
    assert [*kinds.values()] == ["unreadable", "illegal", "exception"]


def test_the_error_is_fed_back_on_the_retry():
    agent = Answers(Action("raiseTo", 150))
    play_game((agent, Caller()), seed=1, hands=1, max_retries=1)
    first, second = agent.seen
    assert first.previous_error is None
    assert second.previous_error == "raiseTo 150 is not legal; legal: fold, call (50), raiseTo 200..10000"
    assert msgspec.structs.replace(second, previous_error=None) == first
    assert agent.errors == [second.previous_error] * 2


def test_an_agent_that_mends_its_ways_plays_on():
    class Learns(Caller):
        def act(self, observation):
            return super().act(observation) if observation.previous_error else None

    record = play_game((Learns(), Caller()), seed=1, hands=20, max_retries=1)
    assert record.fault_counts[0].keys() == {"unreadable"}
    assert not any(fault.forced_fold for fault in record.faults)
    clean = play_game((Caller(), Caller()), seed=1, hands=20)
    assert record.hand_texts == clean.hand_texts


def test_no_retries_means_the_first_mistake_folds():
    record = play_game((Answers(None), Caller()), seed=1, hands=1, max_retries=0)
    assert [fault.forced_fold for fault in record.faults] == [True]
    assert record.hand_texts[0].endswith(":F:-50")


def test_one_who_always_fails_loses_its_blinds():
    record = play_game((Answers(None), Caller()), seed=1, hands=100)
    assert record.net == (-7_500, 7_500)


@pytest.mark.parametrize("hands", [2, 7, 50])
def test_both_failing_throughout_is_a_draw_and_flagged(hands):
    record = play_game((Answers(None), Answers(ValueError())), seed=1, hands=hands)
    assert record.net == (0, 0)
    assert record.both_failed
    assert all(record.fault_counts)


def test_failing_in_all_hands_that_count_is_failing_throughout():
    class OnlyWarmUp(Caller):
        def act(self, observation):
            return super().act(observation) if observation.hand_number <= 3 else None

    record = play_game((OnlyWarmUp(), OnlyWarmUp()), seed=1, hands=5, warmup_hands=3)
    assert record.both_failed
    assert record.net == (0, 0)


def test_a_long_message_is_cut_everywhere():
    agent = Answers(ValueError("x" * 10**6))
    record = play_game((agent, Caller()), seed=1, hands=1)
    assert {len(fault.message) for fault in record.faults} == {500}
    assert len(agent.seen[1].previous_error) == 500


def test_both_failing_sometimes_is_no_draw():
    class Once(Caller):
        def act(self, observation):
            return super().act(observation) if observation.hand_number == 1 else None

    record = play_game((Once(), Answers(None)), seed=1, hands=7)
    assert not record.both_failed
    assert record.net != (0, 0)


def test_a_hook_that_raises_is_a_fault_and_nothing_else():
    class Clumsy(Caller):
        def on_hand_complete(self, result):
            raise KeyError("lost")

        def reset(self):
            raise OSError("cannot")

    record = play_game((Clumsy(), Caller()), seed=1, hands=3)
    assert [(fault.hand_number, fault.attempt, fault.decision, fault.hook) for fault in record.faults] == [
        (0, 0, None, "reset"),
        (1, 0, None, "on_hand_complete"),
        (2, 0, None, "on_hand_complete"),
        (3, 0, None, "on_hand_complete"),
    ]
    assert record.faults[1].message.startswith("KeyError")
    assert record.faults[1].said.startswith("on_hand_complete: KeyError")


def test_a_fault_has_the_number_of_its_decision():
    """Here of the third action of a hand, the first on the flop."""

    class Unsure(Caller):
        def act(self, observation):
            return super().act(observation) if observation.previous_error or len(observation.log) != 2 else None

        def on_error(self, message):
            raise KeyError("no")

    record = play_game((Caller(), Unsure()), seed=1, hands=1)
    first, second = record.faults
    assert (first.hand_number, first.decision, first.attempt, first.hook) == (1, 2, 1, "")
    assert (second.hand_number, second.decision, second.attempt, second.hook) == (1, 2, 0, "on_error")
    assert record.net == play_game((Caller(), Caller()), seed=1, hands=3).net


def test_the_users_interrupt_is_not_an_agents_fault():
    with pytest.raises(KeyboardInterrupt):
        play_game((Answers(KeyboardInterrupt()), Caller()), seed=1, hands=3)


def test_an_exception_that_cannot_be_printed_is_still_a_fault():
    class EvilError(Exception):
        def __str__(self):
            raise RuntimeError

    record = play_game((Answers(EvilError()), Caller()), seed=1, hands=1)
    assert record.faults[0].message == "EvilError: its message cannot be read"


def test_faults_are_the_same_in_both_drivers_and_in_threads():
    for answer in ILLEGAL_ANSWERS:
        plain = play_game((Answers(answer), Caller()), seed=1, hands=3)
        assert asyncio.run(play_game_async((Answers(answer), Caller()), seed=1, hands=3)) == plain
        in_thread = play_game((Answers(answer), Caller()), seed=1, hands=3, action_timeout_s=30)
        assert in_thread.faults == plain.faults
