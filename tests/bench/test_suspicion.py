"""Suspicion: results without luck that the chips do not bear out are noticed, and laid to whom they are due."""

from itertools import combinations

import numpy as np
import pytest

from molt_bench.bench.stop_rules import Progress, adjacent_confidence, adjacent_margins
from molt_bench.bench.suspicion import Suspicion
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.sequential import Horizon
from molt_bench.rating.student import Estimate
from molt_bench.rating.verdicts import Judge, Verdict

HANDS, STACK = 100, 100.0


def watched(names, differences, pairs=None):
    """Return a suspicion that has seen raw results above those without luck by so much, in mbb a hand."""
    found = Suspicion(names, pairs or combinations(names, 2), hands=HANDS, stack=STACK)
    for pair, values in differences.items():
        for end in range(10, len(values) + 1, 10):
            found.add(pair, [*values[:end]], [0.0] * end, "fitted")
    return found


def noise(seed, count=40, mean=0.0):
    """Return differences as bots have them: 1,000 mbb a hand in a seed pair of 100 hands."""
    return (np.random.default_rng(seed).normal(mean, 1000, count)).tolist()


def test_nobody_is_suspected_where_chips_and_results_agree():
    found = watched("abc", {pair: noise(at) for at, pair in enumerate(combinations("abc", 2))})
    assert found.findings().suspects == found.findings().doubted == ()


def test_few_large_losses_beside_many_small_gains_are_honest():
    """The mean is 0, but most samples have none of the losses: a normal test would find z far above 5."""
    values = [10.0] * 300
    found = watched("ab", {("a", "b"): values})
    assert found.findings().suspects == ()
    assert found.findings().pairs["a", "b"].evidence < 2


def test_both_are_named_where_two_play_each_other_alone():
    found = watched("ab", {("a", "b"): noise(1, mean=4000)}).findings()
    assert found.suspects == ("a", "b")
    assert found.undecided == (("a", "b"),)


def test_it_takes_a_run_as_long_as_runs_are_to_name_somebody():
    found = Suspicion("ab", [("a", "b")], hands=HANDS, stack=STACK)
    values = noise(1, mean=2000)
    named = next(at for at in range(40) if found.add(("a", "b"), values[:at], [0.0] * at, "fitted"))
    assert 5 < named < 40


@pytest.mark.parametrize("mean", [4000, -4000])
def test_the_one_whose_other_games_are_odd_as_well_is_to_blame(mean):
    differences = {("a", "b"): noise(1, mean=mean), ("a", "c"): noise(2, mean=mean), ("b", "c"): noise(3)}
    found = watched("abc", differences).findings()
    assert found.suspects == ("a",)
    assert found.doubted == ()


def test_the_second_of_a_pairing_can_be_to_blame():
    differences = {("a", "b"): noise(1), ("a", "c"): noise(2, mean=4000), ("b", "c"): noise(3, mean=4000)}
    assert watched("abc", differences).findings().suspects == ("c",)


def test_a_reference_is_cleared_by_its_other_games():
    pairs = [("r", name) for name in "abcd"]
    differences = {pair: noise(at, mean=-4000 if pair[1] == "b" else 0) for at, pair in enumerate(pairs)}
    assert watched("rabcd", differences, pairs=pairs).findings().suspects == ("b",)


def test_blame_is_taken_back_when_other_games_clear_somebody():
    found = watched("abc", {("a", "b"): noise(1, mean=4000)})
    assert found.suspects == ("a", "b")
    for pair, mean in ((("a", "c"), 4000), (("b", "c"), 0)):
        values = noise(5, mean=mean)
        found.add(pair, values, [0.0] * 40, "fitted")
    assert found.suspects == ("a",)


def test_small_differences_in_every_pairing_add_up():
    names = "abcdefgh"
    differences = {
        pair: noise(at, mean=1000 if pair[0] == "a" else 0) for at, pair in enumerate(combinations(names, 2))
    }
    assert watched(names, differences).findings().suspects == ("a",)


