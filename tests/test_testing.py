"""The conformance kit finds what is wrong with an agent, and says it."""

import asyncio
import time
from typing import ClassVar

import pytest

from molt_bench import Action, check_agent
from molt_bench.errors import AgentError
from molt_bench.poker.notation import hand_from_text


class Fine:
    name = "fine"

    def act(self, observation):
        return Action("call") if observation.to_call else Action("check")


class AsyncFine(Fine):
    async def act(self, observation):
        await asyncio.sleep(0)
        return super().act(observation)


class Nameless(Fine):
    name = ""


class NoMethod:
    name = "no method"


class MinRaisesAlways(Fine):
    """Forgets that a raise is not always legal, and that an all-in may be smaller."""

    def act(self, observation):
        return Action("raiseTo", 2 * max(observation.bets) or observation.big_blind)


class OnlySeat0(Fine):
    """Mistakes its opponent's bet for its own when it sits in seat 1."""

    def act(self, observation):
        return Action("call") if max(observation.bets) > observation.bets[0] else Action("check")


class Connected(Fine):
    """Keeps something that lives on one event loop."""

    def __init__(self):
        self.lock = None

    async def act(self, observation):
        if self.lock is None:
            self.lock = asyncio.get_running_loop().create_future()
            self.lock.set_result(None)
        await asyncio.shield(self.lock)
        return super().act(observation)


class Floats(Fine):
    def act(self, observation):
        return Action("raiseTo", observation.pot * 0.75)


class Raises(Fine):
    def act(self, observation):
        raise LookupError("no idea")


class Silent(Fine):
    def act(self, observation):
        return None


class Never(Fine):
    def act(self, observation):
        time.sleep(3600)


class AsyncNever(Fine):
    async def act(self, observation):
        await asyncio.sleep(3600)


class Remembers(Fine):
    """Carries a memory across games: plays every other one."""

    def __init__(self):
        self.games = 0
        self.last_hand = 1

    def act(self, observation):
        self.games += observation.hand_number < self.last_hand
        self.last_hand = observation.hand_number
        return super().act(observation) if self.games % 2 else Action("fold")


@pytest.mark.parametrize(("agent", "hands"), [(Fine, 20), (AsyncFine, 5), (Connected, 5)])
def test_a_good_agent_is_fit_to_play(agent, hands):
    report = check_agent(agent(), hands=hands)
    assert report.ok
    assert report
    assert "fine: fit to play" in str(report)
    assert report.decisions > 15 * hands
    assert report.seconds_per_decision > 0
    assert report.faults == ()


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (Nameless(), "its name is ''"),
        (NoMethod(), "<NoMethod> is not an agent: expected an object with a name and a method act(observation)"),
        (Fine, "Fine is a class: pass an agent made from it, such as Fine()"),
        (None, "None is not an agent"),
        (OnlySeat0(), "illegal, first in hand"),
        (MinRaisesAlways(), "illegal, first in hand"),
        (Floats(), "(the amount must be an int, not float)"),
        (Raises(), "exception, first in hand 1: LookupError: no idea"),
        (Silent(), "unreadable, first in hand 1: the answer is None"),
    ],
)
def test_a_bad_agent_is_told_what_is_wrong(agent, said):
    report = check_agent(agent, hands=10)
    assert not report.ok
    assert not report
    assert "NOT fit to play" in str(report)
    assert said in str(report)


@pytest.mark.parametrize("agent", [Never, AsyncNever])
def test_an_agent_that_never_answers_is_found_out_soon(agent):
    start = time.perf_counter()
    report = check_agent(agent(), hands=3, action_timeout_s=0.05)
    assert not report.ok
    assert "timeout" in str(report)
    assert time.perf_counter() - start < 60


def test_a_memory_across_games_is_worth_a_note_but_no_failure():
    report = check_agent(Remembers(), hands=10)
    assert report.ok
    assert "note" in str(report)
    assert "played differently the second time" in str(report)


def test_a_check_works_inside_a_running_loop_as_in_a_notebook():
    async def notebook():
        return check_agent(Fine(), hands=3)

    assert asyncio.run(notebook()).ok


def test_the_checked_agents_hooks_are_called():
    class Hooked(Fine):
        resets = 0

        def reset(self):
            self.resets += 1

    agent = Hooked()
    check_agent(agent, hands=2)
    assert agent.resets > 10


