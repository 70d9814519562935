"""Python agents that ask models through the run: same purse, same limits, same record."""

import json
import re
from pathlib import Path

import pytest

from molt_bench import run_benchmark
from molt_bench.errors import ConfigError, ProviderError
from molt_bench.llm.asking import Messages
from molt_bench.runs.replies import Replies
from molt_bench.runs.run_files import RunFiles
from tests.llm import wire
from tests.llm.playing import MODELS, Kept, config, faults_of, games_of, passive
from tests.llm.provider import Provider

EXAMPLE = Path(__file__).parents[2] / "examples" / "model-with-tools" / "agent.py"
MODEL = MODELS["openai"]
PRICES = {"prices": {MODEL: {"input": 1.0, "output": 2.0}}}


def harness(provider, source=f"{EXAMPLE}:ModelWithTools", **settings):
    models = [{"model": MODEL, "baseUrl": provider.url, **settings}]
    return {"id": "harness", "type": source, "params": {"model": MODEL}, "models": models}


def with_tools(prompt, body):
    """Ask the tool once at each decision, then check or call."""
    if "Legal actions" in prompt:
        return {"tool": "equity", "against": "2c2d" if "2c" not in prompt and "2d" not in prompt else "3c3d"}
    said = " ".join(turn["content"] for turn in body["messages"] if turn["role"] == "user")
    return passive(said, body)


def played(provider, recorder, *, budget=None, read_only=False, **changes):
    wanted = config(harness(provider), llm=PRICES, **changes)
    wanted["stop"]["budget"] |= budget or {}
    return run_benchmark(wanted, files=RunFiles(replies=recorder))


def test_the_example_talks_with_its_model_uses_its_tool_and_plays():
    kept = Kept()
    with Provider(policy=with_tools) as provider:
        result = played(provider, kept)
        told = [wire.prompt_of(each.api, each.body) for each in provider.requests]
        assert {each.body["max_tokens"] for each in provider.requests} == {2000}
    assert faults_of(result) == []
    assert any(re.search(r"Against 2c2d you win \d", each) for each in told)
    assert max(len(each.asked) for each in kept.all) > 4, "a conversation"
    (usage,) = result.usage
    assert (usage.id, usage.model) == ("harness", MODEL)
    assert usage.cost_usd == pytest.approx(sum(each.cost_usd for each in kept.all))


def test_what_is_on_record_is_neither_asked_nor_paid_again(tmp_path):
    path = str(tmp_path / "replies.jsonl")
    refuses = [True]
    with Provider(policy=with_tools, fault=lambda each: "401" if refuses[0] and each.number > 9 else None) as provider:
        recorder = Replies(path)
        with pytest.raises(ProviderError):
            played(provider, recorder)
        recorder.close()
        refuses[0], received = False, provider.received
        recorder = Replies.reopen(path)
        result = played(provider, recorder)
        recorder.close()
        before, asked = len(recorder.earlier), provider.received - received
        assert games_of(played(provider, Kept())) == games_of(result)
    exchanges = [line for line in map(json.loads, Path(path).read_text().splitlines()) if line["line"] == "exchange"]
    assert before == 9
    assert asked == len(exchanges) - before == len({each["key"] for each in exchanges}) - before


def test_a_record_is_replayed_without_a_key_and_without_a_server(tmp_path, monkeypatch):
    path = str(tmp_path / "replies.jsonl")
    with Provider(policy=with_tools) as provider:
        recorder = Replies(path)
        result = played(provider, recorder)
        recorder.close()
    kept = Replies.reopen(path, read_only=True)
    assert games_of(played(provider, kept)) == games_of(result)


def test_a_limit_of_money_holds_for_what_an_agent_asks():
    kept = Kept()
    with Provider(policy=with_tools) as provider:
        result = played(provider, kept, seeds=20, budget={"maxCostUsd": 0.005})
    assert sum(each.cost_usd or 0.0 for each in kept.all) <= 0.005 * 1.02
    assert "0.005" in result.stop_reason


@pytest.mark.parametrize(
    ("messages", "settings", "field"),
    [
        ([], {}, "messages"),
        ([{"role": "assistant", "content": "x"}], {}, "messages"),
        ([{"role": "robot", "content": "x"}], {}, "messages"),
        ("x", {"temprature": 1}, "temprature"),
        ("x", {"model": "other"}, "model"),
    ],
)
def test_a_question_that_is_none_is_a_clear_error(messages: Messages, settings, field, tmp_path):
    code = f"""
class Wrong:
    name = "wrong"
    def __init__(self, context):
        self.models = context.models
    async def act(self, seen):
        await self.models.ask({settings.pop("model", MODEL)!r}, {messages!r}, **{settings!r})
"""
    path = tmp_path / "wrong.py"
    path.write_text(code)
    with Provider(policy=passive) as provider:
        player = {key: value for key, value in harness(provider, f"{path}:Wrong").items() if key != "params"}
        result = run_benchmark(config(player, game={"handsPerGame": 1}))
    assert all(ConfigError.__name__ in fault.message and field in fault.message for fault in faults_of(result))
    assert faults_of(result)


@pytest.mark.parametrize(("asked", "own_s", "faults"), [(3, 0.0, 0), (1, 30.0, 1)])
def test_the_time_of_an_agent_stands_still_while_it_waits_for_a_model(asked, own_s, faults, tmp_path):
    path = tmp_path / "slow.py"
    path.write_text(f"""
import asyncio
from molt_bench import Action

class Slow:
    name = "slow"
    def __init__(self, context):
        self.models = context.models
    async def act(self, seen):
        for _ in range({asked}):
            await self.models.ask({MODEL!r}, "Well?")
        await asyncio.sleep({own_s})
        return Action("fold")
""")
    with Provider(policy=lambda *_: "ok", latency_s=1.0) as provider:
        player = {key: value for key, value in harness(provider, f"{path}:Slow").items() if key != "params"}
        game = {"handsPerGame": 1, "actionTimeoutS": 2.5, "maxRetries": 0}
        result = run_benchmark(config(player, game=game), games_at_once=1)
    assert [fault.kind for fault in faults_of(result)] == ["timeout"] * faults * 2
