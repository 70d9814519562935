"""What a run will take, against runs that are simulated, and against sums done by hand."""

from itertools import combinations
from math import sqrt
from statistics import fmean

import numpy as np
import pytest

from molt_bench import run_benchmark
from molt_bench.agents.llm.money.prices import PriceList
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.types import Exchange, Tokens
from molt_bench.config.loader import load_config
from molt_bench.errors import ConfigError
from molt_bench.rating.boundary import Boundary
from molt_bench.rating.estimate import Estimate
from molt_bench.rating.model import MarginModel
from molt_bench.rating.verdicts import Judge
from molt_bench.specs import GameLabel
from molt_bench.study.pilot import SD_PER_HAND, Pilot, guess_of, pilot_of
from molt_bench.study.planner import Planner

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


def stopping_times(planner, names, gap, runs):
    """Play Normal margins by the run's own rule until the first two are decided; return when that was, and how."""
    dice = np.random.RandomState(len(names))
    times, kinds = [], []
    judge = Judge(Boundary(0.05, 250.0, 4))
    for _ in range(runs):
        known = MarginModel(names, hands=100)
        skill = {name: gap if name == names[0] else 0.0 for name in names}
        for count in range(1, 5000):
            for first, second in combinations(names, 2):
                drawn = skill[first] - skill[second] + planner.assumed.deviation * dice.standard_normal()
                known.add((first, second), [drawn])
            kind = "open"
            if count >= 4:
                kind = judge.verdicts(known, [(names[0], names[1])])[0].kind
            if kind != "open":
                break
        times.append(count)
        kinds.append(kind)
    return times, kinds


@pytest.mark.parametrize(("participants", "gap"), [(2, 2000.0), (2, 1000.0), (3, 1500.0)])
def test_the_seed_pairs_are_those_that_simulated_runs_need(participants, gap):
    planner = Planner(config(*bots(participants)))
    need = planner.to_separate(gap)
    times, kinds = stopping_times(planner, [f"p{number}" for number in range(participants)], gap, runs=150)
    assert need.outcome == "ordered"
    assert kinds.count("ordered") >= 0.95 * len(kinds)
    assert need.seed_pairs == pytest.approx(fmean(times), rel=0.25)


def test_two_that_are_equal_are_called_tied_when_the_plan_says_so():
    planner = Planner(config(*bots(2), rating={"estimator": "raw"}), pilot=Pilot(4000.0, 100))
    need = planner.to_separate(0.0)
    times, kinds = stopping_times(planner, ["p0", "p1"], 0.0, runs=60)
    assert need.outcome == "tied"
    assert kinds.count("tied") >= 0.9 * len(kinds)
    assert need.seed_pairs == pytest.approx(fmean(times), rel=0.25)


def test_an_interval_of_that_width_is_what_simulated_results_have():
    planner = Planner(config(*bots(3)))
    need = planner.to_interval(400.0)
    dice = np.random.RandomState(3)
    widths = []
    for _ in range(40):
        known = MarginModel(["p0", "p1", "p2"], hands=100)
        for pair in combinations(known.participants, 2):
            known.add(pair, [*(planner.assumed.deviation * dice.standard_normal(need.seed_pairs))])
        found = known.sums.results()
        widths.append(Estimate(0.0, float(found.error[0, 1]), float(found.free[0, 1])).half_width(0.95))
    assert need.outcome == "interval"
    assert fmean(widths) == pytest.approx(400.0, rel=0.06)


def test_small_gaps_take_more_and_a_gap_below_half_the_tie_margin_is_a_tie():
    planner = Planner(config(*bots(2)))
    needs = [planner.to_separate(gap) for gap in (2000.0, 1000.0, 500.0, 250.0)]
    assert [need.outcome for need in needs] == ["ordered"] * 4
    assert [need.seed_pairs for need in needs] == sorted({need.seed_pairs for need in needs})
    assert planner.to_separate(100.0).outcome == planner.to_separate(0.0).outcome == "tied"


def test_more_confidence_takes_more():
    sure, surer = (Planner(config(*bots(2)), confidence=level).to_separate(1000.0) for level in (0.9, 0.99))
    assert sure.seed_pairs < surer.seed_pairs


def test_the_prior_is_scaled_with_the_hands_of_a_game_and_the_depth_of_the_stacks():
    deep, long = Planner(config(*bots(2))), Planner(config(*bots(2), hands=200))
    assert deep.assumed.deviation == pytest.approx(SD_PER_HAND["adjusted"] / 10)
    assert long.assumed.deviation == pytest.approx(deep.assumed.deviation / 2)
    shallow = Planner(config(*bots(2), game={"handsPerGame": 50, "stack": 2000}))
    assert 0.3 < shallow.assumed.deviation / deep.assumed.deviation < 0.5


