"""Margins are worked out once: what was recorded counts, if it can be that of its games."""

import pytest

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.bench import match_margins
from molt_bench.bench.match_margins import MatchMargins
from molt_bench.errors import JournalError
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.match import play_match
from molt_bench.plugin import ComingMatch

MATCH = ComingMatch(1, 1, ("tag", "maniac"), built_in=True)


@pytest.fixture(scope="module")
def result():
    makers = tuple(lambda kind=kind: BUILTIN_AGENTS[kind](name=kind) for kind in ("tag", "maniac"))
    return play_match(makers, seeds=["a", "b", "c"], hands=6)


@pytest.fixture
def margins(result):
    return MatchMargins(big_blind=100).of(MATCH, result, {})


def changed(margins, estimator, by=0.5):
    return {**margins, estimator: (margins[estimator][0] + by, *margins[estimator][1:])}


def test_games_that_a_worker_has_looked_at_are_not_looked_at_again(result, margins, monkeypatch):
    known = {game.spec: game_estimates(game) for seed in result.seed_results for game in seed.games}
    monkeypatch.setattr(match_margins, "game_estimates", lambda game: pytest.fail("looked at again"))
    assert MatchMargins(big_blind=100).of(MATCH, result, known) == margins
    assert known == {}


def test_recorded_margins_count(result, margins):
    told = changed(margins, "adjusted")
    assert MatchMargins(big_blind=100).of(MATCH, result, {}, told) == told


def test_a_recount_notes_margins_that_are_not_what_the_games_give(result, margins):
    book = MatchMargins(big_blind=100, recount=True)
    book.of(MATCH, result, {}, margins)
    book.of(MATCH._replace(number=2), result, {}, changed(margins, "adjusted"))
    assert book.differing == [2]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda margins: changed(margins, "raw"),
        lambda margins: {"raw": margins["raw"]},
        lambda margins: {**margins, "adjusted": margins["adjusted"][:-1]},
        lambda margins: changed(margins, "adjusted", float("nan")),
    ],
    ids=["other chips", "one estimator", "too few", "no number"],
)
def test_margins_that_cannot_be_those_of_the_games_are_refused(result, margins, wrong):
    with pytest.raises(JournalError, match="recorded margins of match 7"):
        MatchMargins(big_blind=100).of(MATCH._replace(number=7), result, {}, wrong(margins))