def test_a_difference_that_is_not_likely_leaves_the_order_open():
    found = watched("ab", {("a", "b"): noise(1, 30, mean=1500)})
    assert found.findings().suspects == ()
    assert found.doubted() == found.findings().doubted == ("a", "b")
    model = MarginModel("ab")
    model.add(("a", "b"), [1000.0, 1010.0] * 20)
    judge = Judge(Horizon(250.0, 10))
    assert [each.kind for each in judge.neighbours(model)] == ["ordered"]
    assert [each.kind for each in judge.neighbours(model, doubted=found.doubted())] == ["unresolved"]


def test_another_estimator_is_looked_at_from_the_start():
    found = Suspicion("ab", [("a", "b")], hands=HANDS, stack=STACK)
    values = noise(1, mean=4000)
    assert found.add(("a", "b"), values, values, "raw") == ()
    assert found.add(("a", "b"), values, [0.0] * 40, "fitted") == ("a", "b")
    assert found.findings().participants["a"].seed_pairs == 40


def progress(*, unranked):
    lead = Estimate(0.0, 10.0, 9.0)
    verdicts = [Verdict("a", "b", lead, 0.5, "tied"), Verdict("b", "c", lead, 0.5, "tied")]
    shares = (0.99, 0.98)
    return Progress(9, 9, 9, 1.0, ("a", "b", "c"), shares, verdicts=tuple(verdicts), unranked=unranked)


@pytest.mark.parametrize("rule", [adjacent_margins(0.95, 250.0), adjacent_confidence(0.95)])
def test_nothing_is_said_about_pairs_without_a_rank(rule):
    assert "every adjacent pair is" in rule(progress(unranked=()))
    assert "every adjacent pair of those that have a rank is" in rule(progress(unranked=("c",)))
    assert rule(progress(unranked=("b",))).startswith("no two neighbours in the ranking can be compared")


@pytest.mark.parametrize("count", [2, 3, 8])
def test_few_seed_pairs_in_each_of_many_pairings_raise_no_alarm(count):
    """The z of two seed pairs is often in the hundreds, and so was that of a participant who met many like that."""
    names = [f"bot {at}" for at in range(40)]
    rng = np.random.default_rng(count)
    found = Suspicion(names, combinations(names, 2), hands=HANDS, stack=STACK)
    for pair in combinations(names, 2):
        found.add(pair, rng.normal(0, 1000, count).tolist(), [0.0] * count, "fitted")
    findings = found.findings()
    assert findings.suspects == findings.doubted == ()
    assert max(abs(each.z) for each in findings.participants.values()) < 4


def test_few_seed_pairs_in_each_of_many_pairings_still_tell_of_a_large_difference():
    names = [f"bot {at}" for at in range(40)]
    rng = np.random.default_rng(1)
    found = Suspicion(names, combinations(names, 2), hands=HANDS, stack=STACK)
    for pair in combinations(names, 2):
        mean = 1500 if names[0] in pair else 0
        found.add(pair, rng.normal(mean, 1000, 2).tolist(), [0.0] * 2, "fitted")
    assert names[0] in {*found.suspects, *found.doubted()}


def rare_jams(dice, count):
    """Return honest differences as by rare all-ins: one seed pair in 15 loses a stack, the others win a little."""
    return 1000 * (1 / 15 - (dice.random(count) < 1 / 15)) + 30 * dice.standard_normal(count)


@pytest.mark.parametrize("kind", ["normal", "rare all-ins"])
def test_honest_runs_are_hardly_ever_held_back(kind):
    """Over whole runs, with a look after every match."""
    names, held = "abcd", 0
    pairs = list(combinations(names, 2))
    for run in range(60):
        dice = np.random.default_rng(run)
        values = {
            pair: (dice.normal(0, 1000, 60) if kind == "normal" else rare_jams(dice, 60)).tolist() for pair in pairs
        }
        found, ever = Suspicion(names, pairs, hands=HANDS, stack=STACK), False
        for end in range(10, 61, 10):
            for pair in pairs:
                found.add(pair, values[pair][:end], [0.0] * end, "fitted")
            ever |= bool(found.doubted())
        held += ever
    assert held == 0


def test_a_difference_that_is_not_likely_at_any_look_is_doubted():
    found = watched("abc", {("a", "b"): noise(1, 20, mean=1500), ("a", "c"): noise(2, 20, mean=1500)}).findings()
    assert found.suspects == ()
    assert "a" in found.doubted
