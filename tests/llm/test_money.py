"""A limit of dollars is hard: an honest server bills at most 1.02 of it, any other no more than it and one request."""

import re

import pytest
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.providers.openrouter import OpenRouterProvider

from molt_bench import run_benchmark
from molt_bench.llm.prices import PriceList
from molt_bench.llm.reply_costs import FIRST
from molt_bench.llm.request_settings import model_settings
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Tokens
from molt_bench.runs.run_files import RunFiles
from tests.cases import one_in
from tests.llm import wire
from tests.llm.money_table import CASES, CORE, PAGE, spend, written
from tests.llm.playing import Kept, config, faults_of, model, passive
from tests.llm.provider import Provider


def check(name):
    """Play a case, and check that its server billed no more than it may; return what it did."""
    spent = spend(CASES[name])
    assert spent.billed <= spent.allowed + spent.dearest, spent
    if CASES[name].honest:
        assert spent.billed <= 1.02 * spent.allowed, spent
    assert spent.unlimited == 0, "a request was sent without a limit of tokens"
    assert "is spent" in spent.reason or "no room" in spent.reason
    return spent


@pytest.mark.parametrize("name", one_in(2, CORE))
def test_no_more_than_the_limit_and_one_request_is_billed(name):
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_table_in_the_docs_is_what_runs_find_out(name):
    """Figures depend on which request comes first, so they differ by the last few requests from run to run.

    Where answers are given up after seconds, a busy machine loses more of them, which count at their reservation.
    """
    spent = check(name)
    line = next(line for line in written().splitlines() if line.startswith(f"| {name} |"))
    more = spent.billed / spent.allowed - float(line.split("|")[4])
    room = 0.05 + spent.dearest / spent.allowed
    assert more <= room
    assert more >= -room or CASES[name].timeout_s < 60


def test_the_page_has_every_case_and_names_the_worst():
    lines = written().splitlines()[2:]
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines] == [*CASES]
    worst = max(float(line.split("|")[4]) for line in lines)
    assert re.search(rf"at most {worst:.2f} times the limit", " ".join(PAGE.read_text().split()))


def limited(provider, **limits):
    """Return the config of one match of a model under a limit."""
    wanted = config(model(provider), llm={"prices": {"openai:gpt-4.1": {"input": 1.0, "output": 1.0}}})
    wanted["stop"]["budget"] = {"maxMatches": 1, **limits}
    return wanted


def test_a_reply_that_our_limit_cut_off_is_no_fault_and_both_are_paid():
    cut = []

    def fault(request):
        short = request.body["max_tokens"] == FIRST and not cut
        cut.extend([request] if short else [])
        return "cut-reply" if short else None

    with Provider(policy=passive, fault=fault) as provider:
        result = run_benchmark(limited(provider, maxCostUsd=5.0), games_at_once=1)
        again = provider.requests[1]
    assert len(cut) == 1
    assert not faults_of(result)
    assert again.body["messages"] == cut[0].body["messages"]
    assert again.body["max_tokens"] == 4 * FIRST
    assert result.usage[0].requests == result.usage[0].exchanges + 1


def test_without_a_limit_of_money_no_limit_of_tokens_is_sent():
    with Provider(policy=passive) as provider:
        run_benchmark(limited(provider), games_at_once=1)
        assert not any("max_tokens" in request.body for request in provider.requests)


def test_a_cost_that_a_reply_states_counts_whatever_the_prices_say(monkeypatch):
    whole = wire.openai_answer

    def answer(*args):
        body = whole(*args)
        body["usage"]["cost"] = 0.25
        return body | {"provider": "Somebody", "service_tier": "flex"}

    monkeypatch.setattr(wire, "openai_answer", answer)
    kept = Kept()
    with Provider(policy=passive) as provider:
        result = run_benchmark(limited(provider), games_at_once=1, files=RunFiles(replies=kept))
    assert result.usage[0].cost_usd == pytest.approx(0.25 * len(kept.all))
    assert {(each.upstream, each.tier) for each in kept.all} == {("Somebody", "flex")}


def test_openrouter_is_asked_for_its_bill():
    made = OpenRouterModel("openai/gpt-4.1", provider=OpenRouterProvider(api_key="none"))
    sent = model_settings(LLMSettings(model="openrouter:openai/gpt-4.1"), made)
    assert sent["openrouter_usage"] == {"include": True}


def test_the_price_is_that_of_the_tier_that_a_reply_states():
    settings, tokens = LLMSettings(model="openai:gpt-5"), Tokens(1000, 0, 1000)
    cost = PriceList({}).cost
    assert cost(settings, tokens, "flex") == pytest.approx(cost(settings, tokens) / 2)
    asked = LLMSettings(model="openai:gpt-5", extra_body={"service_tier": "flex"})
    assert cost(asked, tokens) == cost(settings, tokens, "flex")
    assert cost(asked, tokens, "default") == cost(settings, tokens)
