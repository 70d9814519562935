"""Self-consistency: which of several answers counts, what they cost, and what it takes to be at fault."""

import json
from collections import Counter

import pytest

from molt_bench.agents.llm.exchanges import Exchanges
from molt_bench.agents.llm.money.prices import PriceList
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.talk.samples import chosen
from molt_bench.agents.llm.types import Exchange
from molt_bench.poker.actions import LegalActions
from molt_bench.specs import GameLabel
from molt_bench.study.pilot import guess_of
from tests.agents.llm.playing import DECISIONS, assert_complete, faults_of, passive, run
from tests.agents.llm.provider import Provider

LEGAL = LegalActions(50, 200, 900)
STRICT = LLMSettings(model="openai:m")


def said(text, outcome="reply"):
    """Return an exchange with a reply."""
    place = {"game": GameLabel(1, 1, "AB"), "hand": 1, "decision": 0, "attempt": 1}
    return Exchange(key=text, participant="m", **place, prompt_hash="", mode="native", outcome=outcome, text=text)


def answer(kind, amount=None):
    return said(json.dumps({"reasoning": "", "kind": kind, "amount": amount}))


def counts(*exchanges):
    """Return what counts among some answers, as `call` or `raiseTo 300`."""
    found = json.loads(chosen(exchanges, STRICT, LEGAL.allows).text)
    return f"{found['kind']} {found['amount'] or ''}".strip()


CALL, FOLD = answer("call"), answer("fold")


@pytest.mark.parametrize(
    ("answers", "what"),
    [
        ([CALL], "call"),
        ([FOLD, CALL, CALL], "call"),
        ([FOLD, CALL, answer("raiseTo", 300), FOLD], "fold"),
        ([CALL, FOLD, FOLD, CALL], "call"),  # as many: the one that came first
        ([answer("raiseTo", size) for size in (900, 200, 300)], "raiseTo 300"),
        ([answer("raiseTo", size) for size in (900, 200, 300, 400)], "raiseTo 300"),
        ([CALL, answer("raiseTo", 800), answer("raiseTo", 200)], "raiseTo 200"),
        ([answer("raiseTo", 100), answer("raiseTo", 150), CALL], "call"),  # not legal
        ([answer("check"), said("no object"), said("no answer", "timeout"), said(""), FOLD], "fold"),
    ],
)
def test_the_majority_of_kinds_counts_and_the_median_of_sizes(answers, what):
    assert counts(*answers) == what


def test_where_no_answer_is_legal_the_first_one_counts():
    wrong = [said("nothing"), answer("check"), said("late", "timeout")]
    assert chosen(wrong, STRICT, LEGAL.allows) is wrong[0]


def test_every_sample_is_asked_recorded_and_paid_for():
    recorder = Exchanges()
    recorder.forget = lambda _: None
    with Provider(policy=passive) as provider:
        result = run(provider, samples=3, recorder=recorder)
        assert provider.received == 3 * DECISIONS
        read = sum(len(json.dumps(request.body)) > 0 for request in provider.requests)
    (usage,) = result.usage
    assert (usage.decisions, usage.exchanges, usage.requests, usage.samples) == (DECISIONS, *[3 * DECISIONS] * 2, 3)
    assert usage.replies == 1 + 3 * DECISIONS == 1 + read
    kept = [each for game in recorder._known.values() for each in game.values() if each.attempt]
    assert Counter(each.place[1] for each in kept) == dict.fromkeys(range(3), DECISIONS)
    assert_complete(result)


def test_the_majority_is_played():
    answers = {}

    def policy(prompt, body):
        answers[prompt] = answers.get(prompt, 0) + 1
        return {"reasoning": "", "kind": "fold", "amount": None} if answers[prompt] == 1 else passive(prompt, body)

    with Provider(policy=policy) as provider:
        often = run(provider, samples=3)
    with Provider(policy=passive) as provider:
        once = run(provider)
    assert often.matches == once.matches


@pytest.mark.parametrize("fault", ["empty-reply", "illegal", "prose"])
def test_a_sample_that_failed_is_a_fault_only_if_no_other_is_left(fault):
    with Provider(policy=passive, fault=lambda request: fault if request.number % 3 else None) as provider:
        assert faults_of(run(provider, samples=3, maxConcurrent=1, game={"handsPerGame": 1})) == []
    with Provider(policy=passive, fault=[fault] * 3) as provider:
        result = run(provider, samples=3, game={"handsPerGame": 1})
        assert provider.received == 3 * (DECISIONS // 2 + 1)
    assert [found.kind for found in faults_of(result)] == [
        {"empty-reply": "empty", "illegal": "illegal", "prose": "unparsable"}[fault]
    ]


@pytest.mark.parametrize(
    "settings", [{"seed": 7}, {"temperature": 0}, {"samples": 0}, {"samples": 65}, {"samples": 1.5}]
)
def test_what_does_not_go_with_samples_is_an_error(settings):
    with pytest.raises(ValueError, match="samples"):
        LLMSettings(**{"model": "openai:m", "samples": 3, **settings})


def test_one_sample_is_what_it_always_was():
    assert "samples" not in LLMSettings(model="openai:m").model_dump(by_alias=True)
    assert LLMSettings(model="openai:m", samples=1, seed=7).samples == 1


def test_a_plan_counts_all_samples_and_waits_for_one():
    found = [guess_of("m", LLMSettings(model="openai:m", samples=n), None, PriceList({}), None) for n in (1, 5)]
    assert found[1].calls_per_hand == 5 * found[0].calls_per_hand
    assert found[1].calls_per_hand / found[1].calls_at_once == found[0].calls_per_hand
