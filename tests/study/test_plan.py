"""What a run will take, against runs that are simulated, and against sums done by hand."""

from itertools import combinations
from math import sqrt
from statistics import fmean

import numpy as np
import pytest

from molt_bench import run_benchmark
from molt_bench.bench.ladder import margin_model
from molt_bench.bench.stop_rules import judge_of
from molt_bench.config.loader import load_config
from molt_bench.errors import ConfigError
from molt_bench.llm.estimate import Estimate
from molt_bench.llm.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange, Tokens
from molt_bench.specs import GameLabel
from molt_bench.study.pilot import LATENCY_S, SD_PER_HAND, Pilot, needs_of, pilot_of
from molt_bench.study.plan import Plan

PRICES = {"openai:test": {"input": 2.0, "cachedInput": 0.5, "output": 8.0}}


def config(*participants, seeds=1, hands=50, **sections):
    return load_config(
        {
            "participants": list(participants),
            "seeds": {"perMatch": seeds},
            "game": {"handsPerGame": hands},
            "stop": {"budget": None},
            **sections,
        }
    )


def bots(count):
    return [{"id": f"p{number}", "type": "tight"} for number in range(count)]


def model(name="model", **fields):
    return {"id": name, "type": "llm", "model": "openai:test", **fields}


def pilot(deviation, *cast):
    """Return a pilot in which a hand varied so much in every pairing."""
    names = [each["id"] if isinstance(each, dict) else each for each in cast]
    variances = {frozenset(pair): (deviation**2, 99) for pair in combinations(names, 2)}
    return Pilot(variances, 100 * len(variances))


def matches_until(planned, deviation, gap, runs):
    """Play Normal margins by the run's own rule until the first two are decided; return when that was, and how."""
    dice = np.random.default_rng(len(planned.participants))
    judge, names = judge_of(planned), [each.id for each in planned.participants]
    times, kinds = [], []
    for _ in range(runs):
        known = margin_model(planned)
        for count in range(1, 5000):
            for first, second in combinations(names, 2):
                lead = gap if first == names[0] else 0.0
                known.add((first, second), [lead + deviation * dice.standard_normal()])
            kind = judge.verdicts(known, [(names[0], names[1])])[0].kind if count >= 4 else "open"
            if kind != "open":
                break
        times.append(count * len(planned.pairings()))
        kinds.append(kind)
    return times, kinds


@pytest.mark.parametrize(
    ("participants", "gap"), [(2, 2000.0), pytest.param(2, 1000.0, marks=pytest.mark.slow), (3, 1500.0)]
)
def test_the_matches_are_those_that_simulated_runs_need(participants, gap):
    planned = config(*bots(participants))
    plan = Plan(planned)
    outcome, matches = plan.deciding(gap)
    times, kinds = matches_until(planned, plan.deviation, gap, runs=60)
    assert outcome == "ordered"
    assert kinds.count("ordered") >= 0.95 * len(kinds)
    assert matches == pytest.approx(fmean(times), rel=0.35)


def test_two_that_are_equal_are_called_tied_when_the_plan_says_so():
    planned = config(*bots(2))
    plan = Plan(planned, pilot=pilot(3000.0, *bots(2)))
    outcome, matches = plan.deciding(0.0)
    times, kinds = matches_until(planned, plan.deviation, 0.0, runs=40)
    assert outcome == "tied"
    assert kinds.count("tied") >= 0.9 * len(kinds)
    assert fmean(times) / 2 <= matches <= 2 * fmean(times)


def test_small_gaps_take_more_and_a_gap_well_within_the_tie_margin_is_a_tie():
    plan = Plan(config(*bots(2)))
    needs = [plan.deciding(gap) for gap in (2000.0, 1000.0, 500.0, 250.0)]
    assert [outcome for outcome, _ in needs] == ["ordered"] * 4
    assert [matches for _, matches in needs] == sorted({matches for _, matches in needs})
    assert plan.deciding(100.0)[0] == plan.deciding(0.0)[0] == "tied"


@pytest.mark.parametrize("gap", [2000.0, 1000.0, 400.0])
@pytest.mark.parametrize("scheduler", [{}, {"reference": "tag"}])
def test_the_matches_that_a_gap_takes_show_that_gap(scheduler, gap):
    plan = Plan(config("tag", "tight", "maniac", "random", scheduler=scheduler))
    _, matches = plan.deciding(gap)
    assert plan.shown_by(matches)[0] <= gap
    assert matches == plan.opening or plan.shown_by(matches - 1)[0] > gap


def test_at_the_same_hands_the_leads_of_a_gauntlet_vary_twice_as_much():
    """A match between two that are ranked tells about both, one with the reference about one."""
    cast = ("tag", "tight", "random", "maniac", "shover")
    ways = [config(*cast, scheduler=each) for each in ({}, {"reference": "tag"})]
    everybody, gauntlet = (Plan(each).shown_by(400)[0] for each in ways)
    assert gauntlet / everybody == pytest.approx(sqrt(2), rel=0.1)


