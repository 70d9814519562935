"""What a model or its server may do wrong, over real HTTP: each is told apart, counted right, and the run goes on."""

import gc
import traceback
import warnings
from collections import Counter

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game, run_benchmark
from molt_bench.arena.status import Observer
from molt_bench.errors import ProviderError
from molt_bench.llm.reply import LONGEST_REPLY
from molt_bench.runs.replies import Replies
from tests.cases import one_in
from tests.llm import wire
from tests.llm.playing import (
    DECISIONS,
    GAMES,
    HANDS,
    STREETS,
    assert_complete,
    config,
    faults_of,
    model,
    passive,
    prompts_of,
    run,
)
from tests.llm.provider import AFTER, FAULTS, Provider

KEY = "sk-very-secret-1234"

#: What the model itself does wrong, by the kind of fault it is.
MODEL_FAULTS = {
    "drip": "timeout",
    "empty-reply": "empty",
    "cut-reply": "truncated",
    "cut-reply-stop": "truncated",
    "refusal": "refused",
    "content-filter": "refused",
    "400-prompt": "refused",
    "400-filter": "refused",
    "403-moderation": "refused",
    "400-context": "refused",
    "413": "refused",
    "prose-only": "unparsable",
    "wrong-schema": "unparsable",
    "giant": "unparsable",
    "giant-junk": "unparsable",
    "illegal": "illegal",
}
#: What is an answer all the same.
TAKEN = ("prose", "two-objects", "open-think", "echo-key", "surrogate")
#: What is nobody's play: the connection, the server, and bodies that are not the API's.
TRANSPORT_FAULTS = (
    *("429", "529", "500", "503", "reset", "reset-midway"),
    *("empty-body", "html", "cut-json", "wrong-body", "no-choices", "error-200", "finish-error", "hang"),
)
FATAL_FAULTS = ("401", "404", "429-quota")
ONE_OF_EACH = ("drip", "400-prompt", "empty-reply", "cut-reply", "refusal", "prose-only", "illegal")


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    """Import what the first request imports, which no time limit of a test is to pay for."""
    with Provider(policy=passive) as provider:
        run(provider, game={"handsPerGame": 1})


#: Seconds after which a silent model is given up on; far more than any answer takes, on any machine.
LIMIT_S = 3.0


def timeout_for(fault):
    """Return settings of a game with a time limit where the fault needs one."""
    return {"actionTimeoutS": LIMIT_S} if fault in ("hang", "drip") else {}


def slow(faults, *some):
    """Return the faults as parameters, some of which take too long for every day."""
    return [pytest.param(fault, marks=pytest.mark.slow) if fault in some else fault for fault in faults]


def test_every_fault_of_the_provider_is_in_one_of_the_tables():
    tables = [*MODEL_FAULTS, *TRANSPORT_FAULTS, *FATAL_FAULTS, "400", *AFTER, *TAKEN]
    assert sorted(tables) == sorted(FAULTS)


# One failure


@pytest.mark.parametrize("fault", slow(MODEL_FAULTS, "drip"))
def test_one_bad_answer_is_one_fault_that_the_model_is_told_about(fault):
    with Provider(policy=passive, fault=[None, fault]) as provider:
        result = run(provider, game=timeout_for(fault))
        prompts = prompts_of(provider)
    (found,) = faults_of(result)
    assert (found.kind, found.hand_number, found.attempt, found.forced_fold) == (MODEL_FAULTS[fault], 1, 1, False)
    assert result.matches[0].participants[found.player] == "model"
    assert found.message
    assert f"Your last answer was not taken: {found.message}\n" in prompts[2]
    assert sum("Your last answer was not taken" in prompt for prompt in prompts) == 1
    assert len(prompts) == DECISIONS + 1
    assert (result.usage[0].decisions, result.usage[0].exchanges) == (DECISIONS, DECISIONS + 1)
    assert result.usage[0].requests == DECISIONS + 1
    assert_complete(result)


