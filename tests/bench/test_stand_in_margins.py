"""Margins of matches with models whose odds are known: looked ahead by stand-ins that earlier matches have taught."""

from functools import cache
from math import sqrt
from statistics import fmean, stdev, variance

import pytest

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.bench.match_margins import MatchMargins
from molt_bench.bench.model_draws import Draws
from molt_bench.luck.dice.stated_policy import StatedPolicy
from molt_bench.luck.stand_ins import learned
from molt_bench.luck.stand_ins.match_luck import RunStandIns
from molt_bench.play.match import match_result
from molt_bench.play.play_games import play_game
from tests.luck.stand_ins.players import Stater

MODELS = ("bold", "meek")
BOLDNESS = {"bold": 1.4, "meek": 0.6, "mute": 1.0}


class KnownDraws(Draws):
    """The strategies of models, as the exchanges of a run would give them."""

    def __init__(self, strategies):
        super().__init__({})
        self._known = strategies

    def usable(self, pair):
        """Return those who state."""
        return tuple(name for name in pair if name in MODELS)

    def of_match(self, match, names, games):
        """Return what was stated."""
        return {
            name: {game: StatedDraws(self._known[name, match, game.seed, game.seating]) for game in games}
            for name in names
        }


def player(name):
    return Stater(name, BOLDNESS[name]) if name in BOLDNESS else BUILTIN_AGENTS[name](seed=1)


@cache
def match(pair, number, seeds=3, hands=8, label=""):
    """Play a match; return it, and what was stated in it."""
    stated, games = {}, []
    for at in range(seeds):
        for seating in ("AB", "BA"):
            players = [player(name) for name in pair]
            seed = f"{pair} {number} {at}{label}"
            games.append(play_game(tuple(players), seed=seed, hands=hands, stack=5000, seating=seating))
            for each in players:
                if isinstance(each, Stater):
                    stated[each.name, number, seed, seating] = each.strategies
    return match_result(games), stated


def margins_in_order(matches):
    """Return the margins of matches as a run computes them."""
    stated = {
        key: each
        for pair, number, *label in matches
        for key, each in match(pair, number, label="".join(label))[1].items()
    }
    policies = {name: player(name).policy for name in ("tag", "callstation")}
    book = MatchMargins(policies, KnownDraws(stated), big_blind=100, averaged=MODELS)
    return [book.of(number, pair, match(pair, number, label="".join(label))[0], {}) for pair, number, *label in matches]


RUN = tuple((MODELS, number) for number in range(1, 5))


@cache
def margins_of_run():
    return margins_in_order(RUN)


@pytest.mark.slow
def test_after_some_hands_fitted_looks_ahead_and_varies_less(monkeypatch):
    found = margins_of_run()
    monkeypatch.setattr(learned, "FIRST_HANDS", 10**6)
    before = margins_in_order(RUN)
    assert found[:2] == before[:2], "a match is not corrected by what it teaches itself, and one has too few hands"
    later = slice(2, None)
    assert all(new["fitted"] != old["fitted"] for new, old in zip(found[later], before[later], strict=True))
    for name in before[0].keys() - {"fitted"}:
        assert [each[name] for each in found] == [each[name] for each in before]
    ours, usual = ([each for one in run[later] for each in one["fitted"]] for run in (found, before))
    assert variance(ours) < variance(usual)


def test_its_margins_have_the_mean_of_those_without_luck_of_cards():
    found = margins_of_run()
    off = [new - old for each in found for new, old in zip(each["fitted"], each["adjustedSolid"], strict=True)]
    assert abs(fmean(off)) < 3.5 * stdev(off) / sqrt(len(off))


def test_a_match_is_corrected_by_the_matches_before_it_alone():
    found = margins_of_run()
    other = margins_in_order([*RUN[:3], (MODELS, 4, "other")])
    assert other[:3] == found[:3]
    assert other[3] != found[3]


@pytest.mark.slow
def test_odds_that_are_refused_later_leave_the_margins_without_them():
    stated = {key: each for pair, number in RUN[:4] for key, each in match(pair, number)[1].items()}
    book = MatchMargins({}, KnownDraws(stated), big_blind=100, averaged=MODELS)
    for pair, number in RUN[:4]:
        book.of(number, pair, match(pair, number)[0], {})
    whole = book.again(4)
    book._stated.refused["bold"] = "a test"
    one = book.again(4)
    book._stated.refused["meek"] = "a test"
    none = book.again(4)
    assert none["fitted"] != one["fitted"] != whole["fitted"]
    assert none["corrected"] == none["adjusted"]


@pytest.mark.slow
def test_against_one_without_odds_they_count_once_they_have_left_less_luck(monkeypatch):
    pair = ("bold", "mute")
    matches = [(pair, number) for number in range(1, 5)]
    monkeypatch.setattr(RunStandIns, "proven", False)
    unproven = margins_in_order(matches)
    monkeypatch.setattr(RunStandIns, "proven", True)
    proven = margins_in_order(matches)
    monkeypatch.setattr(learned, "FIRST_HANDS", 10**6)
    assert unproven == margins_in_order(matches)
    assert proven[-1]["fitted"] != unproven[-1]["fitted"]
    assert proven[-1]["correctedSolid"] == unproven[-1]["correctedSolid"]


@pytest.mark.slow
def test_one_who_states_a_policy_counts_by_what_it_said_before_and_is_not_asked_again(monkeypatch):
    pair, asked = ("bold", "mute"), []
    stated = {key: each for number in range(1, 4) for key, each in match(pair, number)[1].items()}
    found = {}
    for after in (10**6, learned.FIRST_HANDS):
        monkeypatch.setattr(learned, "FIRST_HANDS", after)
        asked.clear()
        policy = StatedPolicy(lambda seen: asked.append(seen) or player("mute").policy(seen))
        book = MatchMargins({"mute": policy}, KnownDraws(stated), big_blind=100, averaged=MODELS)
        for number in range(1, 4):
            found[after] = book.of(number, pair, match(pair, number)[0], {})
            account = book.account(number)
            assert {each.used for each in account.variants} == {pair, ("bold",), ("mute",), ()}
        found[after, "asked"] = len(asked)
    never, soon = found[10**6], found[after]
    assert soon["fitted"] != never["fitted"]
    assert soon["correctedSolid"] == never["correctedSolid"]
    assert found[after, "asked"] == found[10**6, "asked"]


def test_a_record_takes_some_hands_and_less_luck():
    found = RunStandIns()
    found.note([1.0] * 399, [2.0] * 399)
    assert not found.proven
    found.note([1.0], [2.0])
    assert found.proven
    found.note([1000.0], [2.0])
    assert not found.proven


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["tag", "callstation"])
def test_against_a_bot_that_can_be_asked(bot):
    pair = ("bold", bot)
    found = margins_in_order([(pair, number) for number in range(1, 7)])
    assert found[0]["fitted"] == found[0]["ranged"]
    ours = [each for one in found[2:] for each in one["fitted"]]
    ranged = [each for one in found[2:] for each in one["ranged"]]
    assert variance(ours) < variance(ranged)
