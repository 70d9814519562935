"""Two runs side by side: on the same cards, on others, and whether the interval keeps its promise."""

from math import inf, sqrt
from statistics import fmean, stdev

import numpy as np
import pytest

from molt_bench import Action, make_agent, run_benchmark
from molt_bench.config.loader import load_config
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.rating.student import Estimate
from molt_bench.study.change_verdict import mean_over_opponents
from molt_bench.study.comparison import Difference, Run, compare


class Leaky:
    """Plays like `tag`, but folds in every so manieth hand where it has to pay."""

    name = "leaky"

    def __init__(self, every=0):
        self._every = every
        self._inner = make_agent("tag")

    def act(self, observation):
        if self._every and observation.to_call and observation.hand_number % self._every == 0:
            return Action("fold")
        return self._inner.act(observation)


def config(every=0, *, seeds="s", per_match=20, others=("callstation", "tight"), mine="mine", **sections):
    return {
        "participants": [{"id": mine, "type": "leaky", "params": {"every": every}}, *others],
        "seeds": {"perMatch": per_match, "masterSeed": seeds},
        "game": {"handsPerGame": 10},
        "scheduler": {"policy": "round_robin"},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": len(others) * (len(others) + 1) // 2}},
        **sections,
    }


def run(name="run", every=0, **options):
    values = config(every, **options)
    return Run(name, load_config(values), run_benchmark(values, agents={"leaky": Leaky}))


@pytest.fixture(scope="module")
def base():
    return run("old")


@pytest.fixture(scope="module")
def weak():
    return run("new", 2)


def only(found):
    (difference,) = found.differences
    return difference


def test_the_same_twice_differs_by_exactly_nothing(base):
    found = compare(base, run("new"))
    assert [each.new_id for each in found.differences] == ["mine", "callstation", "tight"]
    for each in found.differences:
        assert (each.change.mean, each.interval, each.verdict, each.paired) == (0.0, (0.0, 0.0), "within", True)
    assert found.warnings == ()


def test_a_weakened_bot_is_worse_and_the_other_way_round_better(base, weak):
    worse = only(compare(base, weak, agents=[("mine", "mine")]))
    better = only(compare(weak, base, agents=[("mine", "mine")]))
    assert (worse.verdict, better.verdict) == ("worse", "better")
    assert worse.change.mean == pytest.approx(-better.change.mean)
    assert worse.change.mean == pytest.approx(worse.new - worse.old)
    assert set(worse.opponents) == {"callstation", "tight"}
    assert worse.seed_pairs == (40,)


def test_the_difference_is_that_of_the_margins_seed_pair_by_seed_pair(base, weak):
    options = {"rating": {"estimator": "raw"}}
    old, new = run("old", others=("callstation",), **options), run("new", 2, others=("callstation",), **options)
    found = only(compare(old, new, agents=[("mine", "mine")]))
    pairs = zip(old.result.matches[0].margins["raw"], new.result.matches[0].margins["raw"], strict=True)
    changes = [after - before for before, after in pairs]
    assert found.change.mean == pytest.approx(fmean(changes))
    assert found.change.scale == pytest.approx(stdev(changes) / sqrt(len(changes)))
    assert found.change.free == len(changes) - 1


def test_on_the_same_cards_the_interval_is_narrower_than_on_others(base):
    """The same margins, once by the seeds they had, once as if those were others."""
    new = run("new", 7)
    paired = only(compare(base, new, agents=[("mine", "mine")]))
    apart = [mean_over_opponents(side.won("mine", "adjusted")) for side in (base, new)]
    assert paired.change.scale < 0.7 * sqrt(sum(known.scale**2 for known in apart))


def test_other_seeds_are_compared_unpaired_and_that_is_said(base):
    found = compare(base, run("new", 2, seeds="others"), agents=[("mine", "mine")])
    each = only(found)
    assert not each.paired
    assert each.seed_pairs == (40, 40)
    assert each.change.mean == pytest.approx(each.new - each.old)
    assert "share no cards" in found.warnings[0]


def test_only_the_seeds_of_both_runs_count_however_they_are_cut_into_matches():
    twice = {"adjacentConfidence": None, "budget": {"maxMatches": 2}}
    old, new = run("old", others=("callstation",)), run("new", per_match=5, others=("callstation",), stop=twice)
    found = only(compare(old, new, agents=[("mine", "mine")]))
    assert found.seed_pairs == (10,)
    assert found.interval == (0.0, 0.0)


def test_the_order_of_matches_and_of_participants_does_not_matter():
    old, new = run("old", others=("callstation",)), run("new", 2, others=("callstation",))
    values = config(2, others=("callstation",))
    values["participants"].reverse()
    turned = Run("new", load_config(values), run_benchmark(values, agents={"leaky": Leaky}))
    one, two = (only(compare(old, each, agents=[("mine", "mine")])) for each in (new, turned))
    assert one.change.mean == pytest.approx(two.change.mean, abs=1e-6)
    assert (one.verdict, one.seed_pairs) == (two.verdict, two.seed_pairs)


def test_an_agent_with_another_name_can_be_compared(base):
    new = run("new", 2, mine="better")
    found = compare(base, new, agents=[("mine", "better")])
    assert only(found).verdict == "worse"
    assert only(found).name == "mine > better"


def test_an_opponent_that_has_changed_is_left_out_with_a_warning(base, weak):
    found = compare(base, weak, agents=[("tight", "tight")])
    assert [*only(found).opponents] == ["callstation"]
    assert found.warnings == ("mine is not the same in both runs (params): what others won from it is left out",)


