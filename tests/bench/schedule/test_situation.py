"""What a matchmaker knows is computed when it is asked for."""

from molt_bench.bench.schedule.situation import Later


def test_numbers_are_computed_all_at_once_when_one_is_looked_at():
    asked = []
    found = Later(lambda: asked.append(1) or {"a": 1.0, "b": 2.0})
    assert not asked
    assert (found["b"], found["a"], len(found), [*found]) == (2.0, 1.0, 2, ["a", "b"])
    assert asked == [1]
