"""What a run will take, against runs that are simulated, and against sums done by hand."""

from itertools import combinations
from math import ceil, sqrt
from statistics import fmean

import msgspec
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


@pytest.mark.parametrize(("participants", "matches"), [(2, 30), pytest.param(2, 120, marks=pytest.mark.slow), (3, 150)])
def test_two_that_are_as_far_apart_as_a_budget_shows_are_ordered_by_about_then(participants, matches):
    plan = Plan(config(*bots(participants)))
    gap, _ = plan.shown_by(matches)
    times, kinds = matches_until(plan.config, plan.deviation, gap, runs=60)
    assert kinds.count("ordered") >= 0.95 * len(kinds)
    assert matches == pytest.approx(fmean(times), rel=0.35)


def test_a_budget_that_shows_ties_has_two_that_are_equal_called_tied():
    sure = Pilot(deviation=3000.0, seed_pairs=100)
    plan = Plan(config(*bots(2)), pilot=sure)
    matches = next(count for count in range(4, 5000) if plan.shown_by(count)[1])
    times, kinds = matches_until(plan.config, plan.deviation, 0.0, runs=40)
    assert kinds.count("tied") >= 0.9 * len(kinds)
    assert fmean(times) / 3 <= matches <= 3 * fmean(times)


def test_at_the_same_hands_the_leads_of_a_gauntlet_vary_twice_as_much():
    """A match between two that are ranked tells about both, one with the reference about one."""
    cast = ("tag", "tight", "random", "maniac", "shover")
    ways = [config(*cast, scheduler=each) for each in ({}, {"policy": "gauntlet"})]
    everybody, gauntlet = (Plan(each).shown_by(400)[0] for each in ways)
    assert gauntlet / everybody == pytest.approx(sqrt(2), rel=0.1)


def test_more_confidence_shows_less():
    sure, surer = (
        Plan(config(*bots(2), stop={"adjacentConfidence": {"threshold": level}, "budget": None})).shown_by(100)[0]
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


def test_nothing_is_shown_before_the_opening():
    plan = Plan(config(*bots(2), scheduler={"minSeedPairs": 30}))
    assert plan.shown_by(29) is None
    assert plan.shown_by(30) is not None


def test_bots_cost_nothing_and_ask_no_one():
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
        Plan(config(*cast, scheduler={"policy": "gauntlet"})).price(10)
        for cast in ((model(), "tag", "tight"), ("tag", model(), "tight"))
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
    one, two = (Plan(config(model(), other, hands=10)).price(30) for other in ("tight", model("b")))
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
    by_estimator = {
        name: pilot_of(result, [], load_config({**played.plain(), "rating": {"estimator": name}}))
        for name in ("raw", "adjusted")
    }
    learnt = by_estimator["raw"]
    squares = [
        (margin - fmean(match.margins["raw"])) ** 2 for match in result.matches for margin in match.margins["raw"]
    ]
    free = sum(len(match.margins["raw"]) - 1 for match in result.matches)
    assert learnt.seed_pairs == sum(len(match.margins["raw"]) for match in result.matches)
    assert learnt.deviation == pytest.approx(sqrt(20 * sum(squares) / free))
    longer = Plan(config("tag", "tight", "callstation", hands=40), pilot=learnt)
    assert longer.deviation == pytest.approx(learnt.deviation / sqrt(80))
    assert by_estimator["adjusted"].deviation < learnt.deviation


def test_a_pilot_of_the_same_config_says_what_its_order_takes_as_the_headline_does():
    played = config("tag", "folder", "callstation", seeds=4, hands=10, stop={"budget": {"maxMatches": 6}})
    result = run_benchmark(played)
    known = margin_model(played)
    for match in result.matches:
        known.add(match.participants, match.margins["adjusted"])
    judge = judge_of(played)
    times = judge.more_play(judge.neighbours(known, known.ranking()))
    assert pilot_of(result, [], played).deciding == ceil(len(result.matches) * times)
    other = config("tag", "folder", "callstation", seeds=4, hands=20)
    assert pilot_of(result, [], other).deciding is None


def test_a_pilot_without_two_seed_pairs_teaches_nothing():
    played = config("tag", "tight", stop={"budget": {"maxMatches": 1}})
    with pytest.raises(ConfigError, match="two seed pairs"):
        pilot_of(run_benchmark(played), [], played)


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
    of_models = config(model(), "tight", seeds=2, hands=10)
    learnt = pilot_of(msgspec.structs.replace(result, config=of_models), exchanges, of_models)
    plan = Plan(config(model("renamed"), "tight", llm={"prices": PRICES}), pilot=learnt)
    (guess,) = plan.models
    assert guess.id == "renamed"
    assert guess.use.calls_per_hand == 65 / 43
    assert (guess.use.input_tokens, guess.use.cached_tokens, guess.use.output_tokens) == (1000, 500, 40)
    assert guess.latency_s == 33.0
    assert guess.usd_per_call == pytest.approx((500 * 2.0 + 500 * 0.5 + 40 * 8.0) / 1e6)
    assert guess.measured
    other = Plan(config(model("else", model="openai:else"), "tight"), pilot=learnt).models[0]
    assert (other.measured, other.use.calls_per_hand) == (False, 1.6)


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
