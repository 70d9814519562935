"""Grades: what a decision gave away, given what the seat knew."""

import pytest

from molt_bench.plugins.reference.grade import grade_decision, grade_hand, options_of
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.views import observe
from tests.plugins.reference.stand_in import StandIn

DEAL = deal_from_text("AhKd 7c7d 2h3h4h5c6d")
RULES = HandRules(50, 100)
LINE = "1:50/100/0:10000,10000:b0:AhKd|7c7d|2h3h4h5c6d:r300c/kr600c/kk/kk:-900"


def before(*actions, rules=RULES, stacks=(10_000, 10_000)):
    """Return what the seat to act sees after some actions."""
    hand = Hand(rules, DEAL, stacks, button=0)
    for action in actions:
        hand.apply(action)
    return observe(hand, 1)


def worth(**values):
    """Return the values of a call, a check, and raises by their size."""
    return lambda done, seat: values[f"r{done.amount}" if done.kind == "raiseTo" else done.kind]


def test_a_loss_is_the_best_value_minus_that_of_what_was_done():
    by = StandIn(worth(call=20, r300=50, r600=10))
    grade = grade_decision(before(), CALL, by)
    assert (grade.value, grade.best, grade.loss, grade.loss_mbb(100)) == (20, Action("raiseTo", 300), 30, 300)


def test_what_the_reference_does_not_consider_may_be_best():
    by = StandIn(worth(call=20, r300=50, r600=10, r450=70))
    grade = grade_decision(before(), Action("raiseTo", 450), by)
    assert (grade.value, grade.best, grade.loss) == (70, Action("raiseTo", 450), 0)


@pytest.mark.parametrize("ante", [0, 30])
def test_a_fold_costs_exactly_the_chips_put_in(ante):
    seen = before(Action("raiseTo", 300), rules=HandRules(50, 100, ante), stacks=(10_000, 700))
    by = StandIn(worth(call=-500, r600=-500))
    assert grade_decision(seen, FOLD, by).value == -100 - ante
    assert grade_decision(seen, CALL, by).loss == 400 - ante


def test_a_raise_that_the_reference_does_not_know_is_worth_what_a_call_is():
    class Caller(StandIn):
        def raises(self, seen):
            return False

    by = Caller(worth(call=20, check=30))
    assert {option.value for option in options_of(before(), by) if option.action != FOLD} == {20}
    assert grade_decision(before(CALL), Action("raiseTo", 300), by).value == 30


def test_giving_up_for_free_is_never_considered():
    seen = before(CALL)
    by = StandIn(worth(check=-900, r300=-900, r600=-900))
    assert FOLD not in [option.action for option in options_of(seen, by)]
    assert grade_decision(seen, CHECK, by).loss == 0


def test_a_free_fold_is_a_mistake_where_checking_is_worth_more():
    grade = grade_decision(before(CALL), FOLD, StandIn(worth(check=0, r300=-9, r600=-9)))
    assert (grade.loss, grade.mistake, grade.best) == (100, "folds", CHECK)


@pytest.mark.parametrize(
    ("done", "best", "kind"),
    [
        (FOLD, "call", "folds"),
        (FOLD, "r600", "folds"),
        (CALL, "fold", "calls"),
        (CALL, "r600", "passive"),
        (Action("raiseTo", 600), "fold", "raises"),
        (Action("raiseTo", 600), "call", "raises"),
        (Action("raiseTo", 900), "r600", "size"),
    ],
)
def test_the_kind_of_a_mistake_is_that_of_what_was_done_against_the_best(done, best, kind):
    values = dict.fromkeys(("call", "r600", "r900"), -200.0) | {best: 50.0}
    assert grade_decision(before(Action("raiseTo", 300)), done, StandIn(worth(**values))).mistake == kind


def test_what_the_reference_gives_away_itself_is_taken_off():
    seen = before(CALL)
    by = StandIn(worth(check=-50, r300=0, r600=-2000))
    own = sum(option.chance * -option.value for option in options_of(seen, by))
    assert own > 0
    assert grade_decision(seen, CHECK, by).above == pytest.approx(50 - own)
    assert grade_decision(seen, Action("raiseTo", 300), by).above == pytest.approx(-own)


def test_every_decision_is_graded_in_order():
    hand = hand_from_text(LINE).hand
    grades = list(grade_hand(hand, StandIn()))
    assert [grade.at for grade in grades] == [*range(len(hand.log))]
    assert [(grade.seat, grade.street) for grade in grades] == [(done.seat, done.street) for done in hand.log]


def test_a_forced_fold_has_no_grade():
    parsed = hand_from_text("1:50/100/0:10000,10000:b0:AhKd|7c7d|:r300F:100")
    assert [grade.at for grade in grade_hand(parsed.hand, StandIn(), forced=parsed.forced)] == [0]


def test_nobody_is_expected_to_raise_where_the_game_allows_no_more_raises():
    hand = hand_from_text(LINE).hand
    kinds = [{option.action.kind for option in grade.options} for grade in grade_hand(hand, StandIn(), max_actions=4)]
    assert "raiseTo" in set().union(*kinds[:4])
    assert "raiseTo" not in set().union(*kinds[4:])


class ByHole(StandIn):
    """Values that differ for every hole."""

    def hand_value(self, state, seat, hole):
        return max(hole) * float(state.log[-1].amount)


def test_a_grade_does_not_depend_on_the_cards_of_the_other_seat():
    hand = hand_from_text(LINE).hand
    other = hand_from_text(LINE.replace("7c7d", "7s7h")).hand
    own, again = ([grade for grade in grade_hand(each, ByHole()) if grade.seat == 0] for each in (hand, other))
    assert own == again
    assert any(grade.loss for grade in own)


def test_the_value_of_a_call_that_ends_a_street_is_asked_for_before_the_next_card():
    boards = []

    class Watcher(StandIn):
        def hand_value(self, state, seat, hole):
            if state.log[-1].kind == "call":
                boards.append(len(state.board))
            return super().hand_value(state, seat, hole)

    list(grade_hand(hand_from_text(LINE).hand, Watcher()))
    assert boards == [0, 0, 3]