@pytest.mark.parametrize("fault", TRANSPORT_FAULTS)
def test_one_failed_request_is_sent_again_and_is_no_fault(fault):
    with Provider(policy=passive, fault=[None, fault]) as provider:
        result = run(provider, game=timeout_for(fault))
        prompts = prompts_of(provider)
    assert faults_of(result) == []
    assert prompts[1] == prompts[2]
    assert len(prompts) == DECISIONS + 1
    assert len({*prompts}) == DECISIONS
    usage = result.usage[0]
    assert (usage.decisions, usage.exchanges, usage.requests) == (DECISIONS, DECISIONS, DECISIONS + 1)
    assert_complete(result)


@pytest.mark.parametrize("fault", ["429", "reset", "html"])
def test_trouble_on_the_way_does_not_show_in_the_records(fault):
    with Provider(fault=[None, fault, None, None, fault]) as troubled, Provider() as calm:
        assert run(troubled).matches == run(calm).matches


# One decision


@pytest.mark.parametrize("fault", slow(ONE_OF_EACH, "drip"))
def test_a_decision_that_fails_every_time_is_force_folded_and_the_rest_is_played(fault):
    with Provider(policy=passive, fault=[None, fault, fault, fault]) as provider:
        game = {"maxRetries": 2, **timeout_for(fault)}
        result = run(provider, game=game, maxConcurrent=1)
        received = provider.received
    found = faults_of(result)
    assert [fault.kind for fault in found] == [MODEL_FAULTS[fault]] * 3
    assert [(fault.hand_number, fault.attempt, fault.forced_fold) for fault in found] == [
        (1, 1, False),
        (1, 2, False),
        (1, 3, True),
    ]
    assert received == 1 + 3 + DECISIONS - STREETS
    assert_complete(result)


# Every request


@pytest.mark.parametrize("fault", one_in(3, [fault for fault in MODEL_FAULTS if fault not in ("giant", "drip")]))
def test_a_model_that_never_answers_well_folds_every_hand_and_is_rated(fault):
    retries = 1
    with Provider(policy=passive, fault=lambda _: fault) as provider:
        result = run(provider, game={"maxRetries": retries, **timeout_for(fault)}, games_at_once=None)
        received = provider.received
    found = faults_of(result)
    assert Counter((fault.kind, fault.attempt, fault.forced_fold) for fault in found) == {
        (MODEL_FAULTS[fault], 1, False): HANDS * GAMES,
        (MODEL_FAULTS[fault], 2, True): HANDS * GAMES,
    }
    assert received == (retries + 1) * HANDS * GAMES
    assert_complete(result)
    assert [rating.id for rating in result.leaderboard] == ["callstation", "model"]


def test_a_server_that_comes_back_is_asked_on_and_nothing_shows_in_the_records():
    said = []
    with Provider(fault=lambda request: "503" if 5 <= request.number < 15 else None) as provider:
        wanted = config(model(provider), llm={"transportRetries": 1})
        troubled = run_benchmark(wanted, observer=Observer(on_warning=said.append))
    with Provider() as provider:
        calm = run(provider)
    assert troubled.matches == calm.matches
    assert ["is paused" in text for text in said] == [True, False]
    assert "answers again, after" in said[1]


def test_while_one_model_is_paused_the_others_play():
    with Provider(policy=passive, fault=lambda _: "503") as away, Provider(policy=passive) as good:
        bots = [{"id": name, "type": name} for name in ("tight", "callstation")]
        players = [model(away, id="away"), bots[0], bots[1], model(good, id="good")]  # two matches in each round
        wanted = config(*players, llm={"transportRetries": 0, "backoffS": 0.002}, game={"handsPerGame": 1})
        wanted["scheduler"] = {"policy": "round_robin"}
        wanted["stop"]["budget"]["maxMatches"] = 3
        with pytest.raises(ProviderError, match=r"^away "):
            run_benchmark(wanted)
        assert good.received >= GAMES * STREETS


