"""The list of hands reads the notation quickly, and as the rules do."""

from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace

from molt_bench.errors import JournalError
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import CARD_TEXT, RANKS, deal_from_text
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.poker.notation import hand_to_text
from molt_bench.report.chip_flow import chip_flow
from molt_bench.seeds import derive
from molt_bench.view.hand_columns import STARTING_HANDS, hand_columns
from molt_bench.view.hand_texts import HandTexts, called


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
        stake = min(*map(int, stacks.split(",")), called(rules, actions))
        assert 2 * stake == sum(chip_flow(hand).collected), hand_to_text(hand, 1)
        seen.add((stake in hand.starting_stacks, actions.count("/"), "r" in actions))
    assert len(seen) > 6, "all-in or not, on several streets, with and without raises"


def played_hand(seed: int) -> Hand:
    """Play one of many hands with any cards, stacks of one to eight digits, and any actions."""
    number = derive(seed, "any")

    def draw(many: int) -> int:
        nonlocal number
        number, found = divmod(number, many)
        return found

    cards = [*CARD_TEXT]
    deal = deal_from_text("".join([cards.pop(draw(len(cards))) for _ in range(9)]))
    stacks = [2 + draw(10 ** (1 + draw(8))) for _ in range(2)]
    hand = Hand(HandRules(1, 2, 0), deal, (stacks[0], stacks[1]), draw(2))
    while hand.actor != NOBODY:
        legal = hand.legal_actions()
        if legal.max_raise_to and draw(3) == 0:
            hand.apply(Action("raiseTo", legal.min_raise_to + draw(legal.max_raise_to - legal.min_raise_to + 1)))
        elif legal.to_call and draw(4) == 0:
            hand.apply(FOLD)
        else:
            hand.apply(CALL if legal.to_call else CHECK)
    return hand


def test_hands_read_at_once_are_what_each_of_them_is_by_itself():
    hands = [played_hand(seed) for seed in range(300)]
    texts = [
        hand_to_text(hand, at, forced=at % 3 == 0 and hand.log[-1].kind == "fold") for at, hand in enumerate(hands)
    ]
    found = HandTexts(texts)
    for at, (hand, text) in enumerate(zip(hands, texts, strict=True)):
        folded = hand.log[-1].kind == "fold"
        assert (found.folded[at], found.forced[at]) == (folded, folded and at % 3 == 0), text
        assert (found.most[at], found.buttons[at]) == (min(hand.starting_stacks), hand.button), text
        assert found.streets[at] == len({done.street for done in hand.log}) - 1, text
        for hole, place in zip(hand.holes, found.holes, strict=True):
            (one, suit), (two, other) = sorted((CARD_TEXT[card] for card in hole), key=lambda c: -RANKS.index(c[0]))
            assert STARTING_HANDS[place[at]] == one + two + ("" if one == two else "s" if suit == other else "o"), text
    these, those = np.arange(299), np.arange(1, 300)
    actions = [text.split(":")[5] for text in texts]
    assert found.differ(these, those).tolist() == [one != two for one, two in pairwise(actions)]
    assert not found.differ(these, these).any()


@pytest.mark.parametrize(
    "text",
    [
        "1:50/100/0:10000,10000:b0:XxYy|7cQc|:f:-50",
        "1:50/100/0:10000,10000:b0:AhAh|7cQc|:f:-50",
        "1:50/100/0:10000,1o000:b0:AhKh|7cQc|:f:-50",
        "1:50/100/0:10000 10000:b0:AhKh|7cQc|,:f:-50",
        "1:50/100/0:10000,10000:b0:\u00c4hKh|7cQc|:f:-50",
        "1:50/100/0:10000,10000:b0:AhKh|7cQc|:f:-50\n",
        "not a hand",
        "1:::::::",
        "",
    ],
)
def test_a_damaged_hand_is_named_by_its_line(library, bots_id, monkeypatch, text):
    run = library.open(bots_id)
    place, game = next(iter(run.games.items()))
    broken = replace(game.record, hand_texts=(text, *game.record.hand_texts[1:]))
    monkeypatch.setitem(run.games, place, replace(game, record=broken))
    with pytest.raises(JournalError, match="line 2 is damaged: hand 1"):
        hand_columns(run)
