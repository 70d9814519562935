"""Limits are hard: an honest server bills at most 1.02 of one, and any other no more than the limit and one request.

What is spent is what the server would bill, by its own count: every request that it began to answer.
"""

from contextlib import suppress

import pytest

from molt_bench import run_benchmark
from molt_bench.arena.status import Observer
from molt_bench.errors import ProviderError
from molt_bench.llm.prices import Price, PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Tokens
from molt_bench.runs.replies import Replies
from molt_bench.runs.run_files import RunFiles
from tests.llm import wire
from tests.llm.playing import MODELS, config, model, passive
from tests.llm.provider import Provider

PRICE = {"input": 100.0, "output": 1000.0, "cachedInput": 10.0, "cacheWrites": 125.0}
#: Tokens of every reply that are allowed, and dollars for all of the run.
MOST = 200
LIMIT = 6.0


@pytest.fixture
def bills(monkeypatch):
    """Return what the server bills for every answer that it began, in dollars; `change` alters what it reports."""
    whole, found = wire.openai_answer, Bills()

    def answer(*args):
        body = whole(*args)
        told = body["usage"]
        found.lengths.append(found.written or told["completion_tokens"])
        found.append(cost(told["prompt_tokens"], found.lengths[-1]))
        return found.change(body)

    monkeypatch.setattr(wire, "openai_answer", answer)
    return found


class Bills(list):
    """Bills, in dollars, and the `lengths` of what they are for; `written` is that of all, if not as they say."""

    written = 0
    change = staticmethod(lambda body: body)

    def __init__(self):
        super().__init__()
        self.lengths = []


def cost(read, written):
    fresh = (read - wire.CACHED) * PRICE["input"] + wire.CACHED * PRICE["cachedInput"]
    return (fresh + written * PRICE["output"]) / 1e6


def without(body):
    return {name: value for name, value in body.items() if name != "usage"}


def counted(**counts):
    """Return a change of an answer that reports these counts instead of its own."""

    def change(body):
        told = body["usage"]
        for name, count in counts.items():
            where = {"cached_tokens": "prompt_tokens_details", "reasoning_tokens": "completion_tokens_details"}
            (told[where[name]] if name in where else told)[name] = count
        return body

    return change


#: What the server reports of tokens, by name. What it does otherwise is in the table of money.
CASES = {
    "all games at once": {},
    "no counts of tokens": {"change": without},
    "negative counts": {"change": counted(prompt_tokens=-50_000, completion_tokens=-3)},
    "more cached than read": {"change": counted(cached_tokens=10**9)},
    "more tokens than exist": {"change": counted(completion_tokens=10**15)},
    "every reply is as long as allowed": {"change": counted(completion_tokens=MOST), "written": MOST},
    "the reasoning is counted apart": {"change": counted(completion_tokens=20, reasoning_tokens=150), "written": 170},
    "nothing but reasoning is counted": {"change": counted(completion_tokens=0, reasoning_tokens=180), "written": 180},
    "the total alone has the reasoning": {"change": counted(completion_tokens=40, total_tokens=440), "written": 180},
    "no tokens written": {"change": counted(completion_tokens=0, reasoning_tokens=0, total_tokens=0)},
}


def spend(provider, *, seeds=100, recorder=None, said=None, **limits):
    """Play 200 games at once under a budget."""
    wanted = config(
        model(provider, maxTokens=MOST, maxConcurrent=200),
        seeds=seeds,
        llm={"prices": {MODELS["openai"]: PRICE}, "backoffS": 0.05},
        game={"actionTimeoutS": 3.0},
    )
    wanted["stop"]["budget"] = {"maxMatches": 1, **limits}
    files = RunFiles(replies=recorder) if recorder else None
    return run_benchmark(wanted, files=files, observer=Observer(on_warning=(said if said is not None else []).append))


#: Cases in which no reply says what it took.
UNCOUNTED = (
    "no counts of tokens",
    "negative counts",
    "more cached than read",
    "more tokens than exist",
    "no tokens written",
    "counts that are no numbers",
)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_no_more_than_the_limit_and_one_request_is_spent(case, bills):
    does, said = CASES[case], []
    bills.change, bills.written = does.get("change", bills.change), does.get("written", 0)
    with Provider(policy=passive, latency_s=0.02) as provider:
        result = spend(provider, maxCostUsd=LIMIT, said=said)
    spent = sum(bills)
    assert result.stop_reason.startswith(f"the budget of ${LIMIT:g} ")
    assert spent <= LIMIT + cost(1000, MOST)
    assert len(bills) >= 4
    if not (does.keys() - {"written"}):
        assert spent <= 1.02 * LIMIT
        assert spent > LIMIT - 2 * 2 * 8 * max(bills), "the limit was not used: there was room for another seed pair"
    assert sum(usage.cost_usd or 0.0 for usage in result.usage) + result.unaccounted.usd >= sum(bills) - 1e-9
    assert bool([text for text in said if "counts of tokens" in text]) == (case in UNCOUNTED)
    assert (result.usage[0].cost_usd is None) == (case in UNCOUNTED), "unpriced, not free"


def test_an_answer_that_is_broken_off_costs_what_it_says_even_if_that_is_more_than_was_allowed(bills):
    """A server that ignores limits and ends every other answer with an error."""
    numbers = []

    def change(body):
        numbers.append(body)
        body["choices"][0]["finish_reason"] = "error" if len(numbers) % 2 else "stop"
        body["usage"]["completion_tokens"] = bills.written
        return body

    bills.change, bills.written = change, 20 * MOST
    with Provider(policy=passive, latency_s=0.02) as provider:
        result = spend(provider, maxCostUsd=10 * LIMIT)
    assert sum(bills) <= 10 * LIMIT + max(bills)
    assert result.usage[0].cost_usd + result.unaccounted.usd >= sum(bills) - 1e-9


