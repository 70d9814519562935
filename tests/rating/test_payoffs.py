"""The payoff matrix, the transitive share, and cycles."""

from itertools import combinations
from math import inf
from time import thread_time

import numpy as np
import pytest

from molt_bench.rating.cycles import significant_cycles
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.payoffs import payoff_matrix, transitivity
from molt_bench.rating.sequential import Horizon, sure

RPS = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], dtype=float)
TEST = Horizon(100.0, 10)


def model_of(payoffs, *, count=40, sd=0.0, seed=1, skip=()):
    """Return a model that has seen this many seed pairs of each two, around these payoffs."""
    dice = np.random.RandomState(seed)
    names = [chr(ord("a") + number) for number in range(len(payoffs))]
    model = MarginModel(names)
    for one, two in combinations(range(len(names)), 2):
        drawn = payoffs[one][two] + sd * dice.standard_normal(count)
        if (names[one], names[two]) not in skip:
            model.add((names[one], names[two]), drawn.tolist())
    return model


def ladder(*skills):
    return np.subtract.outer(np.array(skills, dtype=float), np.array(skills, dtype=float))


# The matrix


def test_the_matrix_has_mean_width_and_confidence_of_each_two():
    model = model_of(ladder(300, 100, 0), sd=500)
    matrix = payoff_matrix(model, TEST)
    assert matrix.participants == ("a", "b", "c")
    cell = matrix.cells[0][2]
    margin = model.margin("a", "c")
    assert (cell.mean, cell.half_width, cell.sure) == (margin.mean, margin.half_width(), sure(TEST, margin))
    wider = payoff_matrix(model, TEST, level=0.99).cells[0][2]
    assert wider.half_width > cell.half_width


def test_the_matrix_is_antisymmetric():
    matrix = payoff_matrix(model_of(ladder(300, 100, 0, 0), sd=500), TEST)
    for row, column in combinations(range(4), 2):
        here, there = matrix.cells[row][column], matrix.cells[column][row]
        assert there.mean == -here.mean
        assert there.half_width == here.half_width
        assert there.sure == pytest.approx(1 - here.sure, abs=1e-15)


def test_who_has_not_played_has_no_payoff():
    cells = payoff_matrix(model_of(ladder(300, 100, 0), skip=[("a", "c")]), TEST).cells
    assert [[cell is None for cell in row] for row in cells] == [
        [True, False, True],
        [False, True, False],
        [True, False, True],
    ]


def test_a_single_seed_pair_has_an_interval():
    cell = payoff_matrix(model_of([[0, 5], [-5, 0]], count=1), TEST).cells[0][1]
    assert 0 < cell.half_width < inf


# The transitive share


@pytest.mark.parametrize("skills", [(500, 0), (300, 100, 0), (900, 500, 450, -100, -700)])
def test_a_difference_of_skills_is_all_transitive(skills):
    found = transitivity(model_of(ladder(*skills)))
    assert found.share == pytest.approx(1)
    assert found.corrected == pytest.approx(1)


def test_rock_paper_scissors_is_not_transitive_at_all():
    found = transitivity(model_of(500 * RPS, count=200))
    assert found.share == pytest.approx(0, abs=1e-12)
    assert found.corrected == pytest.approx(0, abs=1e-12)


def test_a_mixture_of_both_by_hand():
    # Skills 2, 0, -2 have squared differences 4 + 16 + 4 = 24; a cycle of 2 has 4 + 4 + 4 = 12, and is orthogonal.
    found = transitivity(model_of(100 * (ladder(2, 0, -2) + 2 * RPS)))
    assert found.share == pytest.approx(24 / 36)


def test_the_correction_by_hand():
    # Three participants: two of the three dimensions are skills, so each pair's leverage is 2/3.
    model = model_of(100 * (ladder(6, 0, -6) + 4 * RPS), sd=1000, count=400)
    margins = [model.margin(*pair) for pair in combinations("abc", 2)]
    one, two, three = (margin.mean for margin in margins)  # a-b, a-c, b-c
    cyclic = (one + three - two) ** 2 / 3
    transitive = one**2 + two**2 + three**2 - cyclic
    noise = sum(margin.scale**2 for margin in margins)
    found = transitivity(model)
    assert found.share == pytest.approx(transitive / (transitive + cyclic))
    expected = [transitive - noise * 2 / 3, cyclic - noise / 3]
    assert min(expected) > 0
    assert found.corrected == pytest.approx(expected[0] / sum(expected))


@pytest.mark.slow
def test_luck_looks_like_cycles_and_the_correction_takes_it_out():
    payoffs = ladder(500, 300, 100, -100, -300, -500)
    for at in range(6):  # a cycle of six, in which nobody wins more than they lose
        payoffs[at, (at + 1) % 6] += 150
        payoffs[(at + 1) % 6, at] -= 150
    truth = transitivity(model_of(payoffs)).share
    found = [transitivity(model_of(payoffs, sd=2000, count=40, seed=seed)) for seed in range(200)]
    assert np.mean([each.share for each in found]) < truth - 0.05
    bias = np.mean([each.corrected for each in found]) - truth
    assert abs(bias) < 0.03
    assert all(0 <= each.corrected <= 1 for each in found)