def test_a_gap_that_would_sooner_be_called_tied_is_not_promised():
    plan = Plan(config(*bots(2)))
    gap, tied = plan.shown_by(10**6)
    assert tied
    assert plan.deciding(gap)[0] == "ordered"
    assert plan.deciding(0.98 * gap)[0] == "tied"


def test_more_confidence_takes_more():
    sure, surer = (
        Plan(config(*bots(2), stop={"adjacentConfidence": {"threshold": level}, "budget": None})).deciding(1000.0)[1]
        for level in (0.9, 0.99)
    )
    assert sure < surer


def test_what_is_assumed_is_scaled_with_the_hands_of_a_game_and_the_depth_of_the_stacks():
    deep, long = Plan(config(*bots(2))), Plan(config(*bots(2), hands=200))
    assert deep.deviation == pytest.approx(SD_PER_HAND["adjusted"] / 10)
    assert long.deviation == pytest.approx(deep.deviation / 2)
    shallow = Plan(config(*bots(2), game={"handsPerGame": 50, "stack": 2000}))
    assert 0.3 < shallow.deviation / deep.deviation < 0.5


def test_everything_is_counted_in_whole_matches():
    price = Plan(config(*bots(4), seeds=10)).price(12)
    assert (price.matches, price.games, price.hands) == (12, 240, 12_000)


def test_nothing_is_decided_before_the_opening():
    sure = pilot(1.0, *bots(2))
    assert Plan(config(*bots(2)), pilot=sure).deciding(5000.0) == ("ordered", 4)
    more = config(*bots(2), scheduler={"minSeedPairs": 30})
    assert Plan(more, pilot=sure).deciding(5000.0) == ("ordered", 30)
    assert Plan(more).shown_by(29) is None


def test_bots_cost_nothing_and_ask_nobody():
    price = Plan(config(*bots(3))).price(30)
    assert (price.calls, price.tokens, price.usd, price.unpriced) == (0, 0, 0.0, ())
    assert 0 < price.hours < 1


def test_calls_and_dollars_are_what_they_are_by_hand():
    price = Plan(config(model(), "tight", "tag", hands=10, llm={"prices": PRICES})).price(30)
    # Two of the three pairings are the model's.
    hands = 20 * 2 * 10
    assert price.calls == round(1.6 * hands)
    assert price.tokens == pytest.approx((810 + 100) * price.calls, rel=1e-3)
    # The skill document is too short for its provider to cache it.
    assert price.usd == pytest.approx(1.6 * hands * (810 * 2.0 + 100 * 8.0) / 1e6)
    assert price.unpriced == ()


def test_in_a_gauntlet_the_reference_is_asked_in_every_hand():
    one, other = (
        Plan(config(model(), "tag", "tight", scheduler={"reference": name})).price(10) for name in ("model", "tag")
    )
    assert one.calls == round(1.6 * one.hands) == 2 * other.calls


def test_short_replies_cost_less():
    price, short = (
        Plan(config(model(**more), "tight", llm={"prices": PRICES})).price(10) for more in ({}, {"maxTokens": 20})
    )
    assert price.usd - short.usd == pytest.approx(price.calls * 80 * 8.0 / 1e6, rel=1e-3)


def test_what_has_no_price_is_not_free():
    price = Plan(config(model(baseUrl="http://127.0.0.1:1/v1"), "tight")).price(1)
    assert price.usd is None
    assert price.unpriced == ("model",)
    mixed = config(model(), model("own", model="openai:none", baseUrl="http://127.0.0.1:1/v1"), llm={"prices": PRICES})
    both = Plan(mixed).price(1)
    assert both.usd > 0
    assert both.unpriced == ("own",)


def test_published_prices_are_used_without_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert Plan(config("llm:openai:gpt-4.1", "tight")).price(1).usd > 0


def test_the_games_of_a_round_run_at_once():
    price = Plan(config(model(), "tight", seeds=10, hands=10)).price(7)
    assert price.hours - price.hands / 1000 / 3600 == pytest.approx(7 * 10 * 1.6 * LATENCY_S / 3600)


def test_two_models_wait_for_each_other():
    one, two = (
        Plan(config(model(), other, hands=10, llm={"maxConcurrent": 100})).price(30) for other in ("tight", model("b"))
    )
    assert two.hours == pytest.approx(2 * one.hours, rel=0.02)


@pytest.mark.parametrize(("limit", "each_s"), [({"maxConcurrent": 1}, 5), ({"requestsPerMinute": 6}, 10)])
def test_limits_of_a_server_take_time(limit, each_s):
    price = Plan(config(model(**limit), "tight", seeds=10, hands=10)).price(4)
    assert price.hours == pytest.approx((price.calls * each_s + price.hands / 1000) / 3600, rel=1e-6)


