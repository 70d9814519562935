"""Batches: requests that can wait, at half the price. Each is submitted once, whatever the server does."""

import json
from itertools import product

import pytest

from molt_bench.agents.llm.money.prices import Price, PriceList
from molt_bench.agents.llm.providers import anthropic
from molt_bench.agents.llm.sending import batches as batch
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.errors import ProviderError
from molt_bench.study.pilot import guess_of
from tests.agents.llm import wire
from tests.agents.llm.batch_server import RESET
from tests.agents.llm.playing import DECISIONS, MODELS, assert_complete, faults_of, passive, run
from tests.agents.llm.provider import Provider
from tests.agents.llm.proxy import Proxy
from tests.cases import one_in

APIS = ("openai", "anthropic")


@pytest.fixture(autouse=True)
def _quickly(monkeypatch):
    """Wait for as little as a test needs."""
    monkeypatch.setattr(batch, "QUIET_S", 0.1)
    monkeypatch.setattr(batch, "POLL_S", 0.02)
    monkeypatch.setattr(batch, "_TRY_AGAIN_S", 0.05)
    monkeypatch.setattr(anthropic, "_LOOK_AGAIN_S", 0.02)


def batched(provider, api="openai", **settings):
    """Play two games of one hand at once, in batches."""
    return run(provider, api=api, batch=True, **{"games_at_once": 2, "game": {"handsPerGame": 1}, **settings})


def sizes(provider):
    return [len(each["requests"]) for each in provider.desk.batches.values()]


