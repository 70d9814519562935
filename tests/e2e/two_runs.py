"""Two runs as users play them: of bots, and of models that mean harm."""

import json
import re
import shutil

import pytest

from tests.e2e.llm import PRICE
from tests.e2e.shell import quick_run
from tests.llm import wire
from tests.llm.provider import Provider

#: What a hostile name, reply or error may hold.
EVIL = "</script><script>alert(1)</script><!--\u2028&\u202egnp.exe\u202c\x07"
MODELS = ("openai:test", "openai:other")


def hostile_policy(prompt, body):
    """Answer as a model that means harm would: now and then with text in place of an answer."""
    reply = wire.default_policy(prompt, body)
    roll = int(re.search(r"\d+", reply["reasoning"])[0])
    if roll % 9 == 4:
        return f"I refuse. {EVIL}"
    return {**reply, "reasoning": f"{EVIL} {roll}"}


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Return a folder with two runs: four bots, and two models with a bot."""
    folder = tmp_path_factory.mktemp("view")
    fast = ("--quiet", "--executor", "inline", "--set", "stop.adjacentConfidence=null")
    bots = ("--participants", "tag,callstation,random", "--seeds", "3", "--hands", "12", "--max-matches", "4")
    quick_run(folder / "bots", *bots, *fast)
    with Provider(policy=hostile_policy) as provider:
        models = [
            {"id": f"model-{at}", "type": f"llm:{model}", "baseUrl": provider.url, "memory": memory}
            for at, (model, memory) in enumerate(zip(MODELS, ("session", "none"), strict=True))
        ]
        models[0]["displayName"] = EVIL
        config = {
            "participants": [*models, {"id": "tight", "type": "tight", "anchor": True}],
            "seeds": {"perMatch": 2, "masterSeed": "models"},  # by which a model fails at some decisions
            "game": {"handsPerGame": 5, "warmupHands": 1},
            "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 3}},
            "llm": {"backoffS": 0.01, "prices": dict.fromkeys(MODELS, PRICE)},
        }
        path = folder / "config.json"
        path.write_text(json.dumps(config))
        quick_run(folder / "models", "--config", path, "--quiet", "--no-cost-limit", env={"OPENAI_API_KEY": "key"})
    both = folder / "both"
    both.mkdir()
    for name in ("bots", "models"):
        (made,) = (folder / name).iterdir()
        shutil.move(made, both / f"2026-01-0{1 + (name == 'models')}T10-00-00-{name}")
    return both


@pytest.fixture(scope="session")
def bots_id():
    return "2026-01-01T10-00-00-bots"


@pytest.fixture(scope="session")
def models_id():
    return "2026-01-02T10-00-00-models"
