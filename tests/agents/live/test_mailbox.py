"""A mailbox takes the first legal answer of a decision, whatever else arrives, and keeps the time."""

import asyncio
import threading

import pytest

from molt_bench.agents.live import attendance
from molt_bench.agents.live.agent import LiveAgent
from molt_bench.agents.live.mailbox import Mailbox
from molt_bench.agents.live.mailbox_events import Asked, Closed, GameOver, HandOver, Sat
from molt_bench.agents.live.turn_tokens import turn_token
from molt_bench.agents.scripted import CallStationAgent
from molt_bench.errors import AgentFailed
from molt_bench.play.play_games import play_game, play_game_async
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.specs import GameLabel
from tests.clock import JumpingLoop

SECRET = b"s" * 32
LABEL = GameLabel(1, 7, "AB")


def passive(turn):
    """Return a call or a check, whichever is legal."""
    return CALL if turn.observation.to_call else CHECK


def played(on_turn, *, hands=3, limit_s=20.0, **options):
    """Play a game in which `on_turn(mailbox, event)` runs in another thread at every event; return record and box."""
    mailbox = Mailbox(SECRET, **options.pop("mailbox", {}))
    mailbox.arrive()

    threads = []

    def listen(event):
        threads.append(threading.Thread(target=on_turn, args=(mailbox, event)))
        threads[-1].start()

    mailbox.listen(listen)
    agent = LiveAgent("live", mailbox, game=LABEL, action_timeout_s=limit_s)
    record = play_game((agent, CallStationAgent()), seed=7, hands=hands, **options)
    for thread in threads:
        thread.join(20)
    return record, mailbox


def test_answers_from_another_thread_play_a_game():
    record, mailbox = played(
        lambda box, event: isinstance(event, Asked) and box.answer(event.turn.token, passive(event.turn))
    )
    again = play_game((CallStationAgent(name="live"), CallStationAgent()), seed=7, hands=3)
    assert record.hand_texts == again.hand_texts
    assert record.faults == ()
    assert mailbox.decisions > 0


def test_a_repeat_is_acknowledged_and_another_action_is_not_taken():
    verdicts = []

    def answer(box, event):
        if isinstance(event, Asked):
            verdicts.append(box.answer(event.turn.token, passive(event.turn)))
            verdicts.append(box.answer(event.turn.token, passive(event.turn)))
            verdicts.append(box.answer(event.turn.token, FOLD))

    record, _ = played(answer, hands=1)
    assert {*verdicts[0::3]} == {"taken"}
    assert {*verdicts[1::3]} == {"repeated"}
    assert {*verdicts[2::3]} == {"stale"}
    assert (
        record.hand_texts == play_game((CallStationAgent(name="live"), CallStationAgent()), seed=7, hands=1).hand_texts
    )


def test_an_illegal_action_counts_once_and_leaves_the_decision_open():
    verdicts = []

    def answer(box, event):
        if isinstance(event, Asked):
            if not event.again:
                verdicts.append(box.answer(event.turn.token, Action("raiseTo", 10**9)))
            else:
                verdicts.append(box.answer(event.turn.token, passive(event.turn)))

    record, mailbox = played(answer, hands=1, max_retries=1)
    assert {*verdicts} == {"illegal", "taken"}
    assert {fault.kind for fault in record.faults} == {"illegal"}
    assert len(record.faults) == mailbox.decisions
    assert not any(fault.forced_fold for fault in record.faults)


def test_a_decision_asked_again_has_the_same_token_and_seq():
    asked = []

    def answer(box, event):
        if isinstance(event, Asked):
            asked.append(event)
            box.answer(event.turn.token, passive(event.turn) if event.again else Action("raiseTo", 1))

    played(answer, hands=1, max_retries=1)
    first, second = asked[:2]
    assert (first.again, second.again) == (False, True)
    assert (first.turn.token, first.turn.seq) == (second.turn.token, second.turn.seq)


def test_an_answer_after_a_forced_fold_is_never_taken():
    verdicts = []

    def answer(box, event):
        if isinstance(event, Asked):
            box.answer(event.turn.token, Action("raiseTo", 1))
        if isinstance(event, HandOver):
            verdicts.append(box.answer(tokens[-1], CALL))

    tokens = []

    def listening(box, event):
        if isinstance(event, Asked):
            tokens.append(event.turn.token)
        answer(box, event)

    record, mailbox = played(listening, hands=1, max_retries=0)
    assert [fault.forced_fold for fault in record.faults] == [True]
    assert mailbox.decisions == 0
    assert verdicts == ["stale"]


def test_an_unreadable_answer_is_a_fault_of_its_class():
    def answer(box, event):
        if isinstance(event, Asked):
            wrong = AgentFailed("unparsable", "amount is missing")
            box.answer(event.turn.token, passive(event.turn) if event.again else wrong)

    record, _ = played(answer, hands=1, max_retries=1)
    assert {(fault.kind, fault.message) for fault in record.faults} == {("unparsable", "amount is missing")}


