"""Games for two ranges are solved: theory, brute force, and the same bytes everywhere."""

import hashlib

import numpy as np
import pytest

from molt_bench.poker.actions import CALL, CHECK, Action
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.range_equity import HOLES, edges, hole_cards, hole_number, hole_strengths, holes_with
from molt_bench.solver.betting_tree import BettingTree, Menu
from molt_bench.solver.ranges_game import RangesGame
from molt_bench.solver.showdowns import Showdowns

RIVER = cards_from_text("2c7dTsJhQd")
TURN = cards_from_text("2c7dTsJh")
ANY_CARDS = (((0, 1), (2, 3)), (4, 5, 6, 7, 8))


def hand_on(street: str, *, stack: int = 10_000, button: int = 0) -> Hand:
    """Return a hand with 600 chips in the pot, before the first action of a street."""
    hand = Hand(HandRules(50, 100), ANY_CARDS, (stack, stack), button)
    hand.apply(Action("raiseTo", 300))
    hand.apply(CALL)
    while hand.street != street:
        hand.apply(CHECK)
        hand.apply(CHECK)
    return hand


def even_range(*holes: str) -> np.ndarray:
    """Return a range of these holes alone, all as likely."""
    found = np.zeros(HOLES)
    for hole in holes:
        first, second = cards_from_text(hole)
        found[hole_number((first, second))] = 1.0
    return found


def some_ranges() -> tuple[np.ndarray, np.ndarray]:
    """Return two ranges of all holes, with weights from a fixed pattern of whole numbers."""
    numbers = np.arange(HOLES)
    return (1.0 + numbers * 7919 % 13), (1.0 + numbers * 104729 % 17)


@pytest.mark.parametrize("boards", [[RIVER], [(*TURN, 0), (*TURN, 51), (*TURN, 20)]])
def test_showdowns_are_those_of_all_pairs_of_hands(boards):
    known = set(boards[0]) & set(boards[-1])
    holes = np.flatnonzero(~holes_with()[sorted(known)].any(axis=0))
    strengths = hole_strengths(holes, np.array(boards)).T
    weights = np.arange(2 * strengths.size).reshape(2, *strengths.shape) % 11 * (strengths >= 0)
    cards = hole_cards()[holes]
    free = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    held = Showdowns(holes, np.array(boards), np)
    won, folded = held.won_at_showdown(weights.astype(float)), held.won_by_folds(weights.astype(float))
    for board, strength in enumerate(strengths):
        possible = strength >= 0
        beats = np.sign(strength[:, None] - strength[None, :]) * free
        for point in (0, 1):
            row = weights[point, board]
            np.testing.assert_array_equal(won[point, board][possible], (beats @ row)[possible])
            np.testing.assert_array_equal(folded[point, board][possible], (free @ row)[possible])


def test_a_bet_of_the_pot_is_a_bluff_once_in_three_and_called_half_the_time():
    """The bettor has the nuts or nothing, the caller a hand in between: the textbook's answer."""
    hand = hand_on("river", stack=900)
    tree = BettingTree(hand, Menu(((),)))
    nuts, air = ("AhKh", "AcKc", "AsKs"), ("3c4c", "3h4h", "3d4d", "3s4s", "3c4h", "3c4d")
    game = RangesGame(tree, RIVER, (even_range("TcTh"), even_range(*nuts, *air)))
    game.solve(250)
    found = game.solution()
    bets = found.chances(0)[:, 1]
    assert found.exploitability < 0.001 * 600
    bluffs = sum(bets[hole_number(cards_from_text(each))] for each in air)
    assert [bets[hole_number(cards_from_text(each))] for each in nuts] == pytest.approx([1, 1, 1], abs=0.01)
    assert bluffs == pytest.approx(len(nuts) / 2, abs=0.05)
    facing = tree.points[0].children[1]
    assert found.chances(facing)[hole_number(cards_from_text("TcTh"))] == pytest.approx([0.5, 0.5], abs=0.02)


def test_all_in_on_the_turn_is_worth_its_equity_over_all_rivers():
    hand = hand_on("turn", stack=900)
    hand.apply(Action("raiseTo", 600))
    tree = BettingTree(hand, Menu())
    ranges = some_ranges()
    game = RangesGame(tree, TURN, ranges)
    game.solve(1)
    seat = hand.actor
    values = game.solution().action_values(0, seat)
    for text in ("AhKd", "TcTh", "3c4c"):
        hole = cards_from_text(text)
        likely = ranges[1 - seat] * ~holes_with()[[*hole, *TURN]].any(axis=0)
        expected = 900 * (likely @ edges(hole, TURN)) / likely.sum()
        assert values[hole_number(hole)] == pytest.approx([-300, expected])


