"""The estimators against hands that were worked out with pencil and paper."""

import pytest

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.luck.cards import deals_of, hand_terms
from molt_bench.luck.estimators import Estimates, game_estimates, margins_of
from molt_bench.luck.weights import DEALS, DEPTHS, bucket_of, luck_version
from molt_bench.play.match import play_match
from molt_bench.play.play_games import play_game
from molt_bench.poker.notation import hand_from_text
from molt_bench.records import ESTIMATORS

PINNED = "3:1aa040002bb3f8d6a9d7d7d02cc138aab6ab23e61c254f17ab5c8ad5368d0f2e"
#: Every weight 1, so that the sums are easily done by hand.
ONES = ((1.0,) * 6,) * 4
#: Aces against kings before the flop: 1,388,072 wins and 6,538 splits of 1,712,304 run-outs (published).
E0 = (1_388_072 + 6_538 / 2) / 1_712_304
#: On 2c3d9h, of 990 run-outs: two kings 1, a king and neither king nor ace 2 * 41 = 82; kings win those 83.
E_FLOP = (990 - 83) / 990
#: On the turn, 8s, the two kings of 44 cards win.
E_TURN = 42 / 44


def hand_of(line):
    return hand_from_text(line).hand


def terms(line, weights=ONES):
    return hand_terms(hand_of(line), weights)


def other_side(line):
    """Write the hand with both seats exchanged."""
    number, blinds, stacks, button, cards, actions, net = line.split(":")
    first, second, board = cards.split("|")
    stacks = ",".join(reversed(stacks.split(",")))
    swapped = f"{second}|{first}|{board}"
    return ":".join((number, blinds, stacks, f"b{1 - int(button[1])}", swapped, actions, str(-int(net))))


FOLD = "1:50/100/0:10000,10000:b0:AhAd|KsKc|:f:-50"
ALL_IN_PREFLOP = "1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h8sKh:r10000c:-10000"
ALL_IN_FLOP = "1:50/100/0:10000,1000:b0:AhAd|KsKc|2c3d9h8sKh:r300c/kr5000c:-1000"
ALL_IN_TURN = "1:50/100/0:10000,1000:b0:AhAd|KsKc|2c3d9h8sKh:r300c/kk/kr5000c:-1000"
CHECKED_DOWN = "1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h8sKh:ck/kk/kk/kk:-100"
ALL_IN_RIVER = "1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h8sKh:ck/kk/kk/r9900c:-10000"
SPLIT = "1:50/100/0:10000,10000:b0:AhKh|AdKd|2c7s9cJsQs:r10000c:0"
ANTES = "1:50/100/10:10000,10000:b0:AhAd|KsKc|:f:-60"
SHORT_ANTE = "1:50/100/10:10000,5:b0:AhAd|KsKc|2c3d9h8sKh::-5"
CALLED_BLIND = "1:50/100/0:10000,80:b0:AhAd|KsKc|2c3d9h8sKh:c:-80"
SHORT_BLIND = "1:50/100/0:10000,40:b0:AhAd|KsKc|2c3d9h8sKh::-40"

