"""Several runs of the same config as one: the ratings are those of one long run, and no card counts twice."""

import pytest

from molt_bench import run_benchmark
from molt_bench.config.loader import load_config
from molt_bench.rating.student import Estimate
from molt_bench.report.analysis import Analysis
from molt_bench.study.comparison import Run
from molt_bench.study.pooling import pools


def values(seed, **more):
    return {
        "participants": ["tag", "callstation", "random"],
        "seeds": {"perMatch": 4, "masterSeed": seed},
        "game": {"handsPerGame": 8},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 6}},
        "scheduler": {"policy": "round_robin"},
        **more,
    }


def played(name, seed, **more):
    config = values(seed, **more)
    return Run(name, load_config(config), run_benchmark(config), bench_version=6)


@pytest.fixture(scope="module")
def runs():
    return [played("first", "one"), played("second", "two"), played("copy", "one")]


def test_runs_on_other_cards_are_added_and_a_copy_is_left_out(runs):
    (pool,) = pools(runs, unfit={"broken": "it cannot be read"})
    assert pool.runs == ("first", "second")
    assert set(pool.left_out) == {"copy", "broken"}
    assert "cards of first" in pool.left_out["copy"]
    assert len(pool.result.matches) == 12
    assert [match.number for match in pool.result.matches] == list(range(1, 13))


def test_the_margins_are_those_of_all_seed_pairs_together(runs):
    (pool,) = pools(runs)
    model = Analysis(pool.result).models["raw"]
    for one, two in (("tag", "callstation"), ("tag", "random"), ("callstation", "random")):
        won = [
            margin
            for run in runs[:2]
            for match in run.result.matches
            if match.participants == (one, two)
            for margin in match.margins["raw"]
        ]
        assert model.count(one, two) == len(won) == 16
        found: Estimate = model.margin(one, two)
        assert found.mean == pytest.approx(sum(won) / len(won))


def test_more_runs_make_the_interval_narrower(runs):
    (pool,) = pools(runs)
    alone = {row.rating.id: row.half_width for row in Analysis(runs[0].result).rows}
    for row in Analysis(pool.result).rows:
        assert row.half_width < alone[row.rating.id]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"game": {"handsPerGame": 8, "stack": 4000}}, "game.stack is 4000 in it, not 10000"),
        ({"participants": ["tag", "callstation"]}, "other agents play in it: tag, callstation"),
        ({"seeds": {"perMatch": 2, "masterSeed": "x"}}, "seeds.perMatch is 2 in it, not 4"),
        ({"rating": {"estimator": "raw"}}, "rating.estimator is raw in it, not auto"),
        ({"sandbox": "off"}, "sandbox is off in it, not None"),
    ],
)
def test_a_run_of_another_config_is_left_out_and_the_reason_named(runs, more, said):
    other = Run("other", load_config(values("x", **more)), runs[0].result, bench_version=6)
    (pool,) = pools([*runs, other])
    assert pool.left_out["other"] == said


def test_an_agent_whose_code_changed_or_another_version_of_the_rules_is_another_config(runs):
    first, second, _ = runs
    changed = Run("changed", first.config, first.result, {"tag": "hash"}, bench_version=6)
    older = Run("older", first.config, first.result, bench_version=5)
    (pool,) = pools([first, second, changed, older])
    assert pool.left_out == {
        "changed": "agent tag is not the same in it (code)",
        "older": "bench version is 5 in it, not 6",
    }


def test_budget_and_schedule_may_differ(runs):
    longer = played("longer", "three", stop={"budget": {"maxMatches": 3}}, scheduler={"policy": "information_gain"})
    (pool,) = pools([*runs, longer])
    assert pool.runs == ("first", "second", "longer")


def test_one_run_alone_is_no_pool(runs):
    assert pools(runs[:1]) == []


def test_models_keep_the_harness_that_their_runs_recorded(runs):
    asked = [Run(each.name, each.config, each.result, harnesses={"tag": "mixed/1"}, bench_version=6) for each in runs]
    (pool,) = pools(asked)
    assert pool.result.harnesses == {"tag": "mixed/1"}
