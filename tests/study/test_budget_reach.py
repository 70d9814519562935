"""What a budget buys: the inverse of what a gap takes, for each way to spend it."""

from math import sqrt

import pytest

from molt_bench import run_benchmark
from molt_bench.config.loader import load_config
from molt_bench.errors import ConfigError
from molt_bench.study.budget_reach import ways, what_it_buys
from molt_bench.study.pilot import Pilot, pilot_of
from molt_bench.study.planner import Planner

PRICES = {"openai:test": {"input": 2.0, "cachedInput": 0.5, "output": 8.0}}
MODELS = tuple({"id": name, "type": "llm", "model": "openai:test"} for name in ("one", "two", "three"))


def config(*participants, seeds=2, hands=50, **sections):
    return load_config(
        {
            "participants": list(participants),
            "seeds": {"perMatch": seeds},
            "game": {"handsPerGame": hands},
            "stop": {"budget": None},
            "llm": {"prices": PRICES},
            **sections,
        }
    )


def labels(found):
    return [(each.config.scheduler.policy, each.config.scheduler.reference) for each in found]


@pytest.mark.parametrize("scheduler", [{}, {"reference": "tag"}])
@pytest.mark.parametrize("gap", [2000.0, 1000.0, 400.0])
def test_the_hands_that_a_gap_takes_buy_that_gap(scheduler, gap):
    planned = config("tag", "tight", "maniac", "random", scheduler=scheduler)
    need = Planner(planned).to_separate(gap)
    bought = what_it_buys(planned, hands=need.hands)[0]
    assert bought.need.hands == need.hands
    assert bought.need.target <= gap
    less = what_it_buys(planned, hands=need.hands - Planner(planned).assumed.pairings * 2 * 2 * 50)[0]
    assert less.need is None or less.need.target > gap * 0.999


def test_a_gap_that_would_sooner_be_called_tied_is_not_promised():
    planned = config("tag", "tight")
    rich = what_it_buys(planned, hands=10**9)[0].need
    assert Planner(planned).to_separate(rich.target).outcome == "ordered"
    assert Planner(planned).to_separate(0.98 * rich.target).outcome == "tied"


def test_more_hands_never_buy_a_larger_gap():
    gaps = [
        what_it_buys(config("tag", "tight", "random"), hands=hands)[0].need.target for hands in (3e3, 1e4, 1e5, 1e7)
    ]
    assert gaps == sorted(gaps, reverse=True)


def test_at_the_same_hands_the_leads_of_a_gauntlet_vary_twice_as_much():
    """A match between two that are ranked tells about both, one with the reference about one."""
    everybody, gauntlet = what_it_buys(config("tag", "tight", "random", "maniac", "shover"), hands=120_000)
    assert gauntlet.need.target / everybody.need.target == pytest.approx(sqrt(2), rel=0.05)


def test_with_a_reference_that_costs_nothing_dollars_buy_about_the_same_gap_either_way():
    everybody, gauntlet, *_ = what_it_buys(config(*MODELS, "tag"), usd=2000.0)
    assert gauntlet.need.hands > 1.4 * everybody.need.hands
    assert gauntlet.need.target / everybody.need.target == pytest.approx(1, abs=0.2)


def test_a_gauntlet_needs_a_smaller_opening():
    found = what_it_buys(config("tag", "tight", "random", "maniac", "shover", seeds=4), hands=4 * 4 * 2 * 50)
    assert [each.need is None for each in found] == [True, False]
    assert found[0].least == 10 * 4 * 2 * 50


@pytest.mark.parametrize(
    ("participants", "scheduler", "found"),
    [
        (("tight", "blueprint", "random"), {}, [("information_gain", None), ("gauntlet", "blueprint")]),
        (("tight", "callstation", "random"), {}, [("information_gain", None), ("gauntlet", "tight")]),
        (
            ("tag", {"id": "ours", "type": "maniac", "anchor": True}, "random"),
            {"policy": "round_robin"},
            [("round_robin", None), ("gauntlet", "ours")],
        ),
        (("tight", "tag", "random"), {"reference": "random"}, [("gauntlet", "random"), ("information_gain", None)]),
        (("tight", "tag"), {}, [("information_gain", None)]),
        (("tight", "tag"), {"reference": "tag"}, [("gauntlet", "tag")]),
    ],
)
def test_the_reference_is_an_anchor_or_the_blueprint_or_another_bot(participants, scheduler, found):
    planned = config(*participants, scheduler=scheduler)
    assert labels(ways(planned)) == found