class Counted(Fine):
    """Plays one game, and says which ones were begun and ended."""

    begun: ClassVar[list["Counted"]] = []
    ended: ClassVar[list["Counted"]] = []

    def reset(self):
        self.begun.append(self)

    async def close(self):
        self.ended.append(self)


def test_an_agent_that_is_made_for_every_game_is_begun_and_ended_with_it():
    Counted.begun.clear()
    Counted.ended.clear()
    assert check_agent(make=Counted, hands=1)
    assert len({id(agent) for agent in Counted.begun}) == len(Counted.begun) > 40
    assert Counted.ended == Counted.begun


def test_what_cannot_be_made_is_the_callers_to_know():
    def refuse():
        raise AgentError("no licence")

    with pytest.raises(AgentError, match="no licence"):
        check_agent(make=refuse)


def test_what_is_made_and_is_no_agent_is_told_so():
    assert "<NoMethod> is not an agent" in str(check_agent(make=NoMethod))


def test_every_kind_of_fault_has_an_example_with_its_hand():
    report = check_agent(MinRaisesAlways(), hands=20)
    (example,) = report.examples
    assert (example.kind, example.count) == ("illegal", len(report.faults))
    parsed = hand_from_text(example.hand)
    assert parsed.number == example.hand_number
    assert parsed.forced == example.seat
    assert f"illegal, {example.count:,} times; the first in hand {example.hand_number} against" in str(report)
    assert example.hand in str(report)


def test_a_fault_before_the_first_hand_has_no_hand():
    class Forgetful(Fine):
        def reset(self):
            raise OSError("no disk")

    (example,) = check_agent(Forgetful(), hands=1).examples
    assert (example.hand_number, example.hand) == (0, "")
    assert "before the first hand" in str(example)


def test_how_fast_it_answers_is_told():
    class Slow(Fine):
        def reset(self):
            self.pause_s = 0.02

        async def act(self, observation):
            await asyncio.sleep(self.pause_s)
            self.pause_s = 0.0
            return super().act(observation)

    report = check_agent(Slow(), hands=8, partners=("callstation",))
    latency = report.latency
    assert 0 < latency.median <= latency.p95 <= latency.slowest
    assert latency.slowest >= latency.first >= 0.02
    assert "the first of a game" in str(report)
    assert f"asked {report.decisions:,} times" in str(report)


def test_an_answer_that_is_awaited_is_timed_to_its_end_whatever_made_it():
    class Lazy(Fine):
        def act(self, observation):
            async def answer():
                await asyncio.sleep(0.005)
                return Fine.act(self, observation)

            return answer()

    assert check_agent(Lazy(), hands=1, partners=("tight",)).latency.median >= 0.005


def test_one_that_keeps_its_time_itself_has_no_other_limit():
    class OwnTime(Fine):
        keeps_time = True

        async def act(self, observation):
            await asyncio.sleep(0.01)
            return super().act(observation)

    assert check_agent(OwnTime(), hands=1, action_timeout_s=0.001, partners=("tight",))


def test_a_check_passes_on_all_that_an_agent_may_have():
    told, heard = [], []

    class Told(Fine):
        def told_game(self, facts):
            told.append((facts.hands, facts.stack))

        def reset(self):
            heard.append("reset")

        def on_hand_complete(self, result):
            heard.append("hand")

        def close(self):
            heard.append("close")

    assert check_agent(Told(), hands=1, partners=("tight",)).ok
    assert len(told) == heard.count("reset") == heard.count("close") == 12
    assert set(told) == {(1, 10_000), (1, 350), (1, 120)}
    assert heard.count("hand") == 12


def test_what_is_raised_when_it_is_told_of_a_game_is_one_error():
    class Raising(Fine):
        def told_game(self, facts):
            raise KeyError("hands")

    with pytest.raises(AgentError, match="its told_game raised KeyError: 'hands'"):
        check_agent(Raising(), hands=1, partners=("tight",))


def test_a_check_ends_where_asking_on_is_of_no_use():
    report = check_agent(Raises(), hands=5)
    assert report.decisions < 10
    assert "the check ended here" in str(report)
    assert report.repeats is None


def test_whether_it_repeats_itself_is_told():
    assert check_agent(Fine(), hands=3, partners=("tight",)).repeats is True
    assert check_agent(Remembers(), hands=3, partners=("tight",)).repeats is False
