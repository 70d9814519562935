"""Two runs side by side: on the same cards, on others, and whether the interval keeps its promise."""

import json
from functools import cache
from math import sqrt
from statistics import fmean, stdev

import msgspec
import numpy as np
import pytest
from tests.cases import one_in

from molt_bench import Action, make_agent, run_benchmark
from molt_bench.config.loader import load_config
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.rating.estimate import Estimate
from molt_bench.study.change import Change, change_of, judged
from molt_bench.study.comparison import ComparedRun, compare


class Leaky:
    """Plays like `tag`, but folds in every n-th hand where it has to pay."""

    name = "leaky"

    def __init__(self, every=0):
        self._every = every
        self._inner = make_agent("tag")

    def act(self, observation):
        if self._every and observation.to_call and observation.hand_number % self._every == 0:
            return Action("fold")
        return self._inner.act(observation)


class Broken(Leaky):
    """Raises an exception in every n-th hand."""

    name = "broken"

    def act(self, observation):
        if self._every and observation.hand_number % self._every == 0:
            raise ValueError("broken")
        return self._inner.act(observation)


def config(every=0, *, seeds="s", per_match=30, others=("callstation", "tight"), mine="mine", **sections):
    return {
        "participants": [{"id": mine, "type": "leaky", "params": {"every": every}}, *others],
        "seeds": {"perMatch": per_match, "masterSeed": seeds},
        "game": {"handsPerGame": 10},
        "scheduler": {"policy": "round_robin"},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": len(others) * (len(others) + 1) // 2}},
        **sections,
    }


@cache
def played(values, agent):
    """Return the result of a config, as JSON; each is played once."""
    return run_benchmark(json.loads(values), agents={"leaky": agent})


def run(name="run", every=0, agent=Leaky, **options):
    return ComparedRun(name, played(json.dumps(config(every, **options)), agent))


@pytest.fixture
def base():
    return run("old")


@pytest.fixture
def weak():
    return run("new", 2)


def only(found):
    (difference,) = found.differences
    return difference


def test_the_same_twice_differs_by_exactly_nothing(base):
    again = ComparedRun("new", run_benchmark(config(), agents={"leaky": Leaky}))
    found = compare(base, again)
    assert [each.new_id for each in found.differences] == ["mine", "callstation", "tight"]
    for each in found.differences:
        assert (each.change.interval(), each.judged.verdict, each.paired) == ((0.0, 0.0), "not worse", True)
    assert found.warnings == ()


def test_the_difference_is_that_of_the_margins_seed_pair_by_seed_pair(base, weak):
    options = {"rating": {"estimator": "raw"}}
    old, new = run("old", others=("callstation",), **options), run("new", 2, others=("callstation",), **options)
    found = only(compare(old, new, agents=[("mine", "mine")]))
    pairs = zip(old.result.matches[0].margins["raw"], new.result.matches[0].margins["raw"], strict=True)
    changes = [after - before for before, after in pairs]
    assert found.change.mean == pytest.approx(fmean(changes))
    assert found.change.error == pytest.approx(stdev(changes) / sqrt(len(changes)))
    assert found.change.free == sum(each != 0 for each in changes) - 1


def test_on_the_same_cards_the_interval_is_narrower_than_on_others(base):
    """The same margins, once by the seeds they had, once as if those were others."""
    new = run("new", 7)
    paired = only(compare(base, new, agents=[("mine", "mine")]))
    won = [side.won("mine", "adjusted") for side in (base, new)]
    apart = change_of([(0.5, [*each.values()]) for side in won for each in side.values()])
    assert paired.change.error < 0.7 * apart.error


def test_other_seeds_are_compared_unpaired_and_that_is_said(base):
    found = compare(base, run("new", 2, seeds="others"), agents=[("mine", "mine")])
    each = only(found)
    assert not each.paired
    assert each.seed_pairs == (60, 60)
    assert each.change.mean == pytest.approx(each.new - each.old)
    assert "share no cards" in found.warnings[0]