#: What was dealt before the holes: a pot of 150 in blinds, in which aces are worth E0 instead of 1/2.
HOLES = 150 * (E0 - 0.5)
WORKED_OUT = [
    # The small blind is gone, and no run-out is there to replace.
    (FOLD, -50, -50, -50 - HOLES),
    # 10,000 chips each with nothing left to decide: (2e - 1) * 10,000. The board is no luck of its own any more.
    (ALL_IN_PREFLOP, -10_000, (2 * E0 - 1) * 10_000, (2 * E0 - 1) * 10_000 - HOLES),
    # Seat 1 has 1,000 in all, so 4,300 of the 5,000 come back: (2e - 1) * 1,000 with e that of the flop, which fell
    # into a pot of 600.
    (ALL_IN_FLOP, -1000, (2 * E_FLOP - 1) * 1000, (2 * E_FLOP - 1) * 1000 - HOLES - 600 * (E_FLOP - E0)),
    # The same a street later; flop and turn fell into a pot of 600, so the flop's equity cancels out.
    (ALL_IN_TURN, -1000, (2 * E_TURN - 1) * 1000, (2 * E_TURN - 1) * 1000 - HOLES - 600 * (E_TURN - E0)),
    # No all-in: the river counts as it fell. Three times a pot of 200, from E0 to 0 in all.
    (CHECKED_DOWN, -100, -100, -100 - HOLES - 200 * (0 - E0)),
    # All-in on the river: nothing is to come, so it is as it was.
    (ALL_IN_RIVER, -10_000, -10_000, -10_000 - HOLES - 200 * (0 - E0)),
    # Equal cards in other suits have the same chance of a flush: half the pot, no luck before the flop.
    (SPLIT, 0, 0, 0),
    # Blind and ante are gone; the pot of blinds and antes is 50 + 100 + 2 * 10.
    (ANTES, -60, -60, -60 - 170 * (E0 - 0.5)),
    # Five chips do not pay the ante of 10, and are all that is at stake: a pot of 2 * 5.
    (SHORT_ANTE, -5, (2 * E0 - 1) * 5, (2 * E0 - 1) * 5 - 10 * (E0 - 0.5)),
    # A big blind of 80 is all-in, and called: a pot of 150, as 2 * 80 is more.
    (CALLED_BLIND, -80, (2 * E0 - 1) * 80, (2 * E0 - 1) * 80 - HOLES),
    # A big blind of 40 is all-in, and the small blind has matched it already: a pot of 2 * 40.
    (SHORT_BLIND, -40, (2 * E0 - 1) * 40, (2 * E0 - 1) * 40 - 80 * (E0 - 0.5)),
]


@pytest.mark.parametrize(("line", "raw", "all_in", "adjusted"), WORKED_OUT)
def test_a_hand_is_worth_what_was_worked_out(line, raw, all_in, adjusted):
    won = terms(line)
    assert hand_of(line).payoffs[0] == raw
    assert won.all_in == pytest.approx(all_in, abs=1e-9)
    assert won.adjusted == pytest.approx(adjusted, abs=1e-9)


@pytest.mark.parametrize("line", [line for line, *_ in WORKED_OUT])
def test_what_one_seat_wins_the_other_loses(line):
    won, lost = terms(line), terms(other_side(line))
    assert won.all_in == pytest.approx(-lost.all_in, abs=1e-9)
    assert won.adjusted == pytest.approx(-lost.adjusted, abs=1e-9)


def test_the_turn_of_fortune_is_taken_out_of_a_split_that_a_flush_won():
    """AhKh wins 10,000 from AdKd with four hearts; before the flop both had half of the pot."""
    won = terms("1:50/100/0:10000,10000:b0:AhKh|AdKd|2h7h9hJsQs:r10000c:10000")
    assert (won.all_in, won.adjusted) == (0, 0)


def test_a_card_is_weighed_by_its_street_and_by_the_stacks_behind_the_pot():
    """Flop: 9,700 behind a pot of 600, deep. Turn: 8,500 behind 3,000, middle. River: 2,500 behind 15,000, shallow."""
    line = "1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h8sKh:r300c/r1200c/r6000c/kk:-7500"
    weights = ((0, 0, 1, 0, 0, 0), (0, 0, 0, 0, 0, 10), (0, 0, 0, 0, 100, 0), (0, 0, 0, 1000, 0, 0))
    won = terms(line, weights)
    luck = HOLES + 10 * 600 * (E_FLOP - E0) + 100 * 3000 * (E_TURN - E_FLOP) + 1000 * 15_000 * (0 - E_TURN)
    assert won.adjusted == pytest.approx(-7500 - luck)


def test_a_card_is_weighed_by_whether_there_was_a_raise_on_the_street_before():
    hand = hand_of("1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h8sKh:ck/r300c/kk/kk:-400")
    assert [deal.raised for deal in deals_of(hand, hand_terms(hand).equities)] == [False, False, True, False]