@pytest.mark.parametrize("fault", one_in(4, TRANSPORT_FAULTS))
def test_a_model_is_never_told_of_trouble_on_the_way(fault):
    with Provider(policy=passive, fault=[None, fault, fault, fault, "prose-only"]) as provider:
        run(provider, llm={"transportRetries": 0}, game=timeout_for(fault))
        told = [prompt for prompt in prompts_of(provider) if "not taken" in prompt]
    assert len(told) == 1
    assert "has no JSON object" in told[0]


@pytest.mark.parametrize("api", ["openai", "anthropic", "google"])
def test_the_libraries_of_the_providers_do_not_try_again_on_their_own(api):
    with Provider(policy=passive, fault=lambda _: "500") as provider:
        with pytest.raises(ProviderError):
            run(provider, api=api, llm={"backoffS": 0, "transportRetries": 0})
        assert provider.received == 1


def test_a_model_that_stays_silent_ends_the_run_and_is_told_how_it_gets_longer():
    with Provider(policy=passive, fault=lambda request: "hang" if request.number > 3 else None) as provider:
        with pytest.raises(ProviderError, match=r"no answer within 0\.5 s; game\.actionTimeoutS gives"):
            run(
                provider, game={"actionTimeoutS": 0.5}, llm={"backoffS": 0.0025, "transportRetries": 1}, maxConcurrent=1
            )
        prompts = prompts_of(provider)
    assert len(prompts) > 4
    assert len({*prompts[3:]}) == 1


def test_one_question_that_is_never_answered_while_others_are_is_a_timeout():
    """The provider is there, so the model takes too long over this one."""

    def never(request):
        return "hang" if wire.prompt_of("openai", request.body) == hung[0] else None

    hung = [""]
    with Provider(policy=passive, fault=never, latency_s=0.05) as provider:
        run(provider, game={"handsPerGame": 1}, seeds=1)
        hung[0] = prompts_of(provider)[-1]
        game = {"actionTimeoutS": 0.5, "maxRetries": 0, "handsPerGame": 1}
        result = run(provider, game=game, seeds=8, games_at_once=2, llm={"transportRetries": 1})
    assert [fault.kind for fault in faults_of(result)] == ["timeout"]
    assert_complete(result, hands=1, games=16)


# Refused for good


@pytest.mark.parametrize("fault", FATAL_FAULTS)
@pytest.mark.parametrize("earlier", [0, 3])
def test_what_will_never_work_ends_the_run_with_one_line_and_without_the_key(fault, earlier, monkeypatch):
    monkeypatch.setenv("A_KEY", KEY)
    with Provider(policy=passive, fault=[*[None] * earlier, fault]) as provider:
        with pytest.raises(
            ProviderError, match=r"^model \(openai:gpt-4\.1\) at http://127.+ cannot be asked: "
        ) as caught:
            run(provider, apiKeyEnv="A_KEY")
        assert provider.received == earlier + 1
        assert provider.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "\n" not in str(caught.value)
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_request_that_is_refused_twice_at_first_ends_the_run():
    with Provider(policy=passive, fault=lambda _: "400") as provider:
        with pytest.raises(ProviderError, match="cannot be asked"):
            run(provider)
        assert provider.received == 2


@pytest.mark.parametrize("answered", [0, 1])
def test_one_refusal_may_pass(answered):
    with Provider(policy=passive, fault=[*[None] * answered, "400"]) as provider:
        result = run(provider)
        assert provider.received == DECISIONS + 1
    assert faults_of(result) == []
    assert_complete(result)


def test_nothing_is_tried_again_once_the_run_has_failed():
    with Provider(policy=passive, fault=["500", "401"], latency_s=lambda number: 0.1 * (number - 1)) as provider:
        with pytest.raises(ProviderError):
            run(provider, games_at_once=None, llm={"backoffS": 5.0})
        assert provider.received == 2


