"""What a plan says a run will cost, against what it costs at a provider that caches by its published rules."""

import re

import pytest

from molt_bench import run_benchmark
from molt_bench.config.loader import load_config
from molt_bench.runs.replies import Replies
from molt_bench.runs.run_files import RunFiles
from molt_bench.study.pilot import pilot_of
from molt_bench.study.plan import Plan
from tests.llm.billing import BillingProvider
from tests.llm.playing import base_url

#: A model of each rule, which does not think, with prices that make caching matter: for a million tokens.
MODELS = {"openai": "openai:gpt-4.1", "google": "google:gemini-2.0-flash", "anthropic": "anthropic:claude-sonnet-4-5"}
PRICE = {"input": 4.0, "cachedInput": 0.4, "output": 16.0}
PRICES = {name: PRICE | ({"cacheWrites": 5.0} if api == "anthropic" else {}) for api, name in MODELS.items()}
#: A skill document that every rule caches, and the default one, which none does.
LONG = "Play as well as you can.\n" * 500
#: Hands of a game, and as many as have the same number of decisions in the prior, which has 1.6 a hand.
HANDS, HANDS_OF_PRIOR = 8, 20
WAYS = {
    "strict": {},
    "long": {"skillDoc": "long.md"},
}


def says(prompt, body):
    """Reply at the usual length, and never bet or fold: against a bot that always calls, a hand has four decisions."""
    legal = (re.findall(r"^Legal actions: (.*)$", prompt, re.MULTILINE) or [""])[-1]
    kind = "check" if "check" in legal else "call"
    return {"reasoning": "I think. " * 38, "kind": kind, "amount": None}


def config(api, way, *, url=None, hands=HANDS, seed="a"):
    """Return the config of a match against a bot."""
    limit = {"maxTokens": 1000} if api == "anthropic" else {}
    where = {"baseUrl": url} if url is not None else {}
    player = {"id": "model", "type": "llm", "model": MODELS[api], **limit, **where, **WAYS[way]}
    return {
        "participants": [player, "callstation"],
        "seeds": {"perMatch": 2, "masterSeed": seed},
        "game": {"handsPerGame": hands},
        "scheduler": {"minSeedPairs": 2},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}},
        "llm": {"backoffS": 0.01, "prices": PRICES},
    }


class Kept(Replies):
    """Keeps the exchanges of finished games, too."""

    def __init__(self):
        super().__init__()
        self.all = []

    def add(self, exchange):
        super().add(exchange)
        self.all.append(exchange)


def played(api, way, **options):
    """Play, and return the config, the result and the exchanges."""
    with BillingProvider(policy=says) as provider:
        made, kept = config(api, way, url=base_url(provider, api), **options), Kept()
        return load_config(made), run_benchmark(made, games_at_once=1, files=RunFiles(replies=kept)), kept.all


def cost(result):
    (usage,) = result.usage
    return usage.cost_usd


@pytest.fixture(autouse=True)
def long_skill(tmp_path, monkeypatch):
    (tmp_path / "long.md").write_text(LONG)
    monkeypatch.chdir(tmp_path)


TABLE = [
    pytest.param(api, way, marks=[] if (api, way) == ("openai", "long") else pytest.mark.slow)
    for api in MODELS
    for way in WAYS
]


@pytest.mark.parametrize(("api", "way"), TABLE)
def test_a_plan_is_within_15_percent_of_the_run_with_a_pilot_and_without(api, way):
    """The pilot has games of half the length; the prior has never seen any."""
    pilot = pilot_of(*played(api, way, hands=HANDS // 2, seed="pilot"), estimator="adjusted")
    learnt = Plan(load_config(config(api, way)), pilot=pilot).price(1)
    guessed = Plan(load_config(config(api, way, hands=HANDS_OF_PRIOR))).price(1)
    _, result, exchanges = played(api, way)
    asked = [each for each in exchanges if each.game.match]
    assert len(asked) == learnt.calls == guessed.calls == 4 * 4 * HANDS
    assert learnt.usd == pytest.approx(cost(result), rel=0.15)
    if way == "strict":  # what no provider caches
        assert guessed.usd == pytest.approx(cost(result), rel=0.15)
