"""When it is enough."""

import pytest

from molt_bench.bench.endings import Interrupted, NobodyLeft, OrderKnown, Spent, TopStable
from molt_bench.bench.stop_rules import (
    Progress,
    adjacent_confidence,
    adjacent_margins,
    budget,
    first_ending,
    has_converged,
    topk_stable,
)
from molt_bench.config.stop import AdjacentConfidence, Budget, StopConfig
from molt_bench.rating.verdicts import Verdict


def progress(**fields):
    base = {
        "matches": 0,
        "games": 0,
        "hands": 0,
        "seconds": 0.0,
        "ranking": ("a", "b", "c"),
        "confidences": (0.96, 0.99),
    }
    return Progress(**{**base, **fields})


def test_adjacent_confidence_stops_at_its_threshold_and_names_the_least_sure_pair():
    rule = adjacent_confidence(0.95)
    assert rule(progress(confidences=(0.9499, 0.99))) is None
    assert rule(progress(confidences=(0.95, 0.99))) == OrderKnown(0.95, ("a", "b"), 0.95)


def test_nobody_is_ranked_without_a_match():
    assert adjacent_confidence(0.95)(progress(connected=False)) is None


def test_a_budget_of_matches_stops_exactly_there():
    rule = budget(matches=20)
    assert rule(progress(matches=19)) is None
    assert rule(progress(matches=20)) == Spent("maxMatches", 20)


def test_a_budget_of_games_or_hands_is_never_exceeded():
    games, hands = budget(games=100), budget(hands=5_000)
    assert games(progress(games=80, next_games=20)) is None
    assert games(progress(games=81, next_games=20)) == Spent("maxGames", 100, 81)
    assert hands(progress(hands=4_000, next_hands=1_000)) is None
    assert hands(progress(hands=4_001, next_hands=1_000)) == Spent("maxHands", 5_000, 4_001)


def test_a_budget_of_time():
    assert budget(seconds=10)(progress(seconds=9.9)) is None
    assert budget(seconds=10)(progress(seconds=10)) == Spent("maxSeconds", 10)


def test_topk_stable_waits_for_so_many_rounds_without_a_change():
    rule = topk_stable(1, 2)
    same = [("a", "b", "c"), ("a", "c", "b"), ("a", "b", "c")]
    assert rule(progress(rankings=same[:2])) is None
    assert rule(progress(rankings=same)) == TopStable(1, 2)
    assert rule(progress(rankings=[*same, ("b", "a", "c")])) is None
    assert topk_stable(2, 2)(progress(rankings=same)) is None


def test_the_first_condition_that_holds_ends_the_run():
    rules = [budget(matches=5), adjacent_confidence(0.9)]
    assert first_ending(rules, progress(matches=4, confidences=(0.5, 0.5))) is None
    assert first_ending(rules, progress(matches=5)) == Spent("maxMatches", 5)
    assert first_ending(rules[::-1], progress(matches=5)).decided


def a_verdict(kind, sure=0.99):
    return Verdict("a", "b", 100.0, 30.0, sure, kind)


def test_a_run_stops_when_everything_is_ordered_or_tied():
    rule = adjacent_margins(0.95, 250)
    assert rule(progress(verdicts=(a_verdict("ordered"), a_verdict("open")))) is None
    assert rule(progress(verdicts=(a_verdict("ordered"),), connected=False)) is None
    ending = rule(progress(verdicts=(a_verdict("ordered", 0.981), a_verdict("tied"))))
    assert ending == OrderKnown(0.95, ("a", "b"), 0.981, tie_mbb=250)
    assert ending.said({"a": "Ann"}) == (
        "with 95% confidence every adjacent pair is ordered (least sure: Ann above b, 98.1%) or tied within 25 bb/100"
    )


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (Spent("maxMatches", 1), "the budget of 1 match is spent"),
        (Spent("maxMatches", 2000), "the budget of 2,000 matches is spent"),
        (Spent("maxHands", 5000, 4001), "the budget of 5,000 hands has no room for another match (4,001 played)"),
        (Spent("maxCostUsd", 1.5, in_a_round=True), "the budget of $1.5 is spent, in the middle of a round"),
        (Spent("maxCostUsd", 2, 1.93456), "the budget of $2 has no room for another match ($1.935 spent)"),
        (Spent("maxSeconds", 0.5), "the budget of 0.5 seconds is spent"),
        (NobodyLeft(("a", "b")), "nobody is left to play, since too many games were forfeited by Ann, b"),
        (Interrupted(), "it was interrupted"),
        (Interrupted("the key is refused"), "the key is refused"),
    ],
)
def test_why_a_run_ended_is_said_with_the_names_of_agents(ending, said):
    assert ending.said({"a": "Ann"}) == said


def test_a_run_has_converged_if_its_order_is_decided_whatever_ended_it():
    ordered, open_ = (
        progress(ranking=("a", "b"), verdicts=(a_verdict(kind),), matches=20) for kind in ("ordered", "open")
    )
    both = StopConfig(adjacent_confidence=AdjacentConfidence(), budget=Budget(max_matches=20))
    assert has_converged(both, ordered)
    assert not has_converged(both, open_), "only the budget is spent"
    assert not has_converged(StopConfig(adjacent_confidence=None, budget=Budget(max_matches=20)), ordered)
    nobody = progress(ranking=("a", "b"), verdicts=(a_verdict("tied"),), unranked=["a"])
    assert not has_converged(both, nobody), "nobody is left to compare"
