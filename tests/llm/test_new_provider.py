"""A provider that is new: one class and one row, and everything else is as for any other."""

from typing import ClassVar

import pytest

from molt_bench import run_benchmark
from molt_bench.llm.exchanges import Exchanges
from molt_bench.llm.money.expected_caching import cached_tokens
from molt_bench.llm.providers import table
from molt_bench.llm.providers.openai import ChatProvider
from molt_bench.llm.providers.server_address import redirection
from molt_bench.llm.settings import LLMSettings
from molt_bench.runs.run_files import RunFiles
from tests.llm.playing import DECISIONS, assert_complete, config, faults_of, passive
from tests.llm.provider import Provider


class Acme(ChatProvider):
    """All that is to be written for a server like OpenAI's: its address, and what is special about it."""

    cached_from: ClassVar = (("", 256),)


@pytest.fixture(name="server")
def acme_server(monkeypatch):
    """Have a provider named acme, which answers on loopback."""
    with Provider(policy=passive) as server:
        monkeypatch.setattr(Acme, "url", server.url)
        monkeypatch.setitem(table.PROVIDERS, "acme", Acme("acme"))
        monkeypatch.setenv("ACME_API_KEY", "sk-acme-secret")
        yield server


def test_it_plays_and_is_recorded(server):
    recorder = Exchanges()
    player = {"id": "model", "type": "llm:acme:big-1", "temperature": 0.5, "maxTokens": 300}
    result = run_benchmark(config(player, seeds=1), files=RunFiles(exchanges=recorder))
    assert_complete(result)
    assert faults_of(result) == []
    assert server.received == DECISIONS
    asked = server.requests[0]
    assert asked.headers["authorization"] == "Bearer sk-acme-secret"
    assert (asked.path, asked.body["model"], asked.body["temperature"]) == ("/v1/chat/completions", "big-1", 0.5)
    assert asked.body["max_completion_tokens"] == 300


def test_its_variables_and_its_cache_are_its_own(server, monkeypatch):
    settings = LLMSettings(model="acme:big-1")
    assert settings.key_variables == ("ACME_API_KEY",)
    assert cached_tokens(settings) >= 256
    assert redirection(settings) is None
    monkeypatch.setenv("ACME_BASE_URL", "http://elsewhere.example/v1")
    assert redirection(settings) == ("ACME_BASE_URL", "http://elsewhere.example/v1")
