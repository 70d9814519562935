"""What is sent besides the prompt: as the user set it, in a form that the provider takes, or an error before that."""

import json

import pytest

from molt_bench import run_benchmark
from molt_bench.errors import ConfigError
from molt_bench.llm.client import ModelClient
from molt_bench.llm.prices import PriceList
from molt_bench.llm.settings import LLMSettings, redirection_warnings
from molt_bench.runs.replies import Replies
from tests.llm.playing import assert_complete, config, faults_of, passive, run
from tests.llm.provider import Provider

SERVER = "http://127.0.0.1:9/v1"


def body_of(api="openai", **settings):
    """Return the body of the first request of a game."""
    with Provider(policy=passive) as provider:
        run(provider, api=api, game={"handsPerGame": 1}, **settings)
        return provider.requests[0].body


def refused(name, **settings):
    """Return the field of a setting that is refused before anything is sent."""
    with pytest.raises(ConfigError) as caught:
        ModelClient(LLMSettings(model=name, **settings), key="none")
    assert "expected" in str(caught.value)
    return caught.value.field


@pytest.mark.parametrize("effort", ["minimal", "medium", "max"])
def test_claude_reasons_within_the_tokens_of_its_reply(effort):
    body = body_of("anthropic", reasoningEffort=effort, maxTokens=None, model="anthropic:claude-sonnet-4-5")
    assert 1024 <= body["thinking"]["budget_tokens"] < body["max_tokens"]
    assert body["max_tokens"] == 8192 + body["thinking"]["budget_tokens"]


def test_tokens_that_the_user_set_stay_and_claude_reasons_less():
    body = body_of("anthropic", reasoningEffort="high", maxTokens=4000, model="anthropic:claude-sonnet-4-5")
    assert (body["max_tokens"], body["thinking"]["budget_tokens"]) == (4000, 4000 - 512)
    assert refused("anthropic:claude-sonnet-4-5", reasoning_effort="low", max_tokens=1000) == "maxTokens"


@pytest.mark.parametrize(("name", "settings", "field"), [
    ("anthropic:claude-sonnet-4-5", {"seed": 7}, "seed"),
    ("openai-responses:gpt-4.1", {"seed": 7}, "seed"),
    ("google:gemini-2.5-flash", {"extra_body": {"a": 1}}, "extraBody"),
    ("openai:o3", {"temperature": 0.5}, "temperature"),
    ("openai:o3", {"top_p": 0.5}, "topP"),
    ("openai:o3", {"reasoning_effort": "max"}, "reasoningEffort"),
    ("anthropic:claude-sonnet-4-5", {"reasoning_effort": "low", "temperature": 0.5}, "temperature"),
])  # fmt: skip
def test_what_a_model_does_not_take_is_an_error_before_the_first_card(name, settings, field):
    assert refused(name, **settings) == field


def test_fields_of_the_users_own_are_sent_as_they_are():
    fields = {"chat_template_kwargs": {"enable_thinking": False}, "top_k": 7, "stop": ["STOP"], "service_tier": "flex"}
    body = body_of(extraBody=fields, maxTokens=300)
    assert {name: body[name] for name in fields} == fields
    assert body["max_tokens"] == 300


def test_thoughts_by_number():
    body = body_of("anthropic", thinkingTokens=3000, maxTokens=None, model="anthropic:claude-sonnet-4-5")
    assert (body["thinking"]["budget_tokens"], body["max_tokens"]) == (3000, 8192 + 3000)
    assert body_of("google", thinkingTokens=3000)["generationConfig"]["thinkingConfig"]["thinking_budget"] == 3000
    assert refused("openai:o3", thinking_tokens=3000) == "thinkingTokens"


def test_options_that_are_left_out_change_no_key_of_an_exchange():
    plain = LLMSettings(model="openai:x")
    assert not {"extra_body", "thinking_tokens"} & plain.decisive().keys()
    assert LLMSettings(model="openai:x", extra_body={"top_k": 5}).decisive() != plain.decisive()


def test_claude_is_told_what_to_cache():
    assert "cache_control" in json.dumps(body_of("anthropic")["system"])
    assert "cache_control" not in json.dumps(body_of("anthropic")["messages"])


@pytest.mark.parametrize(("name", "variable"), [
    ("openai:gpt-4.1", "OPENAI_BASE_URL"),
    ("anthropic:claude-sonnet-4-5", "ANTHROPIC_BASE_URL"),
    ("google:gemini-2.5-flash", "GOOGLE_GEMINI_BASE_URL"),
])  # fmt: skip
def test_the_environment_sends_no_key_elsewhere_without_a_word(name, variable, monkeypatch):
    settings = LLMSettings(model=name)
    assert settings.redirection is None
    assert PriceList({}).knows(settings)
    monkeypatch.setenv(variable, "http://user:password@elsewhere.example/v1")
    (warning,) = redirection_warnings({"guest": [settings]})
    assert warning.startswith(f"{variable} sends the requests and the key of guest to http://elsewhere.example/v1:")
    assert warning.endswith("published prices do not hold there")
    assert not PriceList({}).knows(settings)
    assert LLMSettings(model=name, base_url=SERVER).redirection is None


def test_half_a_character_is_no_obstacle(tmp_path):
    path = str(tmp_path / "replies.jsonl")
    recorder = Replies(path)
    with Provider(policy=passive, fault=lambda _: "surrogate") as provider:
        result = run(provider, recorder=recorder)
    recorder.close()
    assert_complete(result)
    assert faults_of(result) == []
    kept = Replies.reopen(path, read_only=True).earlier
    assert "half of a character: \ufffd" in kept[-1].text


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:abc/v1", "http://127.0.0.1:99999/v1", "http://[::1/v1", "ftp://x/v1"]
)
def test_a_base_url_that_is_no_address_is_refused_before_anything_is_asked(url):
    who = {"id": "model", "type": "llm", "model": "openai:m", "baseUrl": url}
    with pytest.raises(ConfigError, match="expected a URL such as") as caught:
        run_benchmark(config(who))
    assert caught.value.field == "participants.0.baseUrl"