def test_everything_is_counted_in_whole_matches_of_all_pairings():
    need = Planner(config(*bots(4), seeds=10)).to_separate(1000.0)
    assert need.seed_pairs % 10 == 0
    assert need.matches == 6 * need.seed_pairs // 10
    assert need.games == 2 * 6 * need.seed_pairs
    assert need.hands == 50 * need.games


def test_nothing_is_decided_before_the_least_number_of_seed_pairs():
    assert Planner(config(*bots(2)), pilot=Pilot(1.0, 9)).to_separate(5000.0).seed_pairs == 4
    more = config(*bots(2), scheduler={"minSeedPairs": 30})
    assert Planner(more, pilot=Pilot(1.0, 9)).to_separate(5000.0).seed_pairs == 30


def test_bots_cost_nothing_and_ask_nobody():
    need = Planner(config(*bots(3))).to_separate(1000.0)
    assert (need.calls, need.tokens, need.usd, need.unpriced) == (0, 0, 0.0, ())
    assert 0 < need.hours == need.hours_one_by_one < 1


def test_calls_and_dollars_are_what_they_are_by_hand():
    planner = Planner(config(model(), "tight", "tag", hands=10, llm={"prices": PRICES}))
    need = planner.to_separate(1000.0)
    # Two of the three pairings are the model's.
    hands = 2 * (need.seed_pairs * 2 * 10)
    assert need.calls == round(1.6 * hands)
    assert need.tokens == pytest.approx((981 + 100) * need.calls, rel=1e-3)
    # The skill document is too short for its provider to cache it.
    assert need.usd == pytest.approx(1.6 * hands * (981 * 2.0 + 100 * 8.0) / 1e6)
    assert need.unpriced == ()


def test_short_replies_cost_less():
    need, short = (
        Planner(config(model(**more), "tight", llm={"prices": PRICES})).to_separate(1000.0)
        for more in ({}, {"maxTokens": 20})
    )
    assert need.usd - short.usd == pytest.approx(need.calls * 80 * 8.0 / 1e6, rel=1e-3)


def test_what_has_no_price_is_not_free():
    need = Planner(config(model(baseUrl="http://127.0.0.1:1/v1"), "tight")).to_separate(1000.0)
    assert need.usd is None
    assert need.unpriced == ("model",)
    mixed = config(model(), model("own", model="openai:none", baseUrl="http://127.0.0.1:1/v1"), llm={"prices": PRICES})
    both = Planner(mixed).to_separate(1000.0)
    assert both.usd > 0
    assert both.unpriced == ("own",)


def test_published_prices_are_used_without_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert Planner(config("llm:openai:gpt-4.1", "tight")).to_separate(1000.0).usd > 0


def test_the_games_of_a_round_run_at_once():
    planner = Planner(config(model(), "tight", seeds=10, hands=10), latency_s=2.0)
    need = planner.to_separate(1000.0)
    bots_h = need.hands / 1000 / 3600
    assert need.hours - bots_h == pytest.approx(need.matches * 10 * 1.6 * 2.0 / 3600)
    assert need.hours_one_by_one - bots_h == pytest.approx(need.calls * 2.0 / 3600, rel=1e-3)


def test_two_models_wait_for_each_other_and_more_matches_a_round_take_less_time():
    one = Planner(config(model(), "tight", hands=10)).to_separate(1000.0)
    two = Planner(config(model(), model("other"), hands=10)).to_separate(1000.0)
    assert two.hours == pytest.approx(2 * one.hours, rel=0.02)
    slow, quick = (
        Planner(config(model(), "tight", "tag", hands=10, scheduler={"matchesPerRound": size})).to_separate(1000.0)
        for size in (1, 3)
    )
    assert quick.hours == pytest.approx(slow.hours / 2, rel=0.02)


@pytest.mark.parametrize("limit", [{"maxConcurrent": 1}, {"requestsPerMinute": 12}])
def test_limits_of_a_server_take_time(limit):
    need = Planner(config(model(**limit), "tight", seeds=10, hands=10)).to_separate(1000.0)
    assert need.hours == pytest.approx(need.hours_one_by_one, rel=1e-6)


def test_what_the_budget_ends_before_is_said():
    small = config(*bots(2), stop={"budget": {"maxMatches": 20}})
    assert Planner(small).to_separate(250.0).beyond == "maxMatches: 20"
    assert Planner(config(*bots(2))).to_separate(250.0).beyond is None


