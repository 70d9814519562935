"""The payoff matrix, Nash averaging, the transitive share, and cycles."""

from itertools import combinations
from math import inf, log
from time import thread_time

import numpy as np
import pytest

from molt_bench.errors import ConfigError
from molt_bench.rating import equilibrium
from molt_bench.rating.cycles import significant_cycles
from molt_bench.rating.equilibrium import max_entropy_equilibrium
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.payoffs import nash_averaging, payoff_matrix, transitivity
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


def antisymmetric(values):
    return values - values.T


def equilibria(game):
    """Return the corners of the set of all equilibria, by trying which n - 1 constraints hold with equality."""
    count = len(game)
    bounds = np.vstack([game, -np.eye(count)])
    tight = bounds[np.array(list(combinations(range(2 * count), count - 1)))]
    systems = np.concatenate([tight, np.ones((len(tight), 1, count))], axis=1)
    systems = systems[np.abs(np.linalg.det(systems)) > 1e-9]
    wanted = np.zeros((len(systems), count, 1))
    wanted[:, -1] = 1
    corners = np.linalg.solve(systems, wanted)[:, :, 0]
    return corners[(bounds @ corners.T).max(axis=0) < 1e-9]


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


# Nash averaging


@pytest.mark.parametrize("size", [1.0, 4.6, 1e-6, 1e6])
def test_rock_paper_scissors_is_uniform(size):
    assert max_entropy_equilibrium(size * RPS) == pytest.approx([1 / 3] * 3, abs=1e-12)


def test_biased_rock_paper_scissors():
    # a beats b by x, b beats c by y and c beats a by z: the weights are as y : z : x.
    x, y, z = 2.0, 3.0, 1.0
    game = [[0, x, -z], [-x, 0, y], [z, -y, 0]]
    assert max_entropy_equilibrium(game) == pytest.approx([y / 6, z / 6, x / 6], abs=1e-12)


@pytest.mark.parametrize(
    ("game", "weights"),
    [
        # Balduzzi et al., section 4: a cycle, and the transitive game of the same players.
        (4.6 * RPS, [1 / 3, 1 / 3, 1 / 3]),
        ([[0.0, 4.6, 9.2], [-4.6, 0.0, 4.6], [-9.2, -4.6, 0.0]], [1, 0, 0]),
        # A copy of the third player shares its weight.
        ([[0, 1, -1, -1], [-1, 0, 1, 1], [1, -1, 0, 0], [1, -1, 0, 0]], [1 / 3, 1 / 3, 1 / 6, 1 / 6]),
        # One that beats all others.
        ([[0, 234, 34, -270], [-234, 0, -38, -464], [-34, 38, 0, -270], [270, 464, 270, 0]], [0, 0, 0, 1]),
        # One that beats all others however little, beside a cycle.
        ([[0, 9, -9, -0.01], [-9, 0, 9, -0.01], [9, -9, 0, -0.01], [0.01, 0.01, 0.01, 0]], [0, 0, 0, 1]),
        # Nobody beats anybody.
        (np.zeros((5, 5)), [0.2] * 5),
        ([[0.0]], [1]),
        # Two that are equal, above a third.
        ([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], [0.5, 0.5, 0]),
        # The first two draw, and the third beats one of them: with half of the other it gains nothing.
        ([[0, 0, -1], [0, 0, 1], [1, -1, 0]], [0.5, 0.5, 0]),
    ],
)
def test_known_games(game, weights):
    found = max_entropy_equilibrium(game)
    assert found == pytest.approx(weights, abs=1e-11)
    assert sum(found) == pytest.approx(1, abs=1e-12)


