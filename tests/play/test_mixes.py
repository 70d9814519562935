"""Mixes in games: the bench writes them down, draws from them with its own dice, and plays what was drawn."""

import asyncio
from collections import Counter

import msgspec
import pytest

from molt_bench import Action, Mix, RaiseRange, play_game
from molt_bench.arena.journal_agent import AgentOfRecord
from molt_bench.play.dice import Dice
from molt_bench.play.play_games import drive, play_game_async
from molt_bench.poker.mix import mixes_from_text
from molt_bench.specs import GameSpec
from tests.play.agents import Caller
from tests.poker.test_mix import REFUSED

CALL, FOLD = Action("call"), Action("fold")


class Mixer(Caller):
    """Mixes everything that is legal."""

    def act(self, observation):
        self.seen.append(observation)
        passive = Action("call") if observation.to_call else Action("check")
        entries = [(Action("fold"), 1), (passive, 8)]
        if observation.max_raise_to:
            entries.append((RaiseRange(observation.min_raise_to, observation.max_raise_to), 1))
        return Mix(entries)


class AsyncMixer(Mixer):
    async def act(self, observation):
        return super().act(observation)


class Stubborn(Caller):
    """Gives the answers in turn, then calls."""

    def __init__(self, *answers):
        super().__init__("stubborn")
        self.answers = [*answers]

    def act(self, observation):
        self.seen.append(observation)
        return self.answers.pop(0)() if self.answers else super().act(observation)


def test_what_was_played_was_drawn_from_the_mix_on_record():
    record = play_game((Mixer("m"), Caller()), seed="s", hands=200)
    assert record.unreadable() is None
    stated = 0
    for line, parsed in zip(record.mixes, record.replay(), strict=True):
        for at, mix in mixes_from_text(line).items():
            done = parsed.hand.log[at]
            assert done.seat == 0
            assert mix.has(done.kind, done.amount)
            stated += 1
        assert all(at in mixes_from_text(line) for at, done in enumerate(parsed.hand.log) if done.seat == 0)
    assert stated > 400


def test_a_game_without_mixes_has_no_lines_of_them():
    assert play_game((Caller(), Caller()), seed="s", hands=3).mixes == ()


def test_a_hand_without_a_mix_has_an_empty_line():
    class Once(Caller):
        def act(self, observation):
            action = super().act(observation)
            return Mix([(action, 1)]) if observation.hand_number == 2 and not observation.board else action

    record = play_game((Once(), Caller()), seed="s", hands=4, warmup_hands=1)
    assert [bool(line) for line in record.mixes] == [False, True, False, False, False]


def test_an_agent_learns_what_was_drawn_from_the_log():
    mixer = Mixer("m")
    record = play_game((mixer, Caller()), seed="s", hands=50)
    drawn = [parsed.hand.log for parsed in record.replay()]
    assert all(drawn[seen.hand_number - 1][: len(seen.log)] == seen.log for seen in mixer.seen)
    assert [result.log for result in mixer.results] == drawn


def test_drivers_draw_alike():
    plain = play_game((Mixer("a"), Mixer("b")), seed="s", hands=50)
    assert asyncio.run(play_game_async((AsyncMixer("a"), AsyncMixer("b")), seed="s", hands=50)) == plain
    assert play_game((AsyncMixer("a"), Mixer("b")), seed="s", hands=50) == plain


def test_a_mix_of_one_action_is_that_action():
    class Certain(Caller):
        def act(self, observation):
            return Mix([(super().act(observation), 3)])

    record = play_game((Certain(), Certain()), seed="s", hands=20)
    assert record.hand_texts == play_game((Caller(), Caller()), seed="s", hands=20).hand_texts


def test_the_weights_are_the_odds():
    class Third(Caller):
        def act(self, observation):
            return Mix([(Action("fold"), 1), (super().act(observation), 2)])

    record = play_game((Third(), Caller()), seed="s", hands=9000)
    first = Counter(parsed.hand.log[0 if parsed.hand.button == 0 else 1].kind for parsed in record.replay())
    assert 2850 < first["fold"] < 3150  # 3.4 standard errors


