"""What a matchmaker knows is computed when it is asked for."""

import pytest

from molt_bench.bench.schedule.situation import Lookup


def test_a_lookup_computes_what_is_asked_for_and_once():
    asked = []
    found = Lookup(["a", "b"], lambda name: asked.append(name) or 2.0)
    assert (found["b"], found["b"], len(found), [*found]) == (2.0, 2.0, 2, ["a", "b"])
    assert asked == ["b"]
    with pytest.raises(KeyError):
        found["c"]
