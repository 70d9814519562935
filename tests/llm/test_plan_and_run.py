"""What a plan says a run will cost, against what it costs: with a pilot, and without."""

import json

import pytest

from molt_bench import run_benchmark
from molt_bench.config.loader import load_config
from molt_bench.runs.run_files import RunFiles
from molt_bench.study.pilot import pilot_of
from molt_bench.study.plan import Plan
from tests.llm.http1 import response
from tests.llm.playing import DECISIONS, HANDS, MODELS, STREETS, Kept, config, model, passive
from tests.llm.provider import Provider

PRICES = {"prices": {MODELS["openai"]: {"input": 4.0, "cachedInput": 0.4, "output": 16.0}}}


#: Characters of a token, as measured in our prompts.
CHARACTERS = 3.9


class Counting(Provider):
    """Counts all that is sent and said, and caches nothing."""

    def _plan(self, request, said=None):
        _, body = super()._plan(request, said)
        answer = json.loads(body)
        text = answer["choices"][0]["message"]["content"]
        read = sum(len(each["content"]) for each in request.body["messages"])
        counts = {"prompt_tokens": round(read / CHARACTERS), "completion_tokens": round(len(text) / CHARACTERS)}
        return response(200, {**answer, "usage": {**counts, "total_tokens": sum(counts.values())}})


def says(prompt, body):
    """Reply at the usual length, and never bet or fold: against a bot that always calls, a hand has four decisions."""
    return {**passive(prompt, body), "reasoning": "I think. " * 38}


def test_a_plan_is_within_15_percent_of_the_run_with_a_pilot_and_without():
    """The pilot has another seed; the prior, which has 1.6 decisions a hand, has never seen any."""

    def wanted(provider, *, hands=HANDS, seeds=2):
        made = config(model(provider, memory="none"), seeds=seeds, llm=PRICES, game={"handsPerGame": hands})
        return {**made, "scheduler": {"minSeedPairs": 2}}

    with Counting(policy=says) as provider:
        kept, made = Kept(), wanted(provider)
        result = run_benchmark(made, games_at_once=1, files=RunFiles(replies=kept))
        pilot = pilot_of(result, kept.all, load_config(made))
        again = {**made, "seeds": {**made["seeds"], "masterSeed": "another"}}
        usd = run_benchmark(again, games_at_once=1).usage[0].cost_usd
        learnt = Plan(load_config(again), pilot=pilot).price(1)
        guessed = Plan(load_config(wanted(provider, hands=STREETS * HANDS * 5 // 8))).price(1)
    assert (learnt.calls, guessed.calls) == (2 * DECISIONS, 2 * DECISIONS)
    assert learnt.usd == pytest.approx(usd, rel=0.15)
    assert guessed.usd == pytest.approx(usd, rel=0.15)
