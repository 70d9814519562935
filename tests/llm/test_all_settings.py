"""Every valid combination of the settings that are sent, asked of a real server in every protocol."""

import asyncio
from itertools import product

import pytest

from molt_bench.errors import ConfigError
from molt_bench.llm.client import ModelClient
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Said
from tests.llm.playing import base_url
from tests.llm.provider import Provider

VALUES = {
    "temperature": 0.5,
    "top_p": 0.9,
    "seed": 7,
    "max_tokens": 4000,
    "reasoning_effort": "low",
    "thinking_tokens": 2000,
    "extra_body": {"note": "x"},
}
#: The model of each protocol, and which of these it never takes.
MODELS = {
    "openai": ("openai:gpt-5", {"thinking_tokens", "temperature", "top_p"}),
    "openai-plain": ("openai:gpt-4.1", {"thinking_tokens"}),
    "responses": ("openai-responses:gpt-4.1", {"thinking_tokens", "seed"}),
    "anthropic": ("anthropic:claude-sonnet-4-5", {"seed"}),
    "google": ("google:gemini-2.5-flash", {"extra_body"}),
}
PROMPT = (Said("system", "Be brief."), Said("user", "Legal actions: call"))


def valid(api, combination):
    """Return whether a model takes these settings."""
    _, never = MODELS[api]
    thinks = {"reasoning_effort", "thinking_tokens"} & combination
    return not (combination & never or (api == "anthropic" and thinks and {"temperature", "top_p"} & combination))


@pytest.mark.parametrize(
    ("api", "every"), [*((api, 5) for api in MODELS), *(pytest.param(api, 1, marks=pytest.mark.slow) for api in MODELS)]
)
def test_every_valid_combination_is_sent_and_answered_and_every_other_one_is_an_error(api, every):
    """One of five in every run of the tests."""
    family = "openai" if api in ("openai-plain", "responses") else api

    async def ask(settings):
        client = ModelClient(settings, keep_alive=False)
        try:
            return await client.ask(PROMPT, timeout_s=120)
        finally:
            await client.close()

    with Provider(policy=lambda *_: "ok") as provider:
        played = 0
        for chosen in [*product((False, True), repeat=len(VALUES))][::every]:
            names = {name for name, is_set in zip(VALUES, chosen, strict=True) if is_set}
            settings = {name: VALUES[name] for name in names}
            model = LLMSettings(model=MODELS[api][0], base_url=base_url(provider, family), **settings)
            if not valid(api, names):
                with pytest.raises(ConfigError, match="expected"):
                    ModelClient(model)
                continue
            assert asyncio.run(ask(model)).text == "ok"
            played += 1
            sent = str(provider.requests[-1].body)
            assert all(str(value) in sent for name, value in settings.items() if name in ("seed", "max_tokens"))
        assert provider.received == played >= 16 // every