def test_a_connected_agent_that_does_not_answer_is_late():
    record, _ = played(lambda _box, _event: None, hands=1, limit_s=0.05, max_retries=0)
    assert [(fault.kind, fault.message) for fault in record.faults] == [("timeout", "no answer within 0.05 s")]


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs a coroutine by a clock that jumps, which mailboxes read as well."""
    loop = JumpingLoop()
    monkeypatch.setattr(attendance, "monotonic", loop.time)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        yield runner.run


async def game_of(mailbox, on_turn, *, limit_s, hands=1, **options):
    """Play a game in which `on_turn(turn, loop)` is called at every decision; return its record."""
    loop = asyncio.get_running_loop()

    def hear(event):
        if isinstance(event, Asked):
            on_turn(event.turn, loop)

    mailbox.listen(hear)
    agent = LiveAgent("live", mailbox, game=LABEL, action_timeout_s=limit_s)
    try:
        return await play_game_async((agent, CallStationAgent()), seed=7, hands=hands, max_retries=0, **options)
    finally:
        mailbox.ignore(hear)


def test_an_agent_that_lost_its_connection_may_be_late_by_its_extra_time(run):
    mailbox = Mailbox(SECRET, reconnect_s=30.0)

    def come_back(turn, loop):
        loop.call_later(0.3, mailbox.answer, turn.token, passive(turn))

    assert run(game_of(mailbox, come_back, limit_s=0.05)).faults == ()


def returning(limit_s, reconnect_s, *, back_s, think_s):
    """Play with an agent that is away, comes back and thinks before it answers; return the record."""
    mailbox = Mailbox(SECRET, reconnect_s=reconnect_s)

    def come_back(turn, loop):
        away_s = 0.0 if mailbox.present else back_s
        if away_s:
            loop.call_later(away_s, mailbox.arrive)
        loop.call_later(away_s + think_s, mailbox.answer, turn.token, passive(turn))

    return game_of(mailbox, come_back, limit_s=limit_s)


def test_an_agent_that_comes_back_has_time_to_answer(run):
    assert run(returning(1.0, 60.0, back_s=1.2, think_s=0.9)).faults == ()


def test_the_extra_time_of_a_game_is_used_up(run):
    record = run(returning(0.3, 0.4, back_s=0.5, think_s=5.0))
    assert [fault.kind for fault in record.faults] == ["timeout"]


def test_a_decision_whose_time_is_up_is_off_the_table():
    mailbox = Mailbox(SECRET)
    mailbox.arrive()
    agent = LiveAgent("live", mailbox, game=LABEL, action_timeout_s=0.05)
    record = play_game((agent, CallStationAgent()), seed=7, hands=5, max_retries=0)
    assert "given up" in record.faults[-1].message
    assert mailbox.snapshot().turn is None


def test_an_agent_that_is_not_connected_at_all_forfeits():
    mailbox = Mailbox(SECRET, reconnect_s=0.05)
    agent = LiveAgent("live", mailbox, game=LABEL, action_timeout_s=0.05)
    record = play_game((agent, CallStationAgent()), seed=7, hands=1, max_retries=2)
    assert [(fault.kind, fault.attempt, fault.forced_fold) for fault in record.faults] == [("forfeit", 1, True)]


def test_everything_that_happens_is_told_in_order():
    events = []

    def answer(box, event):
        if isinstance(event, Asked):
            box.answer(event.turn.token, passive(event.turn))

    mailbox = Mailbox(SECRET)
    mailbox.arrive()
    mailbox.listen(events.append)
    mailbox.listen(lambda event: threading.Thread(target=answer, args=(mailbox, event)).start())
    for _ in range(2):
        agent = LiveAgent("live", mailbox, game=LABEL, action_timeout_s=20)
        play_game((agent, CallStationAgent()), seed=7, hands=2)
    mailbox.close("over")
    assert events[0] == Sat(0, 1)
    assert events[-1] == Closed("over")
    assert [event.game for event in events if isinstance(event, GameOver)] == [1, 2]
    assert [event.hand for event in events if isinstance(event, HandOver)] == [1, 2, 3, 4]
    numbers = [
        event.turn.seq if isinstance(event, Asked) else event.seq
        for event in events
        if isinstance(event, Asked | HandOver)
    ]
    assert numbers == sorted({*numbers})
    assert mailbox.answer("any", CALL) == "closed"


def test_tokens_differ_by_game_hand_decision_and_secret():
    places = [(LABEL, 1, 0), (LABEL, 1, 1), (LABEL, 2, 0), (GameLabel(1, 7, "BA"), 1, 0), (GameLabel(2, 7, "AB"), 1, 0)]
    tokens = {turn_token(secret, *place) for place in places for secret in (SECRET, b"t" * 32)}
    assert len(tokens) == 2 * len(places)


@pytest.mark.parametrize("token", ["", "x", "ü", "\ud800", "0" * 32])
def test_a_wrong_token_is_stale(token):
    verdicts = []

    def answer(box, event):
        if isinstance(event, Asked):
            verdicts.append(box.answer(token, FOLD))
            box.answer(event.turn.token, passive(event.turn))

    record, _ = played(answer, hands=1)
    assert {*verdicts} == {"stale"}
    assert record.faults == ()


class Seen(CallStationAgent):
    """Keeps the decisions that it saw."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def act(self, observation):
        self.seen.append(observation)
        return super().act(observation)