def test_the_solution_says_how_far_it_is_from_an_equilibrium():
    tree = BettingTree(hand_on("river"), Menu(((100,),)))
    game = RangesGame(tree, RIVER, some_ranges())
    gains = []
    for rounds in (5, 25, 70):
        game.solve(rounds)
        gains.append(game.solution().exploitability / 600)
    assert gains[0] > gains[1] > gains[2]
    assert gains[2] < 0.02


def test_a_best_response_is_worth_no_less_than_the_strategy_itself():
    tree = BettingTree(hand_on("river"), Menu(((100,),)))
    game = RangesGame(tree, RIVER, some_ranges())
    game.solve(20)
    found = game.solution()
    seat = tree.points[0].seat
    gained = found.action_values(0, seat, best=True) - found.action_values(0, seat)
    assert gained.min() > -1e-9
    assert gained.max() > 0.1


def test_what_was_really_bet_is_in_the_tree():
    hand = hand_on("river")
    tree = BettingTree(hand, Menu(), [Action("raiseTo", 137)])
    assert Action("raiseTo", 137) in tree.points[0].actions
    assert tree.points[tree.current].seat == 1 - tree.points[0].seat
    assert tree.points[tree.current].actions[:2] == (Action("fold"), CALL)


def test_chips_are_neither_made_nor_lost():
    tree = BettingTree(hand_on("river"), Menu())
    game = RangesGame(tree, RIVER, some_ranges())
    game.solve(5)
    found = game.solution()
    ranges = [each[game.holes] / each.max() for each in some_ranges()]
    won = [float(found.values[seat][0, 0] @ ranges[seat]) for seat in (0, 1)]
    assert won[0] == pytest.approx(-won[1])


def test_the_same_bytes_come_out_everywhere():
    tree = BettingTree(hand_on("river"), Menu())
    game = RangesGame(tree, RIVER, some_ranges())
    game.solve(25)
    found = game.solution().chances(0).tobytes()
    assert hashlib.sha256(found).hexdigest() == "13af7713f11ce73d6838f7648f75844ec3fddceba9930d54009342db0dd90510"


@pytest.mark.slow
def test_a_game_from_the_turn_on_is_solved():
    tree = BettingTree(hand_on("turn", stack=900), Menu(((),), later=((),)))
    game = RangesGame(tree, TURN, some_ranges())
    game.solve(60)
    assert game.solution().exploitability < 0.01 * 600


def test_an_all_in_on_the_flop_is_followed_by_two_cards():
    tree = BettingTree(hand_on("flop", stack=700), Menu(((),), later=((),)))
    root = tree.points[0]
    facing = tree.points[root.children[1]]
    called = tree.points[facing.children[1]]
    assert (called.kind, called.street) == ("card", "flop")
    second = tree.points[called.children[0]]
    assert (second.kind, second.street) == ("card", "turn")
    end = tree.points[second.children[0]]
    assert (end.kind, end.street, end.stake) == ("showdown", "river", 700)


def test_all_in_on_later_streets_can_be_left_out_where_it_is_many_pots():
    hand = hand_on("turn", stack=20_000)
    deep = BettingTree(hand, Menu(((75,),), later=((75,),), later_all_in=400))
    on_river = [each for each in deep.points if each.kind == "decision" and each.street == "river"]
    assert max(action.amount for each in on_river for action in each.actions) < 19_700
    assert all(len(each.actions) > 1 for each in on_river if each.actions[0] == CHECK)


@pytest.mark.slow
def test_a_game_from_the_flop_on_goes_over_all_turns_and_rivers():
    """What a call of an all-in is worth is the chance to win against the range, counted in another way."""
    flop, hand = cards_from_text("2c7dTs"), hand_on("flop", stack=700)
    tree = BettingTree(hand, Menu(((),), later=((),)))
    game = RangesGame(tree, flop, some_ranges())
    game.solve(1)
    found = game.solution()
    facing = tree.points[0].children[1]
    caller, bettor = tree.points[facing].seat, tree.points[0].seat
    bets = some_ranges()[bettor] * found.chances(0)[:, 1]
    for hole in ("AhKh", "7h7s", "3c4c"):
        first, second = cards_from_text(hole)
        edge = edges((first, second), flop)
        possible = ~holes_with()[[*flop, first, second]].any(axis=0)
        expected = 700 * (edge * bets)[possible].sum() / bets[possible].sum()
        own = hole_number((first, second))
        assert found.action_values(facing, caller)[own, 1] == pytest.approx(expected, rel=1e-9)
    for seat in (0, 1):
        assert found.reaches[seat][0].sum() > 0
    whole = [float((found.values[seat][0] * found.reaches[seat][0]).sum()) for seat in (0, 1)]
    assert whole[0] == pytest.approx(-whole[1], abs=1e-6 * abs(whole[0]))
