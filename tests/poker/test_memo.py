"""Results that are computed many at once: each is computed once, and only so many are kept."""

from molt_bench.poker.memo import Memo


def test_each_is_computed_once_and_together_with_the_others():
    asked = []
    squares = Memo(lambda keys: asked.append(list(keys)) or [key * key for key in keys], 10)
    squares.prepare([3, 4, 3])
    assert [squares.of(key) for key in (3, 4, 5)] == [9, 16, 25]
    squares.prepare([4, 5])
    assert asked == [[3, 4], [5]]


def test_when_there_are_too_many_the_oldest_go():
    asked = []
    same = Memo(lambda keys: asked.extend(keys) or list(keys), 4)
    for key in range(6):
        same.of(key)
    asked.clear()
    assert [same.of(key) for key in (5, 4, 0)] == [5, 4, 0]
    assert asked == [0]