@pytest.mark.parametrize("then", ["400-prompt", "drip"])
def test_what_our_own_limit_cut_off_is_paid_for_whatever_comes_after_it(then, bills, tmp_path):
    path, faults = str(tmp_path / "replies.jsonl"), iter(["cut-reply", then])
    with Provider(policy=passive, fault=lambda _: next(faults, None)) as provider:
        wanted = config(
            model(provider), llm={"prices": {MODELS["openai"]: PRICE}}, game={"actionTimeoutS": 1.5, "handsPerGame": 1}
        )
        wanted["stop"]["budget"] = {"maxMatches": 1, "maxCostUsd": 100.0}
        recorder = Replies(path)
        result = run_benchmark(wanted, files=RunFiles(replies=recorder), games_at_once=1)
        recorder.close()
        assert provider.requests[1].fault == then
    known = Replies.reopen(path, read_only=True).earlier
    cut = next(exchange for exchange in known if not exchange.attempt and exchange.hand)
    assert cut.cost_usd == pytest.approx(bills[1])
    first = next(exchange for exchange in known if exchange.attempt)
    assert first.outcome == {"400-prompt": "refused", "drip": "timeout"}[then]
    assert result.usage[0].cost_usd == pytest.approx(sum(exchange.cost_usd or 0.0 for exchange in known))


def test_requests_that_came_to_nothing_are_shown_though_their_question_was_answered(bills):
    with Provider(policy=passive, fault=["cut-json", "cut-json"]) as provider:
        wanted = config(model(provider, maxTokens=MOST), llm={"prices": {MODELS["openai"]: PRICE}})
        result = run_benchmark(wanted, games_at_once=1)
    assert result.unaccounted.requests == 2
    assert result.unaccounted.usd >= 2 * MOST * PRICE["output"] / 1e6


def test_a_limit_ends_on_whole_games_though_no_reply_says_what_it_cost(bills):
    """What it may have cost is what the order of games goes by."""
    bills.change, games = without, []
    with Provider(policy=passive, latency_s=0.02) as provider:
        wanted = config(
            model(provider, maxTokens=MOST), seeds=20, llm={"prices": {MODELS["openai"]: PRICE}, "backoffS": 0.05}
        )
        wanted["stop"]["budget"] = {"maxMatches": 1, "maxCostUsd": 20.0}
        run_benchmark(
            wanted, observer=Observer(on_warning=lambda _: None, on_status=lambda status: games.append(status.games))
        )
    assert max(games) >= 4


@pytest.mark.parametrize("odd", [1000.5, "many"])
def test_counts_that_are_no_whole_numbers_are_none_and_the_record_can_be_read(odd, monkeypatch, tmp_path):
    whole, path = wire.responses_answer, str(tmp_path / "replies.jsonl")

    def answer(*args):
        body = whole(*args)
        body["usage"] |= {"input_tokens": odd, "output_tokens": odd}
        return body

    monkeypatch.setattr(wire, "responses_answer", answer)
    with Provider(policy=passive) as provider:
        recorder, name = Replies(path), "openai-responses:gpt-5"
        wanted = config(
            model(provider, model=name, maxTokens=MOST),
            llm={"prices": {name: PRICE}, "backoffS": 0, "transportRetries": 0},
            game={"handsPerGame": 1},
        )
        with suppress(ProviderError):  # the library may refuse to read them
            run_benchmark(wanted, files=RunFiles(replies=recorder), games_at_once=1)
        recorder.close()
    known = Replies.reopen(path, read_only=True)
    assert not any(exchange.tokens.total for exchange in known.earlier)
    assert known.ledger.unaccounted.requests


def test_what_was_cut_off_counts_in_the_next_session_too(tmp_path):
    path = str(tmp_path / "replies.jsonl")
    with Provider(policy=passive, fault=lambda _: "reset-midway") as provider:
        recorder = Replies(path)
        wanted = config(
            model(provider, maxTokens=MOST),
            llm={"prices": {MODELS["openai"]: PRICE}, "backoffS": 0, "transportRetries": 0},
        )
        with pytest.raises(ProviderError):
            run_benchmark(wanted, files=RunFiles(replies=recorder), games_at_once=1)
        recorder.close()
        assert provider.received == 1
    again = Replies.reopen(path, read_only=True)
    lost = again.ledger.unaccounted
    assert lost.requests == 1
    assert lost.usd >= MOST * PRICE["output"] / 1e6
    assert sum(exchange.attempt for exchange in again.earlier) == 0


def test_cache_writes_and_reasoning_have_their_price():
    tokens = Tokens(1000, 200, 100, 50, cache_writes=300)
    own = Price(input=100.0, output=1000.0, cached_input=10.0, cache_writes=125.0)
    assert own.cost(tokens) == pytest.approx((500 * 100 + 200 * 10 + 300 * 125 + 100 * 1000) / 1e6)
    assert Price(input=100.0, output=1000.0).cost(tokens) == pytest.approx((1000 * 100 + 100 * 1000) / 1e6)
    claude = LLMSettings(model="anthropic:claude-sonnet-4-5")
    plain, written = (PriceList({}).cost(claude, Tokens(1000, 0, 0, 0, writes)) for writes in (0, 1000))
    assert written == pytest.approx(1.25 * plain)