def test_only_the_seeds_of_both_runs_count_however_they_are_cut_into_matches():
    twice = {"adjacentConfidence": None, "budget": {"maxMatches": 2}}
    old, new = run("old", others=("callstation",)), run("new", per_match=5, others=("callstation",), stop=twice)
    found = only(compare(old, new, agents=[("mine", "mine")]))
    assert found.seed_pairs == (10,)
    assert found.change.interval() == (0.0, 0.0)


def test_the_order_of_matches_and_of_participants_does_not_matter():
    old, new = run("old", others=("callstation",)), run("new", 2, others=("callstation",))
    values = config(2, others=("callstation",))
    values["participants"].reverse()
    turned = ComparedRun("new", played(json.dumps(values), Leaky))
    one, two = (only(compare(old, each, agents=[("mine", "mine")])) for each in (new, turned))
    assert one.change.mean == pytest.approx(two.change.mean, abs=1e-6)
    assert (one.judged.verdict, one.seed_pairs) == (two.judged.verdict, two.seed_pairs)


def broken_as_if_the_same(base):
    """Return the result of an agent that raises, with the config of one that does not."""
    return msgspec.structs.replace(run("new", 3, agent=Broken).result, config=base.result.config)


def coded(base, code):
    return ComparedRun(code, base.result, {"mine": {"code": code}})


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (lambda base: (base, run("new", 2)), "mine is not the same in both runs (params): what others"),
        (
            lambda base: (coded(base, "a"), coded(base, "b")),
            "mine is not the same in both runs (code): what others",
        ),
        (
            lambda base: (base, ComparedRun("new", broken_as_if_the_same(base))),
            "in new alone: what",
        ),
    ],
    ids=["params", "code", "faults"],
)
def test_an_opponent_that_is_another_one_is_left_out_with_a_warning(base, runs, said):
    found = compare(*runs(base), agents=[("tight", "tight")])
    assert [*only(found).by_opponent] == ["callstation"]
    (warning,) = found.warnings
    assert said in warning


def test_a_weakened_bot_is_worse_whatever_it_is_called_and_the_other_way_round_better(base, weak):
    worse = only(compare(base, weak, agents=[("mine", "mine")]))
    better = only(compare(weak, base, agents=[("mine", "mine")]))
    assert (worse.judged.verdict, better.judged.verdict) == ("worse", "better")
    assert worse.change.mean == pytest.approx(-better.change.mean)
    assert worse.change.mean == pytest.approx(worse.new - worse.old)
    assert set(worse.by_opponent) == {"callstation", "tight"}
    assert worse.seed_pairs == (60,)
    renamed = only(compare(base, run("new", 2, mine="better"), agents=[("mine", "better")]))
    assert (renamed.judged.verdict, renamed.name) == ("worse", "mine > better")


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ({"handsPerGame": 5}, "game.handsPerGame is 10 in old and 5 in new"),
        ({"bigBlind": 200}, "game.bigBlind is 100 in old and 200 in new"),
        ({"stack": 5000}, "game.stack is 10000 in old and 5000 in new"),
        ({"maxRetries": 5}, None),
    ],
)
def test_other_games_cannot_be_compared_and_another_patience_is_a_warning(base, game, said):
    other = load_config(config(game={"handsPerGame": 10, **game}))
    new = ComparedRun("new", msgspec.structs.replace(base.result, config=other))
    if said is None:
        assert compare(base, new).warnings == ("game.maxRetries is 2 in old and 5 in new",)
        return
    with pytest.raises(MoltBenchError, match=said):
        compare(base, new)


def test_someone_without_a_common_opponent_cannot_be_compared(base):
    with pytest.raises(MoltBenchError, match="nothing to compare mine by"):
        compare(base, run("new", others=("maniac",)), agents=[("mine", "mine")])
    with pytest.raises(MoltBenchError, match="nothing to compare"):
        compare(base, run("new", others=("maniac",)))


def test_someone_who_is_not_there_is_named(base):
    with pytest.raises(
        ConfigError, match="--agent = 'nobody': expected an agent in old: one of mine, callstation, tight"
    ):
        compare(base, base, agents=[("nobody", "mine")])