def test_dollars_and_tokens_limit_what_is_played():
    def affordable(**budget):
        return Plan(config(model(), "tight", llm={"prices": PRICES}, stop={"budget": budget})).affordable()

    each = Plan(config(model(), "tight", llm={"prices": PRICES})).price(1)
    assert affordable(maxMatches=20) == 20
    assert affordable(maxMatches=20, maxCostUsd=5.5 * each.usd) == 5
    assert affordable(maxMatches=None, maxTokens=3 * each.tokens) == 3
    assert affordable(maxMatches=None) is None


def test_a_pilot_says_how_much_its_seed_pairs_vary():
    played = config("tag", "tight", "callstation", seeds=12, hands=10, stop={"budget": {"maxMatches": 3}})
    result = run_benchmark(played)
    learnt = pilot_of(played, result, [], estimator="raw")
    squares = [
        (margin - fmean(match.margins["raw"])) ** 2 for match in result.matches for margin in match.margins["raw"]
    ]
    free = sum(len(match.margins["raw"]) - 1 for match in result.matches)
    assert learnt.seed_pairs == sum(len(match.margins["raw"]) for match in result.matches)
    assert learnt.deviation(played) == pytest.approx(sqrt(20 * sum(squares) / free))
    longer = Plan(config("tag", "tight", "callstation", hands=40), pilot=learnt)
    assert longer.deviation == pytest.approx(learnt.deviation(played) / sqrt(80))
    assert pilot_of(played, result, [], estimator="adjusted").deviation(played) < learnt.deviation(played)


def test_a_pilot_without_two_seed_pairs_teaches_nothing():
    played = config("tag", "tight", stop={"budget": {"maxMatches": 1}})
    with pytest.raises(ConfigError, match="two seed pairs"):
        pilot_of(played, run_benchmark(played), [], estimator="raw")


def asked(number, game, hand, tokens):
    return Exchange(
        key=str(number),
        participant="model",
        game=game,
        hand=hand,
        decision=1,
        attempt=1,
        prompt_hash="",
        outcome="reply",
        text="",
        tokens=tokens,
        latency_s=float(number),
    )


def test_a_pilot_says_what_its_models_took_so_far():
    played = config("tag", "tight", seeds=2, hands=10, stop={"budget": {"maxMatches": 1}})
    result = run_benchmark({**played.plain(), "participants": [{"id": "model", "type": "tag"}, "tight"]})
    pairs = [pair for match in result.matches for pair in match.seed_results]
    games = [GameLabel(1, game.seed, game.seating) for pair in pairs for game in pair.games]
    exchanges = [asked(at + 1, games[at % 4], 1 + at // 4 % 10, Tokens(1000, 500, 40)) for at in range(60)]
    # A game that is under way, in its third hand.
    exchanges += [asked(61 + at, GameLabel(2, "s", "AB"), 1 + at // 2, Tokens(1000, 500, 40)) for at in range(5)]
    learnt = pilot_of(config(model(), "tight", seeds=2, hands=10), result, exchanges, estimator="raw")
    plan = Plan(config(model("renamed"), "tight", llm={"prices": PRICES}), pilot=learnt)
    (guess,) = plan.models
    assert guess.id == "renamed"
    assert guess.use.calls_per_hand == 65 / 42.5
    assert (guess.use.input_tokens, guess.use.cached_tokens, guess.use.output_tokens) == (1000, 500, 40)
    assert guess.latency_s == 33.0
    assert guess.usd_per_call == pytest.approx((500 * 2.0 + 500 * 0.5 + 40 * 8.0) / 1e6)
    assert guess.measured
    other = Plan(config(model("else", model="openai:else"), "tight"), pilot=learnt).models[0]
    assert (other.measured, other.use.calls_per_hand) == (False, 1.6)


def test_a_gap_that_nobody_can_see_is_an_error():
    no_ties = {"adjacentConfidence": {"tieMarginMbb": 0}, "budget": None}
    with pytest.raises(ConfigError, match="a billion matches"):
        Plan(config(*bots(2), stop=no_ties)).deciding(1e-6)
    with pytest.raises(ConfigError, match="tieMarginMbb is 0"):
        Plan(config(*bots(2), stop=no_ties)).deciding(0.0)


def guessed(hands=50, **settings):
    return needs_of("model", LLMSettings(model="openai:gpt-4.1", **settings), Pilot(), PriceList({}), hands=hands)


def test_a_plan_knows_what_memory_adds():
    strict = guessed()
    assert guessed(memory="session").use.input_tokens > strict.use.input_tokens + 500
    assert strict.asked == "action/1, standard"


def test_what_a_pilot_used_with_another_form_of_replies_is_not_taken():
    settings, prices = LLMSettings(model="openai:gpt-4.1"), PriceList({})
    known = Pilot(models={"model by action/1": (Estimate(7.0, 100.0, 20.0, 30.0), 4.0)})
    found = needs_of("model", settings, known, prices)
    assert (found.use.calls_per_hand, found.latency_s, found.measured) == (7.0, 4.0, True)
    other = settings.model_copy(update={"reply": "strategy"})
    assert needs_of("model", other, known, prices).use.output_tokens == 140
