"""A mailbox takes the first legal answer of a decision, whatever else arrives, and keeps the time."""

import asyncio
import threading

import pytest

from molt_bench.agents.scripted import CallStationAgent
from molt_bench.errors import AgentFailed
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


class Asked:
    """Listens to a mailbox, and calls `on_turn(box, turn)` for every decision, asked again or not."""

    def __init__(self, box, on_turn):
        self.box, self.on_turn, self.number = box, on_turn, 0
        box.listen(self)

    def __call__(self):
        turn = self.box.turn
        if turn is not None and turn.asked != self.number:
            self.number = turn.asked
            self.on_turn(self.box, turn)


def played(on_turn, *, hands=3, limit_s=20.0, **options):
    """Play a game in which `on_turn(box, turn)` runs in another thread at every decision; return record and box."""
    box = Mailbox(SECRET)
    box.arrive()
    threads = []

    def start(*turn):
        threads.append(threading.Thread(target=on_turn, args=turn))
        threads[-1].start()

    Asked(box, start)
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


def test_an_illegal_action_counts_once_and_leaves_the_decision_open_under_its_token_and_seq():
    asked, verdicts = [], []

    def answer(box, turn):
        asked.append((turn.token, turn.seq))
        verdicts.append(box.answer(turn.token, passive(turn) if again(turn) else TOO_MUCH))

    record, _ = played(answer, hands=1, max_retries=1)
    assert {*verdicts} == {"illegal", "taken"}
    assert asked[::2] == asked[1::2]
    assert [fault.kind for fault in record.faults] == ["illegal"] * (len(asked) // 2)
    assert not any(fault.forced_fold for fault in record.faults)


def test_an_answer_after_a_forced_fold_is_never_taken():
    tokens = []

    def answer(box, turn):
        tokens.append(turn.token)
        box.answer(turn.token, TOO_MUCH)

    record, box = played(answer, hands=1, max_retries=0)
    assert [fault.forced_fold for fault in record.faults] == [True]
    assert box.answer(tokens[-1], CALL) == "stale"


def test_an_unreadable_answer_is_a_fault_of_its_class():
    wrong = AgentFailed("unparsable", "amount is missing")
    record, _ = played(
        lambda box, turn: box.answer(turn.token, passive(turn) if again(turn) else wrong), hands=1, max_retries=1
    )
    assert {(fault.kind, fault.message) for fault in record.faults} == {("unparsable", "amount is missing")}


def test_a_connected_agent_that_does_not_answer_is_late_and_its_decision_is_off_the_table():
    record, box = played(lambda _box, _turn: None, hands=5, limit_s=0.05, max_retries=0)
    assert (record.faults[0].kind, record.faults[0].message) == ("timeout", "no answer within 0.05 s")
    assert "given up" in record.faults[-1].message
    assert box.turn is None


def test_numbers_grow_over_games_and_the_end_is_told():
    told, seen = [], []
    box = Mailbox(SECRET)
    box.arrive()
    box.listen(lambda: told.append((box.seat, box.closed)))

    def answer(box, turn):
        seen.append((turn.game, turn.hand, turn.seq))
        threading.Thread(target=box.answer, args=(turn.token, passive(turn))).start()

    Asked(box, answer)
    for _ in range(2):
        agent = LiveAgent("live", box, game=LABEL, action_timeout_s=20)
        play_game((agent, CallStationAgent()), seed=7, hands=2)
    results = [(each.hand, each.seq) for each in box.results()]
    box.close("over")
    assert {(game, hand) for game, hand, _ in seen} == {(1, 1), (1, 2), (2, 3), (2, 4)}
    assert [hand for hand, _ in results] == [1, 2, 3, 4]
    numbers = [seq for *_, seq in seen]
    assert numbers == sorted({*numbers})
    assert not {*numbers} & {seq for _, seq in results}
    assert (told[0], told[-1]) == ((0, None), (None, "over"))
    assert box.answer("any", CALL) == "closed"


def test_tokens_differ_by_game_hand_decision_and_secret():
    places = [(LABEL, 1, 0), (LABEL, 1, 1), (LABEL, 2, 0), (GameLabel(1, 7, "BA"), 1, 0), (GameLabel(2, 7, "AB"), 1, 0)]
    tokens = {turn_token(secret, *place) for place in places for secret in (SECRET, b"t" * 32)}
    assert len(tokens) == 2 * len(places)


@pytest.mark.parametrize("token", ["", "x", "ü", "\ud800", "0" * 32])
def test_a_wrong_token_is_stale(token):
    verdicts = []

    def answer(box, turn):
        verdicts.append(box.answer(token, FOLD))
        box.answer(turn.token, passive(turn))

    record, _ = played(answer, hands=1)
    assert {*verdicts} == {"stale"}
    assert record.faults == ()


# Who is away: by a clock that jumps.


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs a coroutine by a clock that jumps, which mailboxes read as well."""
    loop = JumpingLoop()
    monkeypatch.setattr(mailbox, "monotonic", loop.time)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        yield runner.run


async def game_of(box, on_turn, *, limit_s, hands=1, number=1, retries=0):
    """Play a game in which `on_turn(turn, loop)` is called at every decision; return its record."""
    loop = asyncio.get_running_loop()
    hear = Asked(box, lambda _, turn: on_turn(turn, loop))
    agent = LiveAgent("live", box, game=GameLabel(number, 7, "AB"), action_timeout_s=limit_s)
    try:
        return await play_game_async((agent, CallStationAgent()), seed=7, hands=hands, max_retries=retries)
    finally:
        box.ignore(hear)


def nothing(turn, loop):
    pass


def test_a_repeat_is_acknowledged_and_another_action_is_not_taken(run):
    box, verdicts = Mailbox(SECRET), []
    box.arrive()

    def answer(turn, loop):
        verdicts.append([box.answer(turn.token, action) for action in (passive(turn), passive(turn), FOLD)])

    record = run(game_of(box, answer, limit_s=20))
    assert verdicts
    assert all(each == ["taken", "repeated", "stale"] for each in verdicts)
    here = play_game((CallStationAgent(name="live"), CallStationAgent()), seed=7, hands=1)
    assert record.hand_texts == here.hand_texts


def kinds(record):
    return [fault.kind for fault in record.faults]


def test_an_agent_that_is_not_connected_at_all_forfeits(run):
    record = run(game_of(Mailbox(SECRET, reconnect_s=0.05), nothing, limit_s=0.05, retries=2))
    assert [(fault.kind, fault.attempt, fault.forced_fold) for fault in record.faults] == [("forfeit", 1, True)]


def test_an_agent_that_lost_its_connection_may_be_late_by_its_extra_time(run):
    box = Mailbox(SECRET, reconnect_s=30.0)
    answered = game_of(
        box, lambda turn, loop: loop.call_later(0.3, box.answer, turn.token, passive(turn)), limit_s=0.05
    )
    assert run(answered).faults == ()


@pytest.mark.parametrize(
    ("limit_s", "reconnect_s", "back_s", "think_s", "faults"),
    [(1.0, 60.0, 1.2, 0.9, []), (0.3, 0.4, 0.5, 5.0, ["timeout"]), (0.05, 120.0, 0.2, 118.8, [])],
    ids=["has time to answer", "has used up its extra time", "has the rest of it"],
)
def test_an_agent_that_comes_back(run, limit_s, reconnect_s, back_s, think_s, faults):
    box = Mailbox(SECRET, reconnect_s=reconnect_s)

    def come_back(turn, loop):
        away_s = 0.0 if box.present else back_s
        if away_s:
            loop.call_later(away_s, box.arrive)
        loop.call_later(away_s + (think_s if away_s or faults else 0.0), box.answer, turn.token, passive(turn))

    assert kinds(run(game_of(box, come_back, limit_s=limit_s))) == faults


def test_extra_time_lasts_for_all_decisions_of_a_game_and_not_for_each(run):
    box, had = Mailbox(SECRET, reconnect_s=120.0), []

    def answer_late(turn, loop):
        asked = loop.time()
        loop.call_later(0.4, lambda: had.append(turn.deadline - asked))
        loop.call_later(0.5, box.answer, turn.token, passive(turn))

    assert run(game_of(box, answer_late, limit_s=0.05)).faults == ()
    # From the second decision on, the agent is known to be away.
    assert had[:2] == pytest.approx([0.05 + 120.0, 120.0 - 0.45])


def test_an_agent_that_stays_away_forfeits_game_after_game_until_nobody_waits_for_it(run):
    box, said = Mailbox(SECRET, reconnect_s=1.0), []
    box.on_away = lambda: said.append((box.away_since is not None, box.forfeits))

    async def games():
        took, loop = [], asyncio.get_running_loop()
        for number in (1, 2, 3, 4):
            begun = loop.time()
            record = await game_of(box, nothing, limit_s=0.2, hands=20, number=number, retries=2)
            took.append(loop.time() - begun)
            faults = [(fault.kind, fault.hand_number) for fault in record.faults]
            assert faults == [("forfeit", at) for at in range(1, 21)]
        return took

    # Its time and what it may be late; the latter alone, since it is known to be away; then nobody waits any more.
    assert run(games()) == pytest.approx([1.2, 1.0, 1.0, 0.0])
    assert said == [(True, 0), (True, 1), (True, 2), (True, 3), (True, 4)]
    box.arrive()
    assert said[-1] == (False, 4)
    at_once = game_of(box, lambda turn, loop: loop.call_soon(box.answer, turn.token, passive(turn)), limit_s=20)
    assert run(at_once).faults == ()


def test_who_fetched_a_decision_and_is_gone_is_waited_for_once(run):
    box = Mailbox(SECRET, reconnect_s=0.1)

    def fetch(turn, loop):
        if turn.hand == 1 and not again(turn):
            box.hand_out(turn, stays=False)

    assert kinds(run(game_of(box, fetch, limit_s=0.1, hands=10, retries=1))) == ["timeout", *["forfeit"] * 10]


def test_who_comes_back_for_the_next_game_has_its_whole_time(run):
    box, left = Mailbox(SECRET, reconnect_s=30.0), []
    box._set_away(away=True)

    def come_back(turn, loop):
        if box.present:
            loop.call_soon(box.answer, turn.token, passive(turn))
            return
        left.append(turn.deadline - loop.time())

        def arrive():
            box.arrive()
            left.append(turn.deadline - loop.time())
            box.answer(turn.token, passive(turn))

        loop.call_later(0.2, arrive)

    assert run(game_of(box, come_back, limit_s=0.05)).faults == ()
    assert left == pytest.approx([30.0, 0.05])  # how long it is awaited, then the time for a decision
