"""A mailbox takes the first legal answer of a decision, whatever else arrives, and keeps the time."""

import asyncio
import threading

import pytest

from molt_bench.agents.scripted import CallStationAgent
from molt_bench.play.play_games import play_game, play_game_async
from molt_bench.plugins.live import mailbox
from molt_bench.plugins.live.agent import LiveAgent, turn_token
from molt_bench.plugins.live.mailbox import Mailbox
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.specs import GameLabel
from tests.clock import JumpingLoop

SECRET = b"s" * 32
LABEL = GameLabel(1, 7, "AB")
TOO_MUCH = Action("raiseTo", 10**9)


def passive(turn):
    """Return a call or a check, whichever is legal."""
    return CALL if turn.observation.to_call else CHECK


def again(turn):
    return turn.observation.previous_error is not None


def connection():
    """Be a connection, which need not be told anything."""


class Asked(Mailbox):
    """A mailbox that calls `on_turn(box, turn)` for every decision, asked again or not, connected or not."""

    on_turn = None
    _shown = None

    @property
    def turn(self):
        return self._shown

    @turn.setter
    def turn(self, turn):
        self._shown = turn
        if turn is not None:
            asyncio.get_running_loop().call_soon(self.on_turn, self, turn)


def played(on_turn, *, hands=3, limit_s=20.0, **options):
    """Play a game in which `on_turn(box, turn)` runs in another thread at every decision; return record and box."""
    box = Asked(SECRET)
    box.arrive(connection)
    threads = []

    def start(*turn):
        threads.append(threading.Thread(target=on_turn, args=turn))
        threads[-1].start()

    box.on_turn = start
    agent = LiveAgent("live", box, game=LABEL, action_timeout_s=limit_s)
    record = play_game((agent, CallStationAgent()), seed=7, hands=hands, **options)
    for thread in threads:
        thread.join(20)
    return record, box


def test_answers_from_another_thread_play_a_game():
    record, _ = played(lambda box, turn: box.answer(turn.token, passive(turn)))
    here = play_game((CallStationAgent(name="live"), CallStationAgent()), seed=7, hands=3)
    assert record.hand_texts == here.hand_texts
    assert record.faults == ()


def test_an_answer_after_a_forced_fold_is_never_taken():
    tokens = []

    def answer(box, turn):
        tokens.append(turn.token)
        box.answer(turn.token, TOO_MUCH)

    record, box = played(answer, hands=1, max_retries=0)
    assert [fault.forced_fold for fault in record.faults] == [True]
    assert box.answer(tokens[-1], CALL) == "stale"


def test_a_connected_agent_that_does_not_answer_is_late_and_its_decision_is_off_the_table():
    record, box = played(lambda _box, _turn: None, hands=5, limit_s=0.05, max_retries=0)
    assert (record.faults[0].kind, record.faults[0].message) == ("timeout", "no answer within 0.05 s")
    assert "given up" in record.faults[-1].message
    assert box.turn is None


def test_numbers_grow_over_games_and_the_end_is_told():
    told, seen = [], []
    box = Asked(SECRET)
    box.arrive(lambda: told.append(box.news()))

    def answer(box, turn):
        seen.append((turn.hand, turn.seq))
        threading.Thread(target=box.answer, args=(turn.token, passive(turn))).start()

    box.on_turn = answer
    for _ in range(2):
        agent = LiveAgent("live", box, game=LABEL, action_timeout_s=20)
        play_game((agent, CallStationAgent()), seed=7, hands=2)
    box.close("over")
    results = {over.hand: over.seq for news in told for over in news.results}
    assert {hand for hand, _ in seen} == {1, 2, 3, 4}
    assert [*results] == [1, 2, 3, 4]
    numbers = [seq for _, seq in seen]
    assert numbers == sorted({*numbers})
    assert not {*numbers} & {*results.values()}
    assert (told[0].seat, told[-1].seat, told[-1].closed) == (0, None, "over")
    assert [over.hand for over in told[-1].results] == [4], "the end comes with the last hand"
    assert box.answer("any", CALL) == "closed"


def test_tokens_differ_by_game_hand_decision_and_secret():
    places = [(LABEL, 1, 0), (LABEL, 1, 1), (LABEL, 2, 0), (GameLabel(1, 7, "BA"), 1, 0), (GameLabel(2, 7, "AB"), 1, 0)]
    tokens = {turn_token(secret, *place) for place in places for secret in (SECRET, b"t" * 32)}
    assert len(tokens) == 2 * len(places)