@pytest.mark.parametrize(("mode", "api"), one_in(3, product(["native", "tool", "prompted", "text"], APIS)))
def test_what_is_open_is_one_batch_and_the_play_is_the_same(api, mode):
    with Provider(policy=passive) as provider:
        result = batched(provider, api, outputMode=mode)
        in_batches, size = provider.requests, sizes(provider)
    with Provider(policy=passive) as provider:
        plain = run(provider, api=api, outputMode=mode, game={"handsPerGame": 1})
        by_themselves = provider.requests
    assert result.matches == plain.matches
    assert size == [2] * (DECISIONS // 4)
    bodies = [{name: value for name, value in each.body.items() if name != "stream"} for each in by_themselves]
    assert sorted(map(json.dumps, bodies)) == sorted(json.dumps(each.body) for each in in_batches)
    assert result.usage[0].modes == (mode,)


@pytest.mark.parametrize("api", APIS)
def test_it_costs_half(api):
    price = {"input": 100.0, "output": 1000.0}
    costs = []
    for settings in ({}, {"batch": True}):
        with Provider(policy=passive) as provider:
            result = run(provider, api=api, llm={"prices": {MODELS[api]: price}}, game={"handsPerGame": 1}, **settings)
            costs.append(result.usage[0].cost_usd)
    # The question before the first card is asked by itself.
    before = 100e-6 * (wire.tokens("Are you ready?") + wire.CACHED) + 1000e-6 * (wire.tokens("Ready.") + wire.THOUGHTS)
    assert costs[1] - before == pytest.approx((costs[0] - before) / 2)


def test_a_plan_counts_half():
    prices = PriceList({"openai:m": Price(input=2, output=8)})
    found = [guess_of("m", LLMSettings(model="openai:m", batch=on), None, prices, None) for on in (False, True)]
    assert found[1].usd_per_call == found[0].usd_per_call / 2
    assert found[1].latency_s > found[0].latency_s


def test_it_goes_with_samples_and_tools():
    def policy(prompt, body):
        return passive(prompt, body) if wire.answers_of("openai", body) else wire.Asks([("pot_odds", {})])

    with Provider(policy=policy) as provider:
        result = batched(provider, samples=2, tools=["pot_odds"])
        assert sizes(provider) == [4] * (2 * DECISIONS // 4)
        assert {*provider.desk.submitted.values()} == {1}
    assert faults_of(result) == []


def once(change):
    """Return a change of the first line of results alone."""
    seen = []

    def spoil(line):
        seen.append(line)
        return change(line) if len(seen) == 1 else line

    return spoil


def refused(status):
    error = {"message": "later", "type": "server_error"}
    return lambda line: {**line, "response": {"status_code": status, "request_id": "r", "body": {"error": error}}}


def errored(kind):
    return lambda line: {**line, "result": {"type": "errored", "error": wire.error("anthropic", kind)}}


SPOILED = {
    "a reply that was refused": ("openai", refused(500)),
    "a reply that was too much": ("openai", refused(429)),
    "a request that expired": (
        "openai",
        lambda line: {**line, "response": None, "error": {"code": "batch_expired", "message": "It expired."}},
    ),
    "a line that is missing": ("openai", lambda _: None),
    "an error": ("anthropic", errored("500")),
    "an overload": ("anthropic", errored("529")),
    "expired": ("anthropic", lambda line: {**line, "result": {"type": "expired"}}),
    "canceled": ("anthropic", lambda line: {**line, "result": {"type": "canceled"}}),
    "missing": ("anthropic", lambda _: None),
}


@pytest.mark.parametrize("case", SPOILED)
def test_a_request_without_a_reply_is_sent_again_and_no_other(case):
    api, change = SPOILED[case]
    with Provider(policy=passive) as provider:
        provider.desk.spoil = once(change)
        result = batched(provider, api)
        assert sorted(provider.desk.submitted.values()) == [1] * (DECISIONS // 2 - 1) + [2]
    assert faults_of(result) == []
    assert_complete(result, hands=1)


@pytest.mark.parametrize(
    ("fault", "kind"), [("empty-reply", "empty"), ("cut-reply", "truncated"), ("prose", "unparsable"), ("illegal",) * 2]
)
@pytest.mark.parametrize("api", APIS)
def test_what_a_model_says_wrong_is_the_fault_that_it_always_is(api, fault, kind):
    with Provider(policy=passive, fault=[fault]) as provider:
        assert [found.kind for found in faults_of(batched(provider, api))] == [kind]


@pytest.mark.slow
@pytest.mark.parametrize("status", [429, 500, 503, RESET])
@pytest.mark.parametrize("step", ["upload", "submit", "submitted", "poll", "results"])
@pytest.mark.parametrize("api", APIS)
def test_a_server_that_stumbles_is_asked_again_and_submitted_nothing_twice(api, step, status):
    left = [status, status]
    with Provider(policy=passive) as provider:
        provider.desk.hook = lambda at: left.pop() if at == step and left else None
        result = batched(provider, api)
        times = {*provider.desk.submitted.values()}
    assert faults_of(result) == []
    assert_complete(result, hands=1)
    if step == "submitted" and status != RESET:
        return  # it took the batch and said that it did not
    assert times == {1}


@pytest.mark.parametrize("api", APIS)
def test_a_form_that_the_server_does_not_take_is_given_up(api):
    with Provider(policy=passive, fault=lambda _: "400-response-format") as provider:
        result = batched(provider, api)
    assert result.usage[0].modes == ("tool",)
    assert faults_of(result) == []


def test_a_batch_that_fails_stops_the_run_with_the_reason():
    with Provider(policy=passive) as provider:
        provider.desk.ends = "failed"
        with pytest.raises(ProviderError, match="the batch failed: a bad file"):
            batched(provider, llm={"pauseAfterS": 0.3, "transportRetries": 0})


@pytest.mark.parametrize("api", APIS)
def test_a_wrong_key_stops_the_run(api):
    with Provider(policy=passive) as provider:
        provider.desk.hook = lambda _: 401
        with pytest.raises(ProviderError, match="cannot be asked"):
            batched(provider, api)


@pytest.mark.parametrize("api", APIS)
def test_a_batch_that_cannot_be_looked_at_stops_the_run_and_is_not_submitted_again(api):
    with Provider(policy=passive) as provider:
        provider.desk.hook = lambda at: 500 if at == "poll" else None
        with pytest.raises(ProviderError, match="its batch cannot be looked at, and is kept"):
            batched(provider, api, llm={"pauseAfterS": 0.3})
        assert {*provider.desk.submitted.values()} == {1}
        assert len(provider.desk.batches) == 1


@pytest.mark.parametrize("api", APIS)
def test_batches_and_other_requests_go_through_a_proxy(api, monkeypatch):
    with Provider(policy=passive) as provider, Proxy() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "")
        result = batched(provider, api)
        times = {*provider.desk.submitted.values()}
    assert faults_of(result) == []
    assert_complete(result, hands=1)
    assert times == {1}
    assert {target.startswith(provider.url.removesuffix("/v1")) for _, target, _ in proxy.asked} == {True}
    assert any("batches" in target for _, target, _ in proxy.asked)


def test_more_than_fits_goes_in_several(monkeypatch):
    monkeypatch.setattr(batch, "_MOST_REQUESTS", 3)
    with Provider(policy=passive) as provider:
        result = batched(provider, seeds=4, games_at_once=8)
        assert max(sizes(provider)) == 3
        assert {*provider.desk.submitted.values()} == {1}
    assert faults_of(result) == []


@pytest.mark.parametrize("name", ["google:gemini-2.5-flash", "groq:any", "openai-responses:gpt-4.1"])
def test_a_provider_without_batches_is_an_error(name):
    with pytest.raises(ValueError, match="batch"):
        LLMSettings(model=name, batch=True)