def test_an_opponent_whose_code_has_changed_is_left_out(base):
    old, new = (Run(base.name, base.config, base.result, {"mine": code}) for code in ("a", "b"))
    found = compare(old, new, agents=[("tight", "tight")])
    assert [*only(found).opponents] == ["callstation"]
    assert "(code)" in found.warnings[0]


def test_somebody_without_a_common_opponent_cannot_be_compared(base):
    with pytest.raises(MoltBenchError, match="no opponent that is the same"):
        compare(base, run("new", others=("maniac",)), agents=[("mine", "mine")])
    with pytest.raises(MoltBenchError, match="nothing to compare"):
        compare(base, run("new", others=("maniac",)))


def test_somebody_who_is_not_there_is_named(base):
    with pytest.raises(
        ConfigError, match="--agent = 'nobody': expected somebody in old: one of mine, callstation, tight"
    ):
        compare(base, base, agents=[("nobody", "mine")])


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ({"handsPerGame": 5}, "game.handsPerGame is 10 in old and 5 in new"),
        ({"handsPerGame": 10, "bigBlind": 200}, "game.bigBlind is 100 in old and 200 in new"),
        ({"handsPerGame": 10, "stack": 5000}, "game.stack is 10000 in old and 5000 in new"),
    ],
)
def test_other_games_cannot_be_compared(base, game, said):
    new = Run("new", load_config(config(game=game)), base.result)
    with pytest.raises(MoltBenchError, match=said):
        compare(base, new)


def test_another_patience_with_faults_is_a_warning(base):
    new = Run("new", load_config(config(game={"handsPerGame": 10, "maxRetries": 5})), base.result)
    assert compare(base, new).warnings == ("game.maxRetries is 2 in old and 5 in new",)


def drawn(dice, seeds, opponents, *, together):
    """Return changes that have mean 0, with a part that all opponents of a seed have in common."""
    common = {seed: together * dice.standard_normal() for seed in range(max(seeds.values()))}
    return {
        name: {seed: common[seed] + dice.standard_normal() * spread for seed in range(seeds[name])}
        for name, spread in opponents.items()
    }


@pytest.mark.parametrize(
    ("seeds", "together"),
    [({"a": 12, "b": 12, "c": 12}, 0.0), ({"a": 12, "b": 12, "c": 12}, 2.0), ({"a": 40, "b": 8, "c": 20}, 1.0)],
    ids=["apart", "together", "unequal"],
)
@pytest.mark.slow
def test_the_interval_holds_the_truth_95_times_in_100(seeds, together):
    dice = np.random.RandomState(5)
    opponents = {"a": 1.0, "b": 2.0, "c": 0.5}
    held = 0
    for _ in range(2000):
        low, high = mean_over_opponents(drawn(dice, seeds, opponents, together=together)).interval(0.95)
        held += low <= 0 <= high
    assert 0.935 <= held / 2000 <= 0.975


def test_one_opponent_is_students_t():
    known = mean_over_opponents({"a": {1: 1.0, 2: 2.0, 3: 6.0}})
    assert (known.mean, known.free) == (3.0, 2)
    assert known.scale == pytest.approx(stdev([1, 2, 6]) / sqrt(3))


def test_everybody_counts_the_same_however_often_they_were_met():
    many, few = dict.fromkeys(range(100), 10.0), dict.fromkeys(range(2), 20.0)
    known = mean_over_opponents({"many": many, "few": few})
    assert known.mean == 15.0
    assert known.scale == 0.0
    assert known.half_width(0.95) != inf


def known_change(**by_opponent):
    """Return a difference with this change against each opponent: its mean and standard error."""
    found = {name: Estimate(mean, scale, 1e9) for name, (mean, scale) in by_opponent.items()}
    count = len(found)
    change = Estimate(
        fmean(each.mean for each in found.values()), sqrt(sum(each.scale**2 for each in found.values())) / count, 1e9
    )
    interval, numbers = change.interval(), {"seed_pairs": (100,), "old": 0.0, "new": change.mean, "change": change}
    said = {"verdict": "unknown", "interval": interval, "confidence": 0.95}
    return Difference("a", "a", dict.fromkeys(found, "auto"), True, **numbers, by_opponent=found, **said)


def test_a_loss_to_one_opponent_is_not_lost_in_the_games_against_others():
    found = known_change(callstation=(-1000.0, 100.0), maniac=(500.0, 600.0))
    assert found.interval[0] < 0 < found.interval[1]
    assert found.lost_to(500) == "callstation"
    assert found.lost(500)
    assert not found.lost(900)


def test_opponents_share_the_error_of_one():
    """A loss that would be certain against a single opponent is not, where it is the largest of five."""
    assert known_change(a=(-210.0, 100.0)).lost(0)
    assert not known_change(a=(-210.0, 100.0), **dict.fromkeys("bcde", (50.0, 100.0))).lost(0)


def test_a_gate_sees_a_loss_if_it_would_notice_twice_that_four_times_in_five():
    found = known_change(a=(0.0, 100.0))
    reach = (1.959964 + 0.841621) * 100
    assert found.sees(1.001 * reach)
    assert not found.sees(0.999 * reach)
    assert found.seed_pairs_to_see(reach / 2) == pytest.approx(400, abs=1)
    draws = np.random.default_rng(1).normal(-2 * reach, 100, 20_000)
    assert np.mean(draws + 196 < -reach) == pytest.approx(0.8, abs=0.01)
