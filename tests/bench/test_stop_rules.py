"""When it is enough."""

import pytest

from molt_bench.bench.endings import Interrupted, NobodyLeft, OrderKnown, Spent, TopStable
from molt_bench.bench.stop_rules import Progress, ending_of, has_converged
from molt_bench.config.stop import AdjacentConfidence, Budget, StopConfig, TopKStable
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


def ended(progress, rule=None, topk=None, **budget):
    """Return why a run ends by a rule about neighbours, one about the top, and a budget."""
    limits = Budget(max_matches=budget.pop("max_matches", None), **budget)
    return ending_of(StopConfig(adjacent_confidence=rule, topk_stable=topk, budget=limits), progress)


BY_RATINGS = AdjacentConfidence(method="openskill")


def test_adjacent_confidence_stops_at_its_threshold_and_names_the_least_sure_pair():
    assert ended(progress(confidences=(0.9499, 0.99)), BY_RATINGS) is None
    assert ended(progress(confidences=(0.95, 0.99)), BY_RATINGS) == OrderKnown(0.95, ("a", "b"), 0.95)
    assert ended(progress(connected=False), BY_RATINGS) is None


@pytest.mark.parametrize(
    ("limit", "enough", "too_much", "ending"),
    [
        ({"max_matches": 20}, {"matches": 19}, {"matches": 20}, Spent("maxMatches", 20)),
        ({"max_games": 100}, {"games": 80}, {"games": 81}, Spent("maxGames", 100, 81)),
        ({"max_hands": 5_000}, {"hands": 4_000}, {"hands": 4_001}, Spent("maxHands", 5_000, 4_001)),
        ({"max_seconds": 10}, {"seconds": 9.9}, {"seconds": 10.0}, Spent("maxSeconds", 10)),
        ({"max_cost_usd": 6}, {"matches": 2, "usd": 4.0}, {"matches": 2, "usd": 4.1}, Spent("maxCostUsd", 6, 4.1)),
        ({"max_tokens": 60}, {"matches": 2, "tokens": 40}, {"matches": 2, "tokens": 41}, Spent("maxTokens", 60, 41)),
    ],
)
def test_a_budget_is_never_exceeded(limit, enough, too_much, ending):
    """What one more match costs is judged by the average so far."""
    assert ended(progress(next_games=20, next_hands=1_000, **enough), **limit) is None
    assert ended(progress(next_games=20, next_hands=1_000, **too_much), **limit) == ending


def test_topk_stable_waits_for_so_many_rounds_without_a_change():
    one, two = (TopKStable(k=k, rounds=2) for k in (1, 2))
    same = [("a", "b", "c"), ("a", "c", "b"), ("a", "b", "c")]
    assert ended(progress(rankings=same[:2]), topk=one) is None
    assert ended(progress(rankings=same), topk=one) == TopStable(1, 2)
    assert ended(progress(rankings=[*same, ("b", "a", "c")]), topk=one) is None
    assert ended(progress(rankings=same), topk=two) is None


def test_the_first_condition_that_holds_ends_the_run():
    assert ended(progress(matches=4, confidences=(0.5, 0.5)), BY_RATINGS, max_matches=5) is None
    assert ended(progress(matches=5, confidences=(0.5, 0.5)), BY_RATINGS, max_matches=5) == Spent("maxMatches", 5)
    assert ended(progress(matches=5), BY_RATINGS, max_matches=5).decided


def a_verdict(kind, sure=0.99):
    return Verdict("a", "b", 100.0, 30.0, sure, kind)


def test_a_run_stops_when_everything_is_ordered_or_tied():
    rule = AdjacentConfidence(tie_margin_mbb=250)
    assert ended(progress(verdicts=(a_verdict("ordered"), a_verdict("open"))), rule) is None
    assert ended(progress(verdicts=(a_verdict("ordered"),), connected=False), rule) is None
    ending = ended(progress(verdicts=(a_verdict("ordered", 0.981), a_verdict("tied"))), rule)
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
        (NobodyLeft(("a", "b")), "no one is left to play, since too many games were forfeited by Ann, b"),
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
