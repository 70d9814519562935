"""Weights that are fitted to earlier matches: they leave the mean alone, look at nothing later, and remove luck."""

from functools import cache
from math import sqrt
from statistics import fmean, stdev, variance

import pytest
from msgspec import UNSET

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.bench.match_margins import MatchMargins
from molt_bench.bench.model_draws import Draws
from molt_bench.luck.fitting import Fit, solved
from molt_bench.play.match import match_result, play_match, seed_pair_specs
from molt_bench.play.play_games import drive

MODES = {
    "reset": {"stack": 3000},
    "carry": {"stack": 2000, "stacks": "carry", "ante": 10},
    "warm-up and caps": {"stack": 1500, "warmup_hands": 1, "raise_cap": 2, "max_actions": 9},
}


def makers(pair):
    return tuple(lambda kind=kind, at=at: BUILTIN_AGENTS[kind](seed=at) for at, kind in enumerate(pair))


@cache
def match(pair, mode, label, seeds=5, hands=4):
    names = [f"{label} {number}" for number in range(seeds)]
    return play_match(makers(pair), seeds=names, hands=hands, **MODES[mode])


def margins_in_order(matches):
    """Return the margins of matches, one after the other, as a run computes them."""
    policies = {kind: made.policy for kind in ("random", "maniac") for made in [BUILTIN_AGENTS[kind](seed=0)]}
    book = MatchMargins(policies, Draws({}), big_blind=100)
    return [book.of(number, pair, result, {}) for number, (pair, result) in enumerate(matches, start=1)]


def run(mode, count, *, label="fit", pair=("random", "maniac")):
    return [(pair, match(pair, mode, f"{label} {number}")) for number in range(count)]


@cache
def margins_of_run(mode):
    return margins_in_order(run(mode, 20))


def standard_errors(values):
    return fmean(values) / (stdev(values) / sqrt(len(values)))


@pytest.mark.parametrize("mode", MODES)
def test_fitted_margins_have_the_mean_of_the_raw_ones(mode):
    found = margins_of_run(mode)
    rows = [(fitted, raw) for each in found for fitted, raw in zip(each["fitted"], each["raw"], strict=True)]
    assert abs(standard_errors([fitted - raw for fitted, raw in rows])) < 4


def test_a_match_is_corrected_by_the_matches_before_it_alone():
    matches = run("reset", 4)
    found = margins_in_order(matches)
    others = margins_in_order([*matches[:3], *run("reset", 1, label="other")])
    assert found[:3] == others[:3]
    assert found[0]["fitted"] == found[0]["correctedSolid"], "nothing is known before the first match"
    assert found[1]["fitted"] != found[1]["correctedSolid"]
    later = margins_in_order([*run("reset", 1, label="other"), matches[1]])
    assert later[1]["fitted"] != found[1]["fitted"], "what was learned is used"
    assert later[1]["correctedSolid"] == found[1]["correctedSolid"]


ALL_IN_OR_CALL = ("shover", "tag")


@cache
def margins_without_dice(mode):
    return margins_in_order(run(mode, 30, pair=ALL_IN_OR_CALL))


@pytest.mark.parametrize("mode", MODES)
def test_without_known_dice_what_hole_cards_are_worth_is_fitted(mode):
    found = margins_without_dice(mode)
    assert found[0]["fitted"] == found[0]["adjustedSolid"], "nothing is known before the first match"
    values = {
        name: [value for each in found[6:] for value in each[name]] for name in ("fitted", "adjustedSolid", "raw")
    }
    assert variance(values["fitted"]) < 0.9 * variance(values["adjustedSolid"])
    away = [fitted - raw for fitted, raw in zip(values["fitted"], values["raw"], strict=True)]
    assert abs(standard_errors(away)) < 4


def test_hole_cards_are_fitted_to_each_pairing_by_itself():
    other = ("callstation", "tag")
    matches = [*run("reset", 6, pair=ALL_IN_OR_CALL), *run("reset", 1, pair=other)]
    found = margins_in_order(matches)
    assert found[5]["fitted"] != found[5]["adjustedSolid"]
    assert found[6]["fitted"] == found[6]["adjustedSolid"]


def test_games_with_decks_of_their_own_are_learned_from_one_by_one():
    """As those of an agent that may remember: hands with the same number have nothing in common."""
    found = []

    class Noted(Fit):
        def learn(self, pair, games):
            found.append([len(seatings) for seatings in games])

    for decks in ((UNSET, UNSET), ("one", "two")):
        specs = seed_pair_specs(ALL_IN_OR_CALL, seed="seed", hands=3, options=MODES["reset"], deck_seeds=decks)
        games = [drive(spec, tuple(make() for make in makers(ALL_IN_OR_CALL))) for spec in specs]
        book = MatchMargins({}, Draws({}), big_blind=100)
        book._fit = Noted()
        book.of(1, ALL_IN_OR_CALL, match_result(games), {})
    assert found == [[2], [1, 1]]


def test_fitting_removes_luck_that_the_frozen_weights_leave_in():
    found = margins_of_run("reset")[6:]
    spread = {
        name: variance([value for each in found for value in each[name]]) for name in ("fitted", "correctedSolid")
    }
    assert spread["fitted"] < 0.9 * spread["correctedSolid"]


def test_the_equations_are_solved():
    triangle, wanted = [4.0, 1.0, 3.0, 0.5, -1.0, 5.0], [1.0, -2.0, 3.0]
    one, two, three = solved(triangle, wanted, 0.5)
    assert 4.5 * one + two + 0.5 * three == pytest.approx(1)
    assert one + 3.5 * two - three == pytest.approx(-2)
    assert 0.5 * one - two + 5.5 * three == pytest.approx(3)