def test_a_version_that_hardly_answers_is_worse_whatever_it_won(base):
    """It raises in every third hand, and wins from opponents who pay for that: its result is not one of its play."""
    for margin in (None, 100_000):
        found = compare(base, run("new", 3, agent=Broken), agents=[("mine", "mine")], margin=margin)
        verdict, (reason,) = only(found).judged
        assert verdict == "worse"
        assert "gave no usable answer" in reason
        assert "faults decided its result" in found.warnings[-1]


def shares_wrong(draw, count, runs=1500):
    """Return how often equals are claimed to be better, and worse."""
    dice = np.random.default_rng(count)
    found = [change_of([(1.0, draw(dice, count).tolist())]).interval() for _ in range(runs)]
    return sum(low > 0 for low, _ in found) / runs, sum(high < 0 for _, high in found) / runs


def rare_loss(dice, count):
    """Draw seed pairs of mean 0, one in 33 of which is a loss of 10 deviations."""
    return np.where(dice.random(count) < 1 / 33, -10.0, dice.standard_normal(count) + 10 / 32)


@pytest.mark.parametrize("count", one_in(3, [33, 5, 100]))
@pytest.mark.parametrize(
    "draw",
    [lambda dice, count: dice.standard_normal(count), lambda dice, count: 1 - dice.exponential(size=count), rare_loss],
)
def test_equals_are_claimed_to_differ_in_one_of_forty_comparisons_at_most_on_either_side(draw, count):
    """With three standard errors of the simulation; research/one_look.py has the whole table."""
    assert max(shares_wrong(draw, count)) <= 0.025 + 3 * sqrt(0.025 * 0.975 / 1500)


def test_one_opponent_and_many_seed_pairs_are_students_t():
    values = [*map(float, range(-5000, 0)), *map(float, range(1, 5001))]
    known = change_of([(1.0, values)])
    assert known.error == pytest.approx(stdev(values) / sqrt(len(values)))
    assert known.half_width() == pytest.approx(Estimate(0.0, known.error, 9999).half_width(), rel=0.01)


def test_everyone_counts_the_same_however_often_they_were_met():
    known = change_of([(0.5, [10.0] * 100), (0.5, [20.0] * 2)])
    assert (known.mean, known.error) == (15.0, 0.0)


def test_seed_pairs_that_came_out_the_same_make_nobody_sure():
    """They count for the mean; how large a difference may be is known from the few others."""
    few = [1.0] * 6 + [0.5] * 4
    sure, unsure = change_of([(1.0, few * 10)]), change_of([(1.0, few + [0.0] * 90)])
    assert sure.interval()[0] > 0
    assert unsure.free == 9
    assert unsure.interval()[0] < 0


def change(mean, error):
    """Return what so many seed pairs tell that nothing is left to be careful about."""
    return Change(mean, error, 1e9, 0.0, 1e9)


@pytest.mark.parametrize(
    ("mean", "against", "verdict", "said"),
    [
        (-700, {}, "worse", "it surely lost more than 50 bb/100"),
        (-600, {}, "open", "an answer takes about 3.8 times as many seed pairs"),
        (-500, {}, "open", "too close to -50 bb/100 for any number of hands"),
        (-300, {}, "not worse", ""),
        (-100, {}, "not worse", ""),
        (200, {}, "better", ""),
        (200, {"tag": change(-800, 100), "maniac": change(1200, 100)}, "worse", "more than 50 bb/100 to tag"),
        # What would be certain of a single opponent is not, where it is the largest loss of five.
        (200, {"tag": change(-710, 100), "maniac": change(1200, 100)}, "better", ""),
    ],
)
def test_a_change_is_judged_by_its_interval_on_average_and_against_each_opponent(mean, against, verdict, said):
    found = judged(change(mean, 100), 500, 0.95, against=against)
    assert found.verdict == verdict
    assert said in "; ".join(found.reasons)
    assert bool(found.reasons) == (verdict in ("worse", "open"))


def test_opponents_share_the_error_of_one():
    found = {"a": change(-210, 100)}
    assert judged(change(0, 100), 0, 0.95, against=found).verdict == "worse"
    more = {**found, **dict.fromkeys("bcde", change(50, 100))}
    assert judged(change(0, 100), 0, 0.95, against=more).verdict == "open"