@pytest.mark.parametrize("bots", [(), ("tag",)])
def test_for_models_the_blueprint_is_added_as_a_reference(bots):
    _, gauntlet, *_ = ways(config(*MODELS, *bots))
    assert gauntlet.added
    assert [each.id for each in gauntlet.config.participants] == ["one", "two", "three", *bots, "blueprint"]
    assert len(gauntlet.config.pairings()) == 3 + len(bots)


def test_a_config_decided_by_matches_won_has_no_gauntlet():
    openskill = {"adjacentConfidence": {"method": "openskill"}, "budget": None}
    assert len([*ways(config("tight", "tag", "random", stop=openskill))]) == 1


def test_a_pilot_counts_more_than_what_is_assumed_of_the_blueprint():
    pilot = Pilot(10_000.0, 50)
    found = [Planner(config("tight", name), pilot=pilot).assumed.deviation for name in ("tag", "blueprint")]
    assert found[0] == found[1]


def test_of_two_budgets_the_tighter_counts():
    planned = config(*MODELS, "tag")
    by_hands = what_it_buys(planned, hands=20_000)[0]
    both = what_it_buys(planned, hands=20_000, usd=1e6)[0]
    assert (both.limit, both.need) == ("hands", by_hands.need)
    by_dollars = what_it_buys(planned, usd=30.0)[0]
    both = what_it_buys(planned, hands=10**9, usd=30.0)[0]
    assert (both.limit, both.need) == ("dollars", by_dollars.need)
    assert 29 < both.need.usd <= 30


def test_a_budget_too_small_for_any_opening_is_told_the_least():
    with pytest.raises(ConfigError, match=r"--hands = 100: expected at least 1,200: .*in a gauntlet against tag"):
        what_it_buys(config("tag", "tight", "random", "maniac"), hands=100)
    with pytest.raises(ConfigError, match=r"--dollars = 0.01: expected at least \$5.41: every pairing plays 4 seed"):
        what_it_buys(config(*MODELS, "tag"), usd=0.01)


def test_dollars_buy_nothing_where_nothing_has_a_price():
    with pytest.raises(ConfigError, match="--hands here"):
        what_it_buys(config("tag", "tight"), usd=5.0)
    own = {"id": "own", "type": "llm", "model": "openai:none", "baseUrl": "http://127.0.0.1:1/v1"}
    with pytest.raises(ConfigError, match="there is none for own"):
        what_it_buys(config(own, MODELS[0]), usd=5.0)


class TestGauntletPlan:
    def test_a_pilot_says_how_much_the_pairings_of_the_reference_vary(self):
        cast = ("tight", "callstation", "maniac")
        played = config(*cast, seeds=12, hands=10, stop={"budget": {"maxMatches": 3}})
        pilot = pilot_of(played, run_benchmark(played), [], estimator="raw")
        everybody, gauntlet = what_it_buys(config(*cast), hands=50_000, pilot=pilot)
        assert gauntlet.way.config.scheduler.reference == "tight"
        of_tight = [pilot.variances[frozenset({"tight", name})] for name in ("callstation", "maniac")]
        pooled = sum(own * free for own, free in of_tight) / sum(free for _, free in of_tight)
        assert gauntlet.assumed.deviation == pytest.approx(sqrt(pooled / 100))
        assert everybody.assumed.deviation == pytest.approx(pilot.deviation_per_hand / 10)
        assert gauntlet.need.target < everybody.need.target  # the calling station and the maniac vary much more

    def test_it_has_a_pairing_for_everybody_but_the_reference(self):
        planner = Planner(config("tag", "tight", "random", "maniac", seeds=1, scheduler={"reference": "random"}))
        need = planner.to_separate(1000.0)
        assert (planner.assumed.pairings, need.matches) == (3, 3 * need.seed_pairs)

    def test_the_reference_is_asked_in_every_hand(self):
        planned = config(MODELS[0], "tag", "tight", scheduler={"reference": "one"})
        need = Planner(planned).to_separate(1000.0)
        assert need.calls == round(1.6 * need.hands)
        planned = config(MODELS[0], "tag", "tight", scheduler={"reference": "tag"})
        need = Planner(planned).to_separate(1000.0)
        assert need.calls == round(1.6 * need.hands / 2)

    def test_anchors_change_nothing(self):
        plain = [{"id": name, "type": "tight"} for name in "abcd"]
        anchored = [{**each, "anchor": each["id"] in "bd"} for each in plain]
        needs = [Planner(config(*cast, scheduler={"reference": "d"})).to_separate(800.0) for cast in (plain, anchored)]
        assert needs[0] == needs[1]