# Who is away: by a clock that jumps.


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs a coroutine by a clock that jumps, which mailboxes read as well."""
    loop = JumpingLoop()
    monkeypatch.setattr(mailbox, "monotonic", loop.time)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        yield runner.run


async def game_of(box, on_turn, *, limit_s, hands=1, number=1, retries=0):
    """Play a game in which `on_turn(turn, loop)` is called at every decision; return what came of each fault."""
    loop = asyncio.get_running_loop()
    box.on_turn = lambda _, turn: on_turn(turn, loop)
    agent = LiveAgent("live", box, game=GameLabel(number, 7, "AB"), action_timeout_s=limit_s)
    record = await play_game_async((agent, CallStationAgent()), seed=7, hands=hands, max_retries=retries)
    return [(fault.kind, fault.hand_number) for fault in record.faults]


def nothing(turn, loop):
    pass


def test_a_repeat_is_acknowledged_and_another_action_is_not_taken(run):
    box, verdicts = Asked(SECRET), []

    def answer(turn, loop):
        verdicts.append([box.answer(turn.token, action) for action in (passive(turn), passive(turn), FOLD)])

    assert run(game_of(box, answer, limit_s=20)) == []
    assert verdicts
    assert all(each == ["taken", "repeated", "stale"] for each in verdicts)


def test_an_agent_that_is_not_connected_at_all_forfeits_and_is_not_asked_again(run):
    assert run(game_of(Asked(SECRET, reconnect_s=0.05), nothing, limit_s=0.05, retries=2)) == [("forfeit", 1)]


@pytest.mark.parametrize(
    ("limit_s", "reconnect_s", "back_s", "think_s", "faults"),
    [
        (1.0, 60.0, 1.2, 0.9, []),
        (0.3, 0.4, 0.5, 5.0, [("timeout", 1)]),
        (0.3, 0.4, 0.8, 0.0, [("forfeit", 1)]),
        (0.05, 30.0, None, 0.3, []),
    ],
    ids=["has its whole time", "which ends as well", "comes too late", "answers without a connection"],
)
def test_an_agent_that_was_gone_when_its_time_was_up(run, limit_s, reconnect_s, back_s, think_s, faults):
    box = Asked(SECRET, reconnect_s=reconnect_s)

    def come_back(turn, loop):
        late_s = 0.0 if box.present else back_s or 0.0
        if back_s is not None and not box.present:
            loop.call_later(back_s, box.arrive, connection)
        loop.call_later(late_s + (think_s if late_s or faults or back_s is None else 0.0), give, turn)

    def give(turn):
        box.answer(turn.token, passive(turn))

    assert run(game_of(box, come_back, limit_s=limit_s)) == faults


def test_an_agent_is_awaited_so_long_in_all_of_a_game_and_not_for_each_decision(run):
    box, had = Asked(SECRET, reconnect_s=120.0), []

    def answer_late(turn, loop):
        asked = loop.time()
        loop.call_later(0.4, lambda: had.append(turn.deadline - asked))
        loop.call_later(0.5, box.answer, turn.token, passive(turn))

    assert run(game_of(box, answer_late, limit_s=0.05)) == []
    # From the second decision on, the agent is known to be away.
    assert had[:2] == pytest.approx([0.05 + 120.0, 120.0 - 0.45])


def test_an_agent_that_stays_away_forfeits_game_after_game_until_no_one_waits_for_it(run):
    box, said = Asked(SECRET, reconnect_s=1.0), []
    box.tell = lambda _: said.append((box.away, box.forfeits))

    async def games():
        took, loop = [], asyncio.get_running_loop()
        for number in (1, 2, 3, 4):
            begun = loop.time()
            faults = await game_of(box, nothing, limit_s=0.2, hands=20, number=number, retries=2)
            took.append(loop.time() - begun)
            assert faults == [("forfeit", at) for at in range(1, 21)]
        return took

    # Its time and what it may be late; the latter alone, since it is known to be away; then no one waits any more.
    assert run(games()) == pytest.approx([1.2, 1.0, 1.0, 0.0])
    assert said == [(True, 0), (True, 1), (True, 2), (True, 3), (True, 4)]
    box.arrive(connection)
    assert said[-1] == (False, 4)
    at_once = game_of(box, lambda turn, loop: loop.call_soon(box.answer, turn.token, passive(turn)), limit_s=20)
    assert run(at_once) == []


def test_who_fetched_a_decision_and_is_gone_is_waited_for_once(run):
    box = Asked(SECRET, reconnect_s=0.1)

    def fetch(turn, loop):
        if turn.hand == 1 and not again(turn):
            box.fetch(turn)

    found = run(game_of(box, fetch, limit_s=0.1, hands=10, retries=1))
    assert [kind for kind, _ in found] == ["timeout", *["forfeit"] * 10]


def test_who_comes_back_for_the_next_game_has_its_whole_time(run):
    box, left = Asked(SECRET, reconnect_s=30.0), []
    box.away = True

    def come_back(turn, loop):
        left.append(turn.deadline - loop.time())
        if box.present:
            box.answer(turn.token, passive(turn))
            return
        loop.call_later(0.2, box.arrive, connection)
        loop.call_later(0.21, lambda: left.append(turn.deadline - loop.time()))
        loop.call_later(0.22, box.answer, turn.token, passive(turn))

    assert run(game_of(box, come_back, limit_s=0.05)) == []
    assert left[:2] == pytest.approx([30.0, 0.04])  # how long it is awaited, then the time for a decision
