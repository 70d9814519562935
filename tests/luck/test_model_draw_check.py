"""The test of draws: it hardly ever refuses an honest model, and soon refuses one that draws otherwise than it says."""

import pytest

from molt_bench.luck.dice.model_draw_check import LEVEL, DrawTest
from molt_bench.poker.actions import KINDS
from tests.agents.llm.drawing import pick, tempered, unit


def odds_at(run, number):
    """Return the odds of one decision: a third of them nearly certain, as models are."""
    fold, raised = unit("fold", run, number) * 0.4, unit("raise", run, number) * 0.5
    if number % 3 == 0:
        fold, raised = 0.01 * fold, 0.01 * raised
    return {"fold": fold, "call" if number % 2 else "check": 1 - fold - raised, "raiseTo": raised}


def refused_in(run, decisions, draws=lambda odds: odds):
    """Return whether a run is refused at any time, and the test."""
    test = DrawTest(KINDS)
    for number in range(decisions):
        odds = odds_at(run, number)
        test.add(odds, pick(draws(odds), unit("draw", run, number)))
        if test.fails:
            return True, test
    return False, test


def test_an_honest_model_passes():
    assert not any(refused_in(run, 200)[0] for run in range(30))


@pytest.mark.slow
def test_an_honest_model_passes_in_999_of_1000_runs():
    refused = sum(refused_in(run, 300)[0] for run in range(1000))
    assert refused <= 1


def top_p(odds, share):
    """Leave out the least likely actions beyond this share."""
    kept, mass = {}, 0.0
    for kind in sorted(odds, key=odds.get, reverse=True):
        if mass < share:
            kept[kind] = odds[kind]
        mass += odds[kind]
    whole = sum(kept.values())
    return {kind: chance / whole for kind, chance in kept.items()}


def greedy(odds):
    return {max(odds, key=odds.get): 1.0}


@pytest.mark.parametrize(
    ("draws", "decisions"),
    [
        (greedy, 150),
        (lambda odds: tempered(odds, 0.5), 500),
        (lambda odds: tempered(odds, 0.7), 3000),
        (lambda odds: tempered(odds, 1.5), 1500),
        (lambda odds: {kind: 1 / len(odds) for kind in odds}, 150),
        (lambda odds: {**odds, "fold": 0.0}, 300),
        (lambda odds: top_p(odds, 0.9), 1500),
        (lambda odds: top_p(odds, 0.95), 4000),
    ],
    ids=[
        "greedy",
        "temperature 0.5",
        "temperature 0.7",
        "temperature 1.5",
        "uniform",
        "never folds",
        "top-p 0.9",
        "top-p 0.95",
    ],
)
def test_a_model_that_draws_otherwise_is_refused(draws, decisions):
    found = [refused_in(run, decisions, draws) for run in range(2)]
    assert all(refused for refused, _ in found)


def test_the_reason_names_what_was_drawn_too_often():
    _, test = refused_in("reason", 2000, lambda odds: {"raiseTo": 1.0})
    assert test.worst().startswith("raiseTo was drawn ")
    assert " expected" in test.worst()


def test_what_has_no_chance_must_not_be_drawn():
    test = DrawTest(KINDS)
    test.add({"fold": 1.0}, "call")
    assert test.fails


def test_the_mean_of_the_capital_stays_what_it_was():
    """One decision, every outcome, weighted by its chance: exactly 1."""
    from math import exp

    odds = {"fold": 0.2, "call": 0.5, "raiseTo": 0.3}
    capital = 0.0
    for kind, chance in odds.items():
        test = DrawTest(KINDS)
        test.add(odds, kind)
        capital += chance * exp(test.evidence)
    assert capital == pytest.approx(1, abs=1e-12)
    assert LEVEL == 1e-4