# Pauses and limits


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["429-after", "503-after"])
def test_a_pause_that_the_server_asks_for_is_kept(fault):
    with Provider(policy=passive, fault=[None, fault], retry_after=1.0) as provider:
        result = run(provider)
        failed, again = provider.requests[1:3]
        assert provider.received == DECISIONS + 1
    assert again.start - failed.start >= 1.0
    assert faults_of(result) == []
    assert_complete(result)


@pytest.mark.parametrize("fault", ["429-after", "503-after"])
def test_a_server_that_asks_for_a_very_long_pause_is_not_waited_for(fault):
    with Provider(policy=passive, fault=[None, fault], retry_after=3600) as provider:
        with pytest.raises(ProviderError, match="asks for a pause of 3,600 s"):
            run(provider)
        assert provider.received == 2


def test_after_a_refusal_fewer_are_in_flight_and_later_as_many_as_before():
    def latency(number):
        return 1.0 if number <= 8 else 0.2

    with Provider(policy=passive, fault=["429-after-ms"], latency_s=latency, retry_after=0.5) as provider:
        result = run(provider, seeds=6, games_at_once=None, maxConcurrent=8, game={"handsPerGame": 1})
        requests = sorted(provider.requests, key=lambda request: request.start)
        assert provider.most_in_flight == 8
    refused = provider.requests[0]
    later = [request for request in requests if request.start > refused.end + 0.4]
    first_end = min(request.end for request in later)
    at_first = sum(request.start < first_end for request in later)
    assert at_first < 8
    assert max(in_flight_at(request.start, later) for request in later) > at_first
    assert faults_of(result) == []


def in_flight_at(moment, requests):
    return sum(request.start <= moment < request.end for request in requests)


def test_a_server_that_bears_few_at_once_gets_few_and_nobody_is_at_fault():
    def fault(_):
        return "429" if provider.in_flight > 8 else None

    with Provider(policy=passive, latency_s=lambda number: 0.3 if number <= 30 else 0.01, fault=fault) as provider:
        result = run(provider, seeds=15, games_at_once=None, game={"handsPerGame": 1})
        assert provider.received > 30 * STREETS
    assert faults_of(result) == []
    assert_complete(result, hands=1, games=30)


def first_slow(count):
    """Return latencies such that the first so many requests are surely in flight at once, if they may."""
    return lambda number: 1.0 if number <= count else 0.02


def test_no_more_requests_are_in_flight_than_allowed():
    with Provider(policy=passive, latency_s=first_slow(3)) as provider:
        result = run(provider, seeds=3, games_at_once=None, game={"handsPerGame": 1}, maxConcurrent=3)
        assert provider.most_in_flight == 3
    assert_complete(result, hands=1, games=6)


def test_participants_that_share_a_model_share_its_limit():
    with Provider(policy=passive, latency_s=first_slow(2)) as provider:
        both = [model(provider, id=name, maxConcurrent=most) for name, most in (("a", 2), ("b", 5))]
        result = run_benchmark(config(*both, seeds=3, game={"handsPerGame": 1}))
        assert provider.most_in_flight == 2
    assert_complete(result, hands=1, games=6)


def test_games_at_once_bounds_the_requests_in_flight():
    with Provider(policy=passive, latency_s=first_slow(3)) as provider:
        run(provider, seeds=3, games_at_once=3, game={"handsPerGame": 1})
        assert provider.most_in_flight == 3


def test_requests_a_minute_are_kept_to():
    interval_s = 0.1
    with Provider(policy=passive) as provider:
        run(provider, games_at_once=None, game={"handsPerGame": 1}, requestsPerMinute=60 / interval_s)
        starts = [request.start for request in provider.requests]
    assert len(starts) == STREETS * GAMES
    assert starts[-1] - starts[0] >= (len(starts) - 2) * interval_s  # the first may have been slow to arrive


