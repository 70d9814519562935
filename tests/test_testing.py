"""The conformance kit finds what is wrong with an agent, and says it."""

import asyncio
import time

import pytest

from molt_bench import Action, check_agent


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


@pytest.mark.parametrize("agent", [Fine, AsyncFine, Connected])
def test_a_good_agent_is_fit_to_play(agent):
    report = check_agent(agent())
    assert report.ok
    assert report
    assert "fine: fit to play" in str(report)
    assert report.decisions > 1000
    assert report.seconds_per_decision > 0
    assert report.faults == ()


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (Nameless(), "its name is ''"),
        (NoMethod(), "<NoMethod> is no agent: expected an object with a name and a method act(observation)"),
        (Fine, "Fine is a class: pass an agent made from it, such as Fine()"),
        (None, "None is no agent"),
        (OnlySeat0(), "illegal, first in hand"),
        (MinRaisesAlways(), "illegal, first in hand"),
        (Floats(), "(the amount must be an int, not float)"),
        (Raises(), "exception, first in hand 1: LookupError: no idea"),
        (Silent(), "unreadable, first in hand 1: the answer is None"),
    ],
)
def test_a_bad_agent_is_told_what_is_wrong(agent, said):
    report = check_agent(agent, hands=20)
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
    assert time.perf_counter() - start < 10


def test_a_memory_across_games_is_worth_a_note_but_no_failure():
    report = check_agent(Remembers())
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