def test_a_ladder_is_all_at_its_top():
    skills = [3.0, 17.0, 5.0, 16.99, 0.0]
    assert max_entropy_equilibrium(ladder(*skills)) == pytest.approx([0, 1, 0, 0, 0], abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_a_copy_shares_the_weight_and_changes_nothing_else(seed):
    dice = np.random.RandomState(seed)
    count = dice.randint(2, 12)
    game = antisymmetric(dice.standard_normal((count, count)))
    before = max_entropy_equilibrium(game)
    copied = int(np.argmax(before))
    rows = [*range(count), copied, copied]
    after = max_entropy_equilibrium(game[np.ix_(rows, rows)])
    for at in range(count):
        assert after[at] == pytest.approx(before[at] / (3 if at == copied else 1), abs=1e-9)
    assert after[count:] == pytest.approx([before[copied] / 3] * 2, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_one_who_loses_to_everybody_changes_nothing(seed):
    dice = np.random.RandomState(seed)
    game = antisymmetric(dice.standard_normal((7, 7)))
    worse = np.zeros((8, 8))
    worse[:7, :7] = game
    worse[:7, 7], worse[7, :7] = 3.0, -3.0
    assert max_entropy_equilibrium(worse) == pytest.approx([*max_entropy_equilibrium(game), 0.0], abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_no_equilibrium_is_more_even(seed):
    """Games of few values have many equilibria: the entropy falls in the direction of every corner of their set."""
    dice = np.random.RandomState(seed)
    count = dice.randint(3, 7)
    game = antisymmetric(dice.randint(-1, 2, (count, count)).astype(float))
    weights = np.array(max_entropy_equilibrium(game))
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    assert (game @ weights).max() < 1e-10
    corners = equilibria(game)
    assert len(corners)
    inside = weights > 0
    assert (corners[:, ~inside] < 1e-9).all()
    assert ((corners[:, inside] - weights[inside]) @ -np.log(weights[inside])).max() < 1e-9


def test_an_inequality_may_hold_the_most_even_one_back():
    # Rows a, b and c, d are equal among each other, so any mixture of them is even; e loses to a and gains from d.
    gains = np.array([-1.0, 0.0, 0.0, 3.0])
    game = np.zeros((5, 5))
    game[4, :4], game[:4, 4] = gains, -gains
    weights = np.array(max_entropy_equilibrium(game))
    # The most even p with p_a = 3 p_d: p_i proportional to exp(-m * gain_i) with m so that the gains sum to 0.
    low, high = 0.0, 5.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if gains @ np.exp(-middle * gains) > 0 else (low, middle)
    expected = np.exp(-low * gains) / np.exp(-low * gains).sum()
    assert weights[:4] == pytest.approx(expected, abs=1e-9)
    assert weights[4] == pytest.approx(0, abs=1e-9)
    assert -(expected @ np.log(expected)) < log(4)


@pytest.mark.parametrize("power", range(9))
def test_a_barrier_for_which_there_is_no_solution_is_left_out(monkeypatch, power):
    """Which barriers have none depends on the version of numpy; what is found does not."""
    game, gains, newton, missed = np.zeros((5, 5)), np.array([-1.0, 0.0, 0.0, 3.0]), equilibrium._newton, []

    def singular(mixed, free, others, barrier):
        if barrier == 10.0**-power:
            missed.append(barrier)
            raise np.linalg.LinAlgError
        return newton(mixed, free, others, barrier)

    game[4, :4], game[:4, 4] = gains, -gains
    wanted = max_entropy_equilibrium(game)
    monkeypatch.setattr(equilibrium, "_newton", singular)
    assert max_entropy_equilibrium(game) == pytest.approx(wanted, abs=1e-9)
    assert missed


@pytest.mark.parametrize(("size", "seed"), [(10, 2), (20, 2), (50, 0), (50, 3)])
@pytest.mark.slow
def test_two_groups_of_equals_have_a_most_even_mixture(size, seed):
    """Copies of two bots win nothing among each other: any mixture of a group is even, but for what the other gains."""
    dice = np.random.RandomState(seed)
    game, lead = np.zeros((2 * size, 2 * size)), 0.1 + dice.standard_normal((size, size))
    game[:size, size:], game[size:, :size] = lead, -lead.T
    weights = np.array(max_entropy_equilibrium(game))
    gains, inside = game @ weights, weights > 0
    assert weights.min() >= 0
    assert gains.max() < 1e-10
    # At the highest entropy, the logarithms of the weights are a combination of the constraints that hold it back.
    tight = np.vstack([game[gains > -1e-9][:, inside], np.ones(inside.sum())]).T
    logarithms = np.log(weights[inside])
    assert tight @ np.linalg.lstsq(tight, logarithms, rcond=None)[0] == pytest.approx(logarithms, abs=1e-6)


@pytest.mark.parametrize("count", [12, 30])
def test_thirty_participants_take_well_under_a_second(count):
    dice = np.random.RandomState(count)
    slowest = 0.0
    for number in range(10):
        values = (
            dice.standard_normal((count, count)) if number % 2 else dice.randint(-1, 2, (count, count)).astype(float)
        )
        game = antisymmetric(values)
        before = thread_time()
        weights = np.array(max_entropy_equilibrium(game))
        slowest = max(slowest, thread_time() - before)
        assert (game @ weights).max() < 1e-9
        assert weights == pytest.approx(max_entropy_equilibrium(game), abs=0)
    assert slowest < 0.5


@pytest.mark.parametrize("game", [[[0, 1], [1, 0]], [[1]], [[0, 1, 2], [-1, 0, 1]], [], [[0, float("nan")], [0, 0]]])
def test_what_is_no_such_game_is_refused(game):
    with pytest.raises(ConfigError, match="antisymmetric"):
        max_entropy_equilibrium(game)


def test_nash_averages_are_what_each_wins_from_the_mixture():
    found = nash_averaging(model_of(200 * RPS))
    assert list(found.weights) == list(found.averages) == ["a", "b", "c"]
    assert [*found.weights.values()] == pytest.approx([1 / 3] * 3)
    assert [*found.averages.values()] == pytest.approx([0] * 3, abs=1e-9)
    found = nash_averaging(model_of(ladder(0, 500, 200)))
    assert [*found.weights.values()] == pytest.approx([0, 1, 0])
    assert [*found.averages.values()] == pytest.approx([-500, 0, -300])


def test_nash_averages_are_never_above_0_and_0_for_those_in_the_mixture():
    found = nash_averaging(model_of(ladder(0, 50, 100, 150, 200), sd=2000, seed=4))
    for name, weight in found.weights.items():
        assert found.averages[name] <= 1e-6
        assert weight < 1e-9 or found.averages[name] == pytest.approx(0, abs=1e-6)


def test_nash_averaging_waits_until_everybody_has_played_everybody():
    assert nash_averaging(model_of(ladder(0, 1, 2), skip=[("a", "b")])) is None
    assert nash_averaging(MarginModel([])) is None
    assert [*nash_averaging(MarginModel("a")).weights.values()] == [1.0]


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
    model = model_of(3000 * np.sign(antisymmetric(dice.standard_normal((30, 30)))), count=20)
    before = thread_time()
    found = significant_cycles(model, TEST)
    assert len(found) > 500
    assert len({cycle.members for cycle in found}) == len(found)
    assert thread_time() - before < 3
