"""The plug-in in a run: what it knows is two rounds old, its results have the same mean, and less varies."""

from statistics import fmean, stdev, variance

import pytest

from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import play_game
from molt_bench.plugin import ComingMatch, CoreResult
from molt_bench.plugins import lookahead
from molt_bench.plugins.lookahead import Lookahead
from tests.plugins.lookahead.players import Silent, Stater, games_of


def coming(number, *, built_in=False, names=("one", "two")):
    """Return a match of a run with one match in each round."""
    return ComingMatch(number, number, names, built_in)


def core_of(game):
    known = game_estimates(game)
    return CoreResult(known.raw, known.without_cards, known.adjusted)


def test_a_match_is_looked_at_by_what_was_known_two_rounds_before():
    luck, other = Lookahead(), Lookahead()
    lessons = {number: games_of(10, f"lesson {number}") for number in (1, 2)}
    for each in (luck, other):
        each.rated(coming(1), lessons[1])
    assert luck.before(coming(2)) is None
    luck.rated(coming(2), lessons[2])
    other.rated(coming(2), games_of(10, "another"))
    (game,) = games_of(1, "looked at")
    values = [each.before(coming(3)).value(game, core_of(game)) for each in (luck, other)]
    assert values[0] == values[1] != core_of(game).adjusted
    later = [each.before(coming(4)).value(game, core_of(game)) for each in (luck, other)]
    assert later[0] != later[1]


def test_a_round_teaches_as_many_hands_however_many_it_has(monkeypatch):
    monkeypatch.setattr(lookahead, "_HANDS", 30)
    looked = []
    monkeypatch.setattr(lookahead, "visited", lambda game, agents: looked.append(game))
    luck = Lookahead()
    for number in range(1, 5):
        luck.rated(ComingMatch(number, 1, ("one", "two"), built_in=False), games_of(4, f"lesson {number}"))
    luck.before(coming(3))
    assert len(looked) == 3


@pytest.mark.parametrize("match", [coming(9, built_in=True), coming(9, names=("one", "three"))])
def test_it_leaves_to_the_core_what_it_does_not_look_at(match):
    luck = Lookahead()
    luck.rated(coming(1), games_of(10, "lesson"))
    assert luck.before(coming(9)) is not None
    assert luck.before(match) is None


def test_it_leaves_pairs_of_whom_one_states_nothing_to_the_core():
    luck = Lookahead()
    players = Stater("one"), Silent("two")
    luck.rated(coming(1), [play_game(players, seed=seed, hands=10) for seed in range(10)])
    assert luck.before(coming(9)) is None


@pytest.mark.parametrize("pairs", [14, pytest.param(150, marks=pytest.mark.slow)])
def test_the_mean_is_that_of_the_core_and_less_varies(pairs):
    luck = Lookahead()
    luck.rated(coming(1), games_of(20, "lesson", stack=5000))
    term = luck.before(coming(3))
    rows = []
    for seed in range(pairs):
        games = games_of(2, f"measured {seed}", stack=5000)
        cores = [core_of(game) for game in games]
        values = [term.value(game, core) for game, core in zip(games, cores, strict=True)]
        rows.append((sum(values), sum(core.without_cards for core in cores), sum(core.raw for core in cores)))
    found, cards, raw = zip(*rows, strict=True)
    away = [one - two for one, two in zip(found, raw, strict=True)]
    assert abs(fmean(away)) < 4 * stdev(away) / pairs**0.5
    assert variance(found) < 0.5 * variance(cards)