async def asked_once(mailbox, on_turn):
    """Ask for a decision that nobody is there for, with `on_turn(turn, loop)` on the way; return the answer."""
    agent = Seen()
    await play_game_async((agent, CallStationAgent()), seed=7, hands=1)
    loop = asyncio.get_running_loop()

    def hear(event):
        on_turn(event.turn, loop)

    mailbox.listen(hear)
    try:
        return await mailbox.ask(agent.seen[0], turn_token(SECRET, LABEL, 1, 0), 0.05)
    finally:
        mailbox.ignore(hear)


def test_who_comes_back_late_has_the_rest_of_the_extra_time_to_answer(run):
    mailbox = Mailbox(SECRET, reconnect_s=120.0)
    mailbox.sit(0)

    def come_back(turn, loop):
        loop.call_later(0.2, mailbox.arrive)
        loop.call_later(119.0, mailbox.answer, turn.token, passive(turn))

    assert run(asked_once(mailbox, come_back)) in (CALL, CHECK)


def test_extra_time_lasts_for_all_decisions_of_a_game_and_not_for_each(run):
    mailbox = Mailbox(SECRET, reconnect_s=120.0)
    mailbox.sit(0)
    had = []

    def answer_late(turn, loop):
        asked = loop.time()
        loop.call_later(0.4, lambda: had.append(mailbox.snapshot().turn.deadline - asked))
        loop.call_later(0.5, mailbox.answer, turn.token, passive(turn))

    run(asked_once(mailbox, answer_late))
    run(asked_once(mailbox, answer_late))
    assert had == pytest.approx([0.05 + 120.0, 120.0 - 0.45]), "from the second on, the agent is known to be away"


def test_an_agent_that_stays_away_forfeits_game_after_game_until_nobody_waits_for_it(run):
    mailbox, said = Mailbox(SECRET, reconnect_s=1.0), []
    mailbox.on_away = lambda: said.append((mailbox.away_since is not None, mailbox.forfeits))

    async def games():
        took, loop = [], asyncio.get_running_loop()
        for number in (1, 2, 3, 4):
            agent = LiveAgent("live", mailbox, game=GameLabel(number, 7, "AB"), action_timeout_s=0.2)
            begun = loop.time()
            record = await play_game_async((agent, CallStationAgent()), seed=7, hands=20, max_retries=2)
            took.append(loop.time() - begun)
            faults = [(fault.kind, fault.hand_number) for fault in record.faults]
            assert faults == [("forfeit", at) for at in range(1, 21)]
        return took

    # Its time and what it may be late; the latter alone, since it is known to be away; then nobody waits any more.
    assert run(games()) == pytest.approx([1.2, 1.0, 1.0, 0.0])
    assert said == [(True, 0), (True, 1), (True, 2), (True, 3), (True, 4)]
    mailbox.arrive()
    assert said[-1] == (False, 4)
    record = run(
        game_of(mailbox, lambda turn, loop: loop.call_soon(mailbox.answer, turn.token, passive(turn)), limit_s=20)
    )
    assert record.faults == ()


def test_who_fetched_a_decision_and_is_gone_is_waited_for_once():
    mailbox = Mailbox(SECRET, reconnect_s=0.1)

    def fetch(event):
        if isinstance(event, Asked) and not event.again and event.turn.hand == 1:
            mailbox.pick_up(event.turn)

    mailbox.listen(fetch)
    agent = LiveAgent("live", mailbox, game=LABEL, action_timeout_s=0.1)
    record = play_game((agent, CallStationAgent()), seed=7, hands=10, max_retries=1)
    assert [fault.kind for fault in record.faults] == ["timeout", *["forfeit"] * 10]


def test_who_comes_back_for_the_next_game_has_its_whole_time(run):
    mailbox = Mailbox(SECRET, reconnect_s=30.0)
    mailbox._set_away(away=True)
    mailbox.sit(0)
    left = []

    def come_back(turn, loop):
        left.append(turn.deadline - loop.time())

        def arrive():
            mailbox.arrive()
            left.append(mailbox.snapshot().turn.deadline - loop.time())
            mailbox.answer(turn.token, passive(turn))

        loop.call_later(0.2, arrive)

    assert run(asked_once(mailbox, come_back)) in (CALL, CHECK)
    assert left == pytest.approx([30.0, 0.05])  # how long it is awaited, then the time for a decision