def test_only_cards_before_the_last_decision_count_as_luck():
    dealt = {
        line: [deal.dealt for deal in deals_of(hand_of(line), terms(line).equities)] for line in (ALL_IN_FLOP, FOLD)
    }
    assert dealt == {ALL_IN_FLOP: [0, 1], FOLD: [0]}


def game(*, seating="AB", **options):
    players = BUILTIN_AGENTS["random"](name="one"), BUILTIN_AGENTS["maniac"](name="two")
    return play_game(players, seed="a game", hands=40, seating=seating, **options)


@pytest.mark.parametrize("seating", ["AB", "BA"])
@pytest.mark.parametrize("options", [{}, {"warmup_hands": 7}, {"stacks": "carry"}, {"ante": 25, "stack": 600}])
def test_a_game_is_the_sum_of_player_as_hands_that_count(seating, options):
    record = game(seating=seating, **options)
    won = game_estimates(record)
    sign = 1 if seating == "AB" else -1
    hands = [hand_terms(hand) for number, hand, _ in record.replay() if number > record.spec.warmup_hands]
    assert won.raw == record.net[0]
    assert won.without_cards == pytest.approx(sign * sum(one.adjusted for one in hands))


class Broken:
    name = "broken"

    def act(self, observation):
        raise RuntimeError("no")


def test_a_game_in_which_both_failed_is_a_draw_by_every_estimator():
    record = play_game((Broken(), Broken()), seed=1, hands=5)
    assert record.both_failed
    assert record.hand_nets[0]
    assert game_estimates(record) == Estimates(0, 0.0, 0.0)


def test_a_forced_fold_counts_as_played():
    record = play_game((Broken(), BUILTIN_AGENTS["callstation"]()), seed=1, hands=6)
    assert game_estimates(record).raw == record.net[0] == -3 * 50 - 3 * 100


def test_the_luck_of_the_holes_cancels_out_in_both_seatings():
    weights = ((9.0,) * 6, (0.0,) * 6, (0.0,) * 6, (0.0,) * 6)
    cards = []
    for seating, sign in (("AB", 1), ("BA", -1)):
        cards.append(sign * sum(hand_terms(hand, weights).cards for _, hand, _ in game(seating=seating).replay()))
    assert cards[0] != pytest.approx(0)
    assert sum(cards) == pytest.approx(0, abs=1e-6)


def test_a_margin_is_per_hand_of_the_spec_and_rounded_to_a_millionth_of_a_big_blind():
    players = BUILTIN_AGENTS["tag"](name="one"), BUILTIN_AGENTS["maniac"](name="two")
    result = play_match(tuple(lambda each=each: each for each in players), seeds=["a", "b"], hands=7)
    found = margins_of(result, big_blind=100)
    assert found.keys() == {*ESTIMATORS}
    for at, seed in enumerate(result.seed_results):
        assert found["raw"][at] == round(1000 * seed.net / 100 / 14, 3)
        won = sum(game_estimates(each).adjusted for each in seed.games)
        assert found["adjusted"][at] == pytest.approx(1000 * won / 100 / 14, abs=6e-4)
        assert found["adjusted"][at] == round(found["adjusted"][at], 3)


class TestWeights:
    """They are what was fitted, and every run can tell."""

    def test_they_are_frozen(self):
        """A change of theirs is a new version: raise it, and pin the new hash."""
        assert luck_version() == PINNED

    def test_every_street_and_bucket_has_one(self):
        assert [len(row) for row in DEALS] == [2 * (len(DEPTHS) + 1)] * 4

    @pytest.mark.parametrize(("behind", "bucket"), [(0, 0), (99, 0), (100, 1), (799, 1), (800, 2), (10**6, 2)])
    def test_a_bucket_begins_at_its_depth(self, behind, bucket):
        assert bucket_of(behind, 100) == bucket