def test_a_pilot_says_how_much_its_seed_pairs_vary():
    played = config("tag", "tight", "callstation", seeds=12, hands=10, stop={"budget": {"maxMatches": 3}})
    result = run_benchmark(played)
    learnt = pilot_of(played, result, [], estimator="raw")
    squares = [
        (margin - fmean(match.margins["raw"])) ** 2 for match in result.matches for margin in match.margins["raw"]
    ]
    free = sum(len(match.margins["raw"]) - 1 for match in result.matches)
    assert learnt.seed_pairs == sum(len(match.margins["raw"]) for match in result.matches)
    assert learnt.deviation_per_hand == pytest.approx(sqrt(20 * sum(squares) / free))
    longer = Planner(config("tag", "tight", "callstation", hands=40), pilot=learnt)
    assert longer.assumed.deviation == pytest.approx(learnt.deviation_per_hand / sqrt(80))
    assert pilot_of(played, result, [], estimator="adjusted").deviation_per_hand < learnt.deviation_per_hand


def test_a_pilot_without_two_seed_pairs_teaches_nothing():
    played = config("tag", "tight", stop={"budget": {"maxMatches": 1}})
    with pytest.raises(ConfigError, match="two seed pairs"):
        pilot_of(played, run_benchmark(played), [], estimator="raw")


def asked(number, match, tokens):
    return Exchange(
        key=str(number),
        participant="model",
        game=GameLabel(match, "s", "AB"),
        hand=1,
        decision=1,
        attempt=1,
        prompt_hash="",
        outcome="reply",
        text="",
        tokens=tokens,
        latency_s=float(number),
    )


def test_a_pilot_says_what_its_models_took_in_finished_matches():
    played = config("tag", "tight", seeds=2, hands=10, stop={"budget": {"maxMatches": 1}})
    result = run_benchmark({**played.plain(), "participants": [{"id": "model", "type": "tag"}, "tight"]})
    exchanges = [asked(number, 1, Tokens(1000, 500, 40)) for number in range(1, 61)]
    exchanges += [asked(number, 2, Tokens(9, 9, 9)) for number in range(61, 90)]  # a match that was cut off
    learnt = pilot_of(config(model(), "tight", seeds=2, hands=10), result, exchanges, estimator="raw")
    planner = Planner(config(model("renamed"), "tight", llm={"prices": PRICES}), pilot=learnt)
    (guess,) = planner.assumed.models
    assert guess.id == "renamed"
    assert guess.calls_per_hand == 60 / 40
    assert (guess.input_tokens, guess.cached_tokens, guess.output_tokens) == (1000, 500, 40)
    assert guess.latency_s == 30.5
    assert guess.usd_per_call == pytest.approx((500 * 2.0 + 500 * 0.5 + 40 * 8.0) / 1e6)
    assert guess.measured
    assert Planner(config(model(), "tight"), pilot=learnt, latency_s=1.0).assumed.models[0].latency_s == 1.0
    other = Planner(config(model("else", model="openai:else"), "tight"), pilot=learnt).assumed.models[0]
    assert (other.measured, other.calls_per_hand) == (False, 1.6)


def test_a_gap_that_nobody_can_see_is_an_error():
    with pytest.raises(ConfigError, match="a billion seed pairs"):
        Planner(config(*bots(2))).to_interval(1e-9)


@pytest.mark.parametrize(
    ("name", "characters", "cached"),
    [
        ("openai:gpt-4.1", 2_000, 0),
        ("openai:gpt-4.1", 8_000, 2048),
        ("anthropic:claude-sonnet-4-5", 8_000, 2091),
        ("anthropic:claude-opus-4-5", 8_000, 0),
        ("google:gemini-2.5-pro", 8_000, 0),
        ("google:gemini-2.5-flash", 8_000, 2091),
        ("groq:any", 8_000, 0),
    ],
)
def test_a_plan_counts_as_cached_what_a_provider_will_cache(tmp_path, name, characters, cached):
    skill = tmp_path / "skill.md"
    skill.write_text("x" * characters)
    settings = LLMSettings(model=name, skill_doc=str(skill))
    found = guess_of("model", settings, None, PriceList({}), None)
    assert (found.cached_tokens, found.input_tokens) == (cached, 900 - 596 + round(characters / 3.9) + 40)


def guessed(hands=50, **settings):
    return guess_of("model", LLMSettings(model="openai:gpt-4.1", **settings), None, PriceList({}), None, hands=hands)


def test_a_plan_knows_what_memory_adds():
    strict = guessed()
    assert guessed(memory="session").input_tokens > strict.input_tokens + 500
    assert strict.asked == "action/1, standard"


def test_what_a_pilot_used_with_another_form_of_replies_is_not_taken():
    settings = LLMSettings(model="openai:gpt-4.1")
    known = Pilot(1.0, 2, {"model by action/1": guessed()})
    assert guess_of("model", settings, known, PriceList({}), None) == guessed()
    other = settings.model_copy(update={"reply": "strategy"})
    assert guess_of("model", other, known, PriceList({}), None).output_tokens == 140
