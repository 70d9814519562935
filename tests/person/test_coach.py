"""The coach: what the reference would do, and what each decision gave away."""

from tests.luck.stand_in import StandIn

from molt_bench.person.coach import Coach
from molt_bench.poker.actions import CALL, FOLD, Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import observe

RULES = HandRules(50, 100)


def coach():
    """Return a coach for whom a call is worth 20 chips, and a raise to 300 is worth 50."""
    return Coach(StandIn(lambda done, seat: {300: 50.0, 600: -10.0}.get(done.amount, 20.0)), RULES)


def seen(*actions):
    hand = Hand(RULES, deal_from_text("AhKd 7c7d 2h3h4h5c6d"), (10_000, 10_000), button=0)
    for action in actions:
        hand.apply(action)
    return observe(hand, 1)


def test_a_hint_tells_the_mix_and_the_values():
    said = " ".join(coach().hint(seen()).plain.split())
    assert said == (
        "The reference: fold 0% (-0.50 bb), call 100% (+0.20 bb), raise to 300 0% (+0.50 bb), "
        "raise to 600 0% (-0.10 bb)"
    )


def test_a_hint_is_as_wide_as_the_table_at_most():
    assert max(map(len, coach().hint(seen()).plain.splitlines())) <= 68


def test_the_review_tells_what_each_decision_gave_away():
    one = coach()
    for action in (Action("raiseTo", 300), FOLD):
        one.hint(seen())
        one.note(action)
    first, second = (line.plain for line in one.review())
    assert first == "  preflop, raise to 300: nothing is better."
    assert second == "  preflop, fold: gives away 1.00 bb (folds too much, raise to 300 is better)."
    assert list(one.review()) == []


def test_the_summary_counts_all_hands():
    one = coach()
    assert list(one.summary()) == []
    for _ in range(2):
        one.hint(seen())
        one.note(CALL)
        list(one.review())
    (said,) = one.summary()
    assert said == "By the reference's values, your 2 decisions gave away 300 mbb on average, +0 beside its own play."
