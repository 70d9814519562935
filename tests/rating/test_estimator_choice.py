"""The choice between estimators: by variance alone, and only where it is clear."""

from typing import get_args

import numpy as np
import pytest

from molt_bench.config.sections import RatingConfig
from molt_bench.luck.estimators import Estimates
from molt_bench.rating.estimator_choice import AUTO, FIRST, MarginBook, least_varying
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.records import ESTIMATORS
from molt_bench.study.pilot import SD_PER_HAND


def columns_of(values):
    """Return columns by estimator, the first of `values` as the usual one."""
    names = [FIRST, *[name for name in ESTIMATORS if name != FIRST]]
    return {name: values[:, at].tolist() for at, name in enumerate(names)}


def drawn(dice, count, shared):
    """Draw columns that vary alike, with a part in common."""
    common, own = dice.standard_normal((count, 1)), dice.standard_normal((count, len(ESTIMATORS)))
    return np.sqrt(shared) * common + np.sqrt(1 - shared) * own


def test_config_planner_and_estimates_know_every_estimator():
    assert set(get_args(RatingConfig.model_fields["estimator"].annotation)) == {AUTO, *ESTIMATORS}
    assert set(SD_PER_HAND) == {AUTO, *ESTIMATORS}
    assert set(ESTIMATORS.values()) == {*Estimates.__struct_fields__} - {
        "refused",
        "hands",
        "without",
        "evidence",
        "unanswered",
    }


def test_with_few_seed_pairs_nothing_is_chosen():
    values = drawn(np.random.RandomState(1), 7, 0.5)
    values[:, 1] *= 1e-6
    assert least_varying(columns_of(values)) == FIRST


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name != FIRST])
def test_one_that_varies_far_less_is_chosen(name):
    columns = columns_of(drawn(np.random.RandomState(2), 8, 0.5))
    columns[name] = [0.01 * value for value in columns[name]]
    assert least_varying(columns) == name


def test_one_that_does_not_vary_at_all_is_chosen():
    columns = columns_of(drawn(np.random.RandomState(2), 8, 0.5))
    assert least_varying({**columns, "raw": [0.0] * 8}) == "raw"


def test_equal_columns_are_no_reason_to_choose():
    values = drawn(np.random.RandomState(3), 30, 0.5)[:, :1] * np.ones(len(ESTIMATORS))
    assert least_varying(columns_of(values)) == FIRST


def test_the_less_two_differ_the_more_seed_pairs_it_takes():
    dice = np.random.RandomState(4)
    chosen = []
    for count in (10, 200):
        found = []
        for _ in range(100):
            values = drawn(dice, count, 0.8)
            values[:, 1] *= 0.8
            found.append(least_varying(columns_of(values)) != FIRST)
        chosen.append(np.mean(found))
    assert chosen[0] < 0.5
    assert chosen[1] > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("count", [10, 20])
def test_intervals_hold_though_an_estimator_is_chosen(count):
    """Estimators that vary alike, the worst case, in matches of two seed pairs."""
    dice = np.random.RandomState(5)
    held = []
    for _ in range(500):
        book = MarginBook(MarginModel(["a", "b"]))
        for _ in range(0, count, 2):
            margins = {name: tuple(column) for name, column in columns_of(drawn(dice, 2, 0.8)).items()}
            book.add(("a", "b"), margins)
        known = book.model.margin("a", "b")
        held.append(abs(known.mean) < known.half_width())
    assert np.mean(held) > 0.93


def usual_match(dice, count=10):
    """Return the margins of a match by every estimator."""
    return {name: tuple(column) for name, column in columns_of(drawn(dice, count, 0.9)).items()}


def test_a_match_counts_by_what_varied_least_in_the_matches_before_it():
    dice = np.random.RandomState(6)
    book = MarginBook(MarginModel(["a", "b", "c"]))
    first, second, third = (usual_match(dice) for _ in range(3))
    calm = {"raw": (1.0, 1.1) * 5}
    book.add(("a", "b"), first)
    book.add(("a", "c"), {**first, **calm})
    assert book.model.margin("a", "c").mean == pytest.approx(np.mean(first[FIRST])), "its cards are not chosen by"
    book.add(("a", "c"), {**second, **calm})
    assert book.model.margin("a", "c").mean == pytest.approx(np.mean([*first[FIRST], *calm["raw"]]))
    book.add(("a", "c"), {**third, **calm})
    assert (book.estimator_of(("a", "b")), book.estimator_of(("a", "c"))) == (FIRST, "raw"), "of most seed pairs"


def test_what_comes_later_never_changes_by_what_a_match_counts():
    dice = np.random.RandomState(8)
    book = MarginBook(MarginModel(["a", "b"]))
    for _ in range(6):
        book.add(("a", "b"), usual_match(dice, 5))
        before = [*book._used["a", "b"]]
        book.add(("a", "b"), {**usual_match(dice, 5), "raw": (0.0,) * 5})
        assert book._used["a", "b"][: len(before)] == before


def test_the_chips_alone_count_for_those_who_are_not_trusted():
    dice = np.random.RandomState(9)
    book = MarginBook(MarginModel(["a", "b"]))
    played = usual_match(dice)
    book.add(("a", "b"), played)
    book.distrust(["b"])
    assert book.model.margin("a", "b").mean == pytest.approx(np.mean(played["raw"]))
    book.distrust([])
    assert book.model.margin("a", "b").mean == pytest.approx(np.mean(played[FIRST]))


def test_many_matches_at_once_give_what_they_give_one_after_another():
    dice = np.random.RandomState(7)
    matches = [
        (pair, {name: tuple(column) for name, column in columns_of(drawn(dice, 3, 0.5)).items()})
        for pair in [("a", "b"), ("a", "c"), ("a", "b"), ("b", "c"), ("a", "b"), ("a", "c")]
    ]
    for estimator in (AUTO, "raw"):
        at_once, in_turn = (MarginBook(MarginModel(["a", "b", "c"]), estimator) for _ in range(2))
        at_once.add_all(matches)
        for match in matches:
            in_turn.add(*match)
        for one, two in (("a", "b"), ("a", "c"), ("b", "c")):
            assert at_once.estimator_of((one, two)) == in_turn.estimator_of((one, two))
            assert at_once.model.lead(one, two) == in_turn.model.lead(one, two)
