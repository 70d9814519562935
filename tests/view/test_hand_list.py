"""The list of hands reads the notation quickly, and as the rules do."""

import pytest
from msgspec.structs import replace

from molt_bench.errors import JournalError
from molt_bench.poker.actions import CALL, CHECK, Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.poker.notation import hand_to_text
from molt_bench.report.exports.chip_flow import chip_flow
from molt_bench.seeds import derive
from molt_bench.view.hand_list import _called, hand_columns


def split_hand(seed: int) -> Hand:
    """Play one of many hands to a showdown at which both hold the straight of the board."""
    number = derive(seed, "split")

    def draw(many: int) -> int:
        nonlocal number
        number, found = divmod(number, many)
        return found

    rules = HandRules(1 + draw(3), 4 + draw(5), draw(4))
    hand = Hand(rules, deal_from_text("2h3d2s3cAhKdQsJcTh"), (5 + draw(60), 5 + draw(60)), draw(2))
    while hand.actor != NOBODY:
        legal = hand.legal_actions()
        if legal.max_raise_to and draw(3) == 0:
            hand.apply(Action("raiseTo", legal.min_raise_to + draw(legal.max_raise_to - legal.min_raise_to + 1)))
        else:
            hand.apply(CALL if legal.to_call else CHECK)
    return hand


def test_what_was_put_in_before_a_split_is_what_the_rules_say():
    seen = set()
    for seed in range(400):
        hand = split_hand(seed)
        _, rules, stacks, _, _, actions, net = hand_to_text(hand, 1).split(":")
        assert net == "0"
        stake = min(*map(int, stacks.split(",")), _called(rules, actions))
        assert 2 * stake == chip_flow(hand).pot, hand_to_text(hand, 1)
        seen.add((stake in hand.starting_stacks, actions.count("/"), "r" in actions))
    assert len(seen) > 6, "all-in or not, on several streets, with and without raises"


@pytest.mark.parametrize("text", ["1:50/100/0:10000,10000:b0:XxYy|7cQc|:f:-50", "not a hand", "1:::::::"])
def test_a_damaged_hand_is_named_by_its_line(library, bots_id, monkeypatch, text):
    run = library.open(bots_id)
    place, game = next(iter(run.games.items()))
    broken = replace(game.record, hand_texts=(text, *game.record.hand_texts[1:]))
    monkeypatch.setitem(run.games, place, replace(game, record=broken))
    with pytest.raises(JournalError, match="line 2 is damaged: hand 1"):
        hand_columns(run)
