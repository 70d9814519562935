"""The conformance kit finds what is wrong with an agent, and says it."""

import asyncio
import time

import pytest

from molt_bench import Action, check_agent
from molt_bench.errors import AgentError
from molt_bench.poker.notation import hand_from_text


class Fine:
    name = "fine"

    def act(self, observation):
        return Action("call") if observation.to_call else Action("check")


class AsyncFine(Fine):
    """Keeps something that lives on one event loop."""

    lock = None

    async def act(self, observation):
        if self.lock is None:
            self.lock = asyncio.get_running_loop().create_future()
            self.lock.set_result(None)
        await asyncio.shield(self.lock)
        return super().act(observation)


class Nameless(Fine):
    name = ""


class NoMethod:
    name = "no method"


def agent(answer):
    """Return an agent by what it does with an observation."""
    return type("Made", (Fine,), {"act": lambda self, seen: answer(seen)})()


def min_raises_always(seen):
    """Forget that a raise is not always legal, and that an all-in may be smaller."""
    return Action("raiseTo", 2 * max(seen.bets) or seen.big_blind)


def only_in_seat_0(seen):
    """Mistake the opponent's bet for one's own in seat 1."""
    return Action("call") if max(seen.bets) > seen.bets[0] else Action("check")


def raises(seen):
    raise LookupError("no idea")


async def never(seen):
    await asyncio.sleep(3600)


class Remembers(Fine):
    """Carries a memory across games: plays every other one."""

    games, last_hand = 0, 1

    def act(self, observation):
        self.games += observation.hand_number < self.last_hand
        self.last_hand = observation.hand_number
        return super().act(observation) if self.games % 2 else Action("fold")


@pytest.mark.parametrize(("kind", "hands"), [(Fine, 8), (AsyncFine, 4)])
def test_a_good_agent_is_fit_to_play(kind, hands):
    report = check_agent(kind(), hands=hands)
    assert report.ok
    assert report
    assert "fine: fit to play" in str(report)
    assert report.decisions > 15 * hands
    assert (report.faults, report.repeats) == ((), True)


@pytest.mark.parametrize(
    ("checked", "said"),
    [
        (Nameless(), "its name is ''"),
        (NoMethod(), "<NoMethod> is not an agent: expected an object with a name and a method act(observation)"),
        (Fine, "Fine is a class: pass an agent made from it, such as Fine()"),
        (None, "None is not an agent"),
        (agent(only_in_seat_0), "illegal, first in hand"),
        (agent(lambda seen: Action("raiseTo", seen.pot * 0.75)), "(the amount must be an int, not float)"),
        (agent(raises), "exception, first in hand 1: LookupError: no idea"),
        (agent(lambda seen: None), "unreadable, first in hand 1: the answer is None"),
    ],
)
def test_a_bad_agent_is_told_what_is_wrong(checked, said):
    report = check_agent(checked, hands=10)
    assert not report.ok
    assert not report
    assert "NOT fit to play" in str(report)
    assert said in str(report)


@pytest.mark.parametrize("checked", [agent(never), agent(lambda seen: time.sleep(3600))])
def test_an_agent_that_never_answers_is_found_out_soon(checked):
    start = time.perf_counter()
    report = check_agent(checked, hands=3, action_timeout_s=0.05)
    assert not report.ok
    assert "timeout" in str(report)
    assert time.perf_counter() - start < 60


def test_a_memory_across_games_is_worth_a_note_but_no_failure():
    report = check_agent(Remembers(), hands=10)
    assert (report.ok, report.repeats) == (True, False)
    assert "note" in str(report)
    assert "played differently the second time" in str(report)


def test_a_check_works_inside_a_running_loop_as_in_a_notebook():
    async def notebook():
        return check_agent(Fine(), hands=1)

    assert asyncio.run(notebook()).ok


def test_an_agent_that_is_made_for_every_game_is_told_of_it_begun_and_ended_with_it():
    told, heard = [], []

    class Told(Fine):
        def told_game(self, facts):
            told.append((facts.hands, facts.stack))

        def reset(self):
            heard.append(("reset", self))

        def on_hand_complete(self, result):
            heard.append(("hand", self))

        async def close(self):
            heard.append(("close", self))

    assert check_agent(make=Told, hands=1, partners=("tight",)).ok
    assert {*told} == {(1, 10_000), (1, 350), (1, 120)}
    kinds = [kind for kind, _ in heard]
    assert kinds == ["reset", "hand", "close"] * 12
    assert len({id(made) for _, made in heard}) == 12 == len(told)


def test_what_cannot_be_made_is_the_callers_to_know_and_what_is_no_agent_is_told_so():
    def refuse():
        raise AgentError("no licence")

    with pytest.raises(AgentError, match="no licence"):
        check_agent(make=refuse)
    assert "<NoMethod> is not an agent" in str(check_agent(make=NoMethod))


def test_every_kind_of_fault_has_an_example_with_its_hand():
    report = check_agent(agent(min_raises_always), hands=20)
    (example,) = report.examples
    assert (example.kind, example.count) == ("illegal", len(report.faults))
    parsed = hand_from_text(example.hand)
    assert (parsed.number, parsed.forced) == (example.hand_number, example.seat)
    assert f"illegal, {example.count:,} times; the first in hand {example.hand_number} against" in str(report)
    assert example.hand in str(report)


def test_a_fault_before_the_first_hand_has_no_hand():
    class Forgetful(Fine):
        def reset(self):
            raise OSError("no disk")

    (example,) = check_agent(Forgetful(), hands=1).examples
    assert (example.hand_number, example.hand) == (0, "")
    assert "before the first hand" in str(example)


def test_how_fast_it_answers_is_told_and_an_answer_that_is_awaited_is_timed_to_its_end_whatever_made_it():
    class Lazy(Fine):
        def reset(self):
            self.pause_s = 0.02

        def act(self, observation):
            async def answer():
                await asyncio.sleep(self.pause_s)
                self.pause_s = 0.003
                return Fine.act(self, observation)

            return answer()

    report = check_agent(Lazy(), hands=2, partners=("callstation",))
    latency = report.latency
    assert 0.003 <= latency.median <= latency.p95 <= latency.slowest
    assert latency.slowest >= 0.02
    assert f"asked {report.decisions:,} times" in str(report)


def test_one_that_keeps_its_time_itself_has_no_other_limit():
    class OwnTime(Fine):
        keeps_time = True

        async def act(self, observation):
            await asyncio.sleep(0.01)
            return super().act(observation)

    assert check_agent(OwnTime(), hands=1, action_timeout_s=0.001, partners=("tight",))


def test_what_is_raised_when_it_is_told_of_a_game_is_one_error():
    class Raising(Fine):
        def told_game(self, facts):
            raise KeyError("hands")

    with pytest.raises(AgentError, match="its told_game raised KeyError: 'hands'"):
        check_agent(Raising(), hands=1, partners=("tight",))


def test_a_check_ends_where_asking_on_is_of_no_use():
    report = check_agent(agent(raises), hands=5)
    assert report.decisions < 10
    assert "the check ended here" in str(report)
    assert report.repeats is None