def test_two_copies_do_not_mirror_each_other():
    """With the seats swapped, the same agent in the same seat draws something else."""
    one, two = (
        play_game((Mixer("copy 1"), Mixer("copy 2")), seed="s", hands=30, seating=seating) for seating in ("AB", "BA")
    )
    assert one.hand_texts != two.hand_texts
    assert one.net[0] != -two.net[0]


def test_a_draw_depends_on_each_label_alone():
    base = Dice(GameSpec(seed="s", hands=1))
    assert base.throw(0, 1, 0) == Dice(GameSpec(seed="s", hands=9)).throw(0, 1, 0)
    others = [
        Dice(GameSpec(seed="t", hands=1)).throw(0, 1, 0),
        Dice(GameSpec(seed="s", hands=1, players=("C", "B"))).throw(0, 1, 0),
        Dice(GameSpec(seed="s", hands=1, seating="BA")).throw(0, 1, 0),
        *(base.throw(*place) for place in ((1, 1, 0), (0, 2, 0), (0, 1, 1), (0, 1, 4), (0, 1, 5))),
    ]
    assert len({base.throw(0, 1, 0), *others}) == 9


def test_a_name_that_no_file_can_hold_has_dice():
    record = play_game((Mixer("\ud800"), Mixer("\udfff")), seed="s", hands=2)
    assert len(record.mixes) == 2


@pytest.mark.parametrize(("entries", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_is_no_mix_is_one_illegal_answer_each(entries, words):
    record = play_game((Stubborn(lambda: Mix(entries)), Caller()), seed="s", hands=1)
    assert [(fault.kind, fault.attempt, words in fault.message) for fault in record.faults] == [("illegal", 1, True)]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (Action("check"), "it has check; legal: fold, call (50), raiseTo 200..10000"),
        (Action("raiseTo", 199), "it has raiseTo 199; legal"),
        (RaiseRange(150, 400), "it has raiseTo 150..400; legal"),
        (RaiseRange(400, 10_001), "it has raiseTo 400..10001; legal"),
    ],
)
def test_a_mix_with_an_illegal_entry_is_refused_whole(entry, said):
    """Nothing is drawn from it, whatever its weight: it is a fault at every attempt, and then a forced fold."""
    answer = Mix([(CALL, 1_000_000), (entry, 1)])
    agent = Stubborn(*[lambda: answer] * 3)
    record = play_game((agent, Caller()), seed="s", hands=1)
    assert [(fault.kind, fault.attempt, fault.forced_fold) for fault in record.faults] == [
        *(("illegal", 1, False), ("illegal", 2, False), ("illegal", 3, True)),
    ]
    assert all(said in fault.message for fault in record.faults)
    assert said in agent.seen[1].previous_error
    assert record.mixes == ()
    assert record.hand_texts[0].endswith(":F:-50")


def test_a_mix_may_make_good_a_fault():
    record = play_game((Stubborn(lambda: "no", lambda: Mix([(CALL, 1), (FOLD, 1)])), Caller()), seed="s", hands=1)
    assert [fault.kind for fault in record.faults] == ["unreadable"]
    assert record.mixes == ("0:1c,1f",)


def test_a_record_with_other_mixes_is_found_out():
    record = play_game((Mixer("m"), Mixer("n")), seed="s", hands=3)
    replace = msgspec.structs.replace
    with pytest.raises(ValueError, match="the mixes of a game"):
        replace(record, mixes=record.mixes[:2])
    not_played = replace(record, mixes=("0:1r9999", *record.mixes[1:]))
    assert "action 1 was not drawn from 1r9999" in not_played.unreadable()
    assert "not the mixes" in replace(record, mixes=("nonsense", *record.mixes[1:])).unreadable()
    assert "action 301 was not drawn" in replace(record, mixes=("300:1f", *record.mixes[1:])).unreadable()


def test_whoever_replays_a_record_draws_again():
    """A record of other weights does not come out as it was."""
    record = play_game((Mixer("m"), Caller("c")), seed="s", hands=40)

    def again(known):
        return drive(known.spec, (AgentOfRecord("m", known, 0), AgentOfRecord("c", known, 1)))

    assert again(record) == record
    more_folds = msgspec.structs.replace(record, mixes=tuple(line.replace(":1f,8", ":8f,1") for line in record.mixes))
    assert more_folds.unreadable() is None
    assert again(more_folds).hand_texts != record.hand_texts
