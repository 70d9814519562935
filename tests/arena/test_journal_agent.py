"""An agent of the record answers as its player did, with all faults, so that a game is checked without its code."""

from dataclasses import dataclass

import msgspec
import pytest

from molt_bench import Action, AgentFailed
from molt_bench.agents.kinds import make_agent
from molt_bench.arena.journal_agent import AgentOfRecord
from molt_bench.errors import NotRecorded
from molt_bench.play.play_games import drive, play_game
from molt_bench.seeds import derive


@dataclass
class Flaky:
    """Fails in every way and at every moment, as often as `share` says."""

    name: str
    share: float

    def __post_init__(self):
        self.count = 0

    def fails(self):
        self.count += 1
        return derive(self.name, "fails", self.count) % 1000 < 1000 * self.share

    def reset(self):
        if self.fails():
            raise RuntimeError("reset: not now")

    def act(self, observation):
        kind = derive(self.name, "kind", self.count) % 5
        if self.fails():
            if kind == 0:
                return "nonsense"
            if kind == 1:
                return Action("raiseTo", 1)
            if kind == 2:
                raise AgentFailed("timeout", "too late")
            raise ValueError("x" * 900)
        if kind == 0 and observation.max_raise_to:
            return Action("raiseTo", observation.min_raise_to)
        return Action("call") if observation.to_call else Action("check")

    def on_hand_complete(self, result):
        if self.fails():
            raise RuntimeError

    def on_error(self, message):
        if self.fails():
            raise RuntimeError("on_hand_complete: this is another hook")


def again(record, *names):
    """Play a game again with agents of the record in place of some players."""
    players = [
        AgentOfRecord(name, record, player) if name in names else make_agent(name)
        for player, name in enumerate(record.players)
    ]
    return drive(record.spec, tuple(players))


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("seating", ["AB", "BA"])
@pytest.mark.parametrize("stacks", ["reset", "carry"])
def test_every_fault_of_both_players_is_repeated(share, seating, stacks):
    for seed in range(5):
        players = (Flaky("one", share), Flaky("two", share / 2))
        record = play_game(players, seed=seed, hands=20, seating=seating, stacks=stacks, max_retries=2, warmup_hands=2)
        assert bool(record.faults) == bool(share)
        assert again(record, "one", "two") == record


def test_against_a_built_in_bot_that_plays_again():
    record = play_game((Flaky("one", 0.3), make_agent("random")), seed="s", hands=50)
    assert again(record, "one") == record


def changed(record, at, old, new):
    texts = list(record.hand_texts)
    assert old in texts[at]
    texts[at] = texts[at].replace(old, new, 1)
    return msgspec.structs.replace(record, hand_texts=tuple(texts))


def test_cards_and_chips_that_were_changed_are_noticed():
    record = play_game((Flaky("one", 0.0), make_agent("random")), seed="s", hands=5)
    text = record.hand_texts[2]
    cards = text.split(":")[4][:4]
    other = changed(record, 2, cards, cards[2:] + cards[:2])
    assert again(other, "one") != other


def test_a_record_that_ends_too_soon_is_noticed():
    record = play_game((Flaky("one", 0.0), make_agent("callstation")), seed="s", hands=5)
    with pytest.raises(NotRecorded, match="differs from hand 4 on"):
        again(changed(record, 3, record.hand_texts[3].split(":")[5], ""), "one")


def test_a_forced_fold_without_its_faults_is_noticed_and_so_is_a_fault_that_nobody_made():
    record = play_game((Flaky("one", 0.8), make_agent("random")), seed="s", hands=20)
    at = next(at for at, fault in enumerate(record.faults) if fault.forced_fold)
    with pytest.raises(NotRecorded):
        again(msgspec.structs.replace(record, faults=record.faults[:at] + record.faults[at + 1 :]), "one")
    late = msgspec.structs.replace(record.faults[0], hand_number=99)
    more = msgspec.structs.replace(record, faults=(*record.faults, late))
    assert again(more, "one") != more