# What is kept


@pytest.mark.parametrize("fault", ["giant", "giant-junk"])
def test_of_a_giant_reply_only_the_beginning_is_kept(fault, tmp_path):
    path = tmp_path / "replies.jsonl"
    recorder = Replies(str(path))
    with Provider(policy=passive, fault=[fault]) as provider:
        result = run(provider, recorder=recorder)
    recorder.close()
    kept = Replies.reopen(str(path), read_only=True).earlier
    assert max(len(exchange.text) for exchange in kept) == LONGEST_REPLY + 1
    assert path.stat().st_size < 2 * LONGEST_REPLY
    assert [fault.message for fault in faults_of(result)] == [f"the reply is longer than {LONGEST_REPLY:,} characters"]


@pytest.mark.parametrize("api", ["openai", "anthropic", "google"])
def test_a_key_that_a_model_repeats_is_not_kept(api, monkeypatch, tmp_path):
    monkeypatch.setenv("A_KEY", KEY)
    path = tmp_path / "replies.jsonl"
    recorder = Replies(str(path))
    with Provider(policy=passive, fault=lambda _: "echo-key") as provider:
        result = run(provider, api=api, apiKeyEnv="A_KEY", recorder=recorder)
        assert {wire.key_of(request.path, request.headers) for request in provider.requests} == {KEY}
    recorder.close()
    assert KEY not in path.read_text("utf-8")
    assert KEY not in repr(result)
    assert "The key is [key], is it not?" in path.read_text("utf-8")


def test_no_key_is_sent_to_a_server_of_the_users_own_unless_it_is_named(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Provider(policy=passive) as provider:
        run(provider)
        assert KEY not in str(provider.requests)


# Order and time


def test_how_many_games_are_played_at_once_does_not_show_in_the_records():
    def fault(request):
        return "illegal" if len(wire.prompt_of("openai", request.body)) % 5 == 0 else None

    with Provider(fault=fault) as provider:
        one = run(provider, seeds=4, games_at_once=1)
        assert provider.most_in_flight == 1
    with Provider(fault=fault, latency_s=lambda number: 0.05 if number % 3 else 0.1) as provider:
        many = run(provider, seeds=4, games_at_once=None)
        assert provider.most_in_flight > 1
    assert one.matches == many.matches
    assert faults_of(one)


def test_a_failing_model_does_not_hold_up_or_harm_the_other():
    with Provider(policy=passive, fault=lambda _: "refusal") as bad, Provider(policy=passive) as good:
        result = run_benchmark(config(model(bad, id="bad"), model(good, id="good"), game={"maxRetries": 0}))
    players = [result.matches[0].participants[fault.player] for fault in faults_of(result)]
    assert players == ["bad"] * HANDS * GAMES
    assert [rating.id for rating in result.leaderboard] == ["good", "bad"]
    assert_complete(result)


def test_a_run_leaves_nothing_open():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with Provider(policy=passive, fault=[None, "hang", "reset", "reset-midway", "html"]) as provider:
            run(provider, seeds=2, games_at_once=None, game={"actionTimeoutS": 2.0})
        gc.collect()
    assert [str(each.message) for each in caught if each.category is ResourceWarning] == []


def test_single_games_leave_nothing_open():
    with warnings.catch_warnings(record=True) as caught, Provider(policy=passive) as provider:
        warnings.simplefilter("always")
        spec = ParticipantSpec(id="model", type="llm", params={"model": "openai:gpt-4.1", "baseUrl": provider.url})
        agent, bot = make_agent(spec), make_agent(ParticipantSpec(id="callstation", type="callstation"))
        for seed in (1, 2):
            assert play_game((agent, bot), seed=seed, hands=1).faults == ()
        del agent
        gc.collect()
    assert [str(each.message) for each in caught if each.category is ResourceWarning] == []
