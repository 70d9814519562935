"""More play: as many seed pairs as decide a lead that stays as it is, and no more than it takes."""

from itertools import combinations
from math import isclose

import numpy as np
import pytest

from molt_bench.rating.more_play import more_seed_pairs
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.sequential import Horizon
from molt_bench.rating.verdicts import Judge

TESTS = [Horizon(250.0, 10), Horizon(0.0, 10)]


def played(names, count=20):
    dice = np.random.RandomState(3)
    model = MarginModel(names)
    for at, pair in enumerate(combinations(names, 2)):
        model.add(pair, (100 + (500 + 700 * at) * dice.standard_normal(count)).tolist())
    return model


@pytest.mark.parametrize("test", TESTS)
def test_so_many_bring_the_standard_error_to_what_decides(test):
    model, pair, error = played("abc"), ("a", "b"), 0.05
    more = more_seed_pairs(model, test, pair, error=error)
    parts = {each: weight**2 * model.variance(*each) for each, weight in model.lead_weights(*pair).items() if weight}
    now = sum(size / model.count(*each) for each, size in parts.items())
    then = sum(size / (model.count(*each) + more.get(each, 0.0)) for each, size in parts.items())
    lead = model.lead(*pair)
    assert isclose(then / now, (test.deciding(lead, error) / lead.tested) ** 2, rel_tol=1e-6)
    evenly = sum(model.count(*each) for each in parts) * (now / then - 1)
    assert 0 < sum(more.values()) <= evenly * (1 + 1e-9), "they go where they tell most"


def test_a_lead_that_rests_on_games_nobody_played_takes_nobody_knows_how_many():
    model = MarginModel("abc")
    model.add(("a", "b"), [1.0, 2.0, 3.0])
    assert more_seed_pairs(model, TESTS[0], ("a", "c"), error=0.05) is None


def test_a_lead_that_is_decided_takes_none():
    model = MarginModel("ab")
    model.add(("a", "b"), [1000.0 + at for at in range(40)])
    assert not more_seed_pairs(model, TESTS[0], ("a", "b"), error=0.05)


@pytest.mark.parametrize("test", TESTS)
def test_a_lead_that_is_open_takes_some_however_near_it_is(test):
    """Verdicts go by a wider standard error than that of the margins until these are known not to be skewed."""
    judge, found = Judge(test), set()
    for size in np.linspace(200, 4000, 60):
        model = MarginModel("ab")
        model.add(("a", "b"), (size + 1000 * np.random.RandomState(3).standard_normal(12)).tolist())
        (verdict,) = judge.verdicts(model, [("a", "b")])
        more = more_seed_pairs(model, test, ("a", "b"), error=judge.error)
        assert bool(more) == (verdict.kind == "unresolved")
        found.add(verdict.kind)
    assert found == {"ordered", "unresolved"}
