"""Results that are computed many at once: each is computed once, and only so many are kept."""

from molt_bench.luck.cards.batches import Batches
from molt_bench.luck.cards.strength import forget_strengths, hand_strengths, prepare_strengths
from molt_bench.poker.deck import Shoe


def test_each_is_computed_once_and_together_with_the_others():
    asked = []
    squares = Batches(lambda keys: asked.append(list(keys)) or [key * key for key in keys], 10)
    squares.prepare([3, 4, 3])
    assert [squares.of(key) for key in (3, 4, 5)] == [9, 16, 25]
    squares.prepare([4, 5])
    assert asked == [[3, 4], [5]]


def test_when_there_are_too_many_the_oldest_go():
    asked = []
    same = Batches(lambda keys: asked.extend(keys) or list(keys), 4)
    for key in range(6):
        same.of(key)
    asked.clear()
    assert [same.of(key) for key in (5, 4, 0)] == [5, 4, 0]
    assert asked == [0]


def test_strengths_computed_together_are_those_computed_alone():
    shoe = Shoe("together")
    hands = [(holes, board[:size]) for number in range(9) for holes, board in [shoe.deal(number)] for size in (3, 4, 5)]
    forget_strengths()
    alone = [hand_strengths(*each) for each in hands]
    forget_strengths()
    prepare_strengths(hands)
    assert [hand_strengths(*each) for each in hands] == alone