def test_with_many_participants_pure_skill_is_seen_through_the_luck():
    found = [transitivity(model_of(ladder(*range(0, 1000, 100)), sd=2000, count=20, seed=seed)) for seed in range(20)]
    assert np.mean([each.share for each in found]) < 0.8
    assert np.mean([each.corrected for each in found]) > 0.93


def test_where_nothing_is_won_there_is_nothing_to_share():
    assert transitivity(model_of(np.zeros((3, 3)))).share is None
    assert transitivity(model_of(np.zeros((3, 3)))).corrected is None
    assert transitivity(MarginModel("abc")).share is None
    # Margins well within their noise.
    assert transitivity(model_of(ladder(2, 1, 0), count=1)).corrected is None


def test_only_pairs_that_have_played_count():
    # Without a-c there is no circle, so nothing can be cyclic.
    assert transitivity(model_of(500 * RPS, skip=[("a", "c")])).share == pytest.approx(1)


# Cycles


def test_a_strong_cycle_is_found():
    (cycle,) = significant_cycles(model_of(800 * RPS, sd=1000, count=60), TEST)
    assert cycle.members == ("a", "b", "c")
    assert 1 - 0.05 / 6 <= cycle.sure <= 1


def test_a_cycle_the_other_way_round_is_told_from_its_first():
    (cycle,) = significant_cycles(model_of(-800 * RPS, sd=1000, count=60), TEST)
    assert cycle.members == ("a", "c", "b")


def test_a_strong_cycle_is_found_nearly_always_and_a_weak_one_hardly_ever():
    strong = [significant_cycles(model_of(800 * RPS, sd=1000, count=80, seed=seed), TEST) for seed in range(60)]
    weak = [significant_cycles(model_of(30 * RPS, sd=1000, count=20, seed=seed), TEST) for seed in range(60)]
    assert np.mean([bool(cycles) for cycles in strong]) > 0.95
    assert not any(weak)


def test_one_edge_that_is_not_certain_is_enough_to_have_no_cycle():
    payoffs = 2000 * RPS
    payoffs[0, 2], payoffs[2, 0] = -50, 50
    assert significant_cycles(model_of(payoffs, sd=1000, count=60), TEST) == ()
    assert significant_cycles(model_of(2000 * RPS, sd=1000, skip=[("a", "c")]), TEST) == ()


@pytest.mark.parametrize("skills", [(0, 0, 0, 0, 0), (400, 200, 0, -200, -400), (300, 299, 298, 0, 0, 0)])
def test_in_transitive_data_there_are_none(skills):
    found = [
        significant_cycles(model_of(ladder(*skills), sd=1000, count=30, seed=seed), Horizon(200.0, 10))
        for seed in range(120)
    ]
    assert np.mean([bool(cycles) for cycles in found]) <= 0.05


def test_all_cycles_of_three_are_found():
    # Rock, paper, scissors, lizard, Spock: each beats the next and the third after it.
    payoffs = np.zeros((5, 5))
    for at in range(5):
        for step in (1, 3):
            payoffs[at, (at + step) % 5], payoffs[(at + step) % 5, at] = 3000, -3000
    found = significant_cycles(model_of(payoffs), TEST)
    wins = payoffs > 0
    expected = sum(
        bool((wins[i, j] and wins[j, k] and wins[k, i]) or (wins[j, i] and wins[k, j] and wins[i, k]))
        for i, j, k in combinations(range(5), 3)
    )
    assert len(found) == expected == 5
    for cycle in found:
        places = ["abcde".index(name) for name in cycle.members]
        assert places[0] == min(places)
        assert all(wins[one, two] for one, two in zip(places, places[1:] + places[:1], strict=True))


def test_a_longer_cycle_is_found_where_there_is_no_shorter_one():
    payoffs = np.zeros((5, 5))
    for at in range(4):  # a > b > c > d > a, and the diagonals are even; e loses to all
        payoffs[at, (at + 1) % 4], payoffs[(at + 1) % 4, at] = 3000, -3000
        payoffs[at, 4], payoffs[4, at] = 3000, -3000
    (cycle,) = significant_cycles(model_of(payoffs), TEST)
    assert cycle.members == ("a", "b", "c", "d")


def test_a_smaller_error_asks_for_more():
    model = model_of(450 * RPS, sd=1000, count=60)
    assert significant_cycles(model, TEST, error=0.2)
    assert not significant_cycles(model, TEST, error=1e-9)


def test_many_participants_take_no_time():
    dice = np.random.RandomState(9)
    model = model_of(3000 * np.sign((drawn := dice.standard_normal((30, 30))) - drawn.T), count=20)
    before = thread_time()
    found = significant_cycles(model, TEST)
    assert len(found) > 500
    assert len({cycle.members for cycle in found}) == len(found)
    assert thread_time() - before < 3
