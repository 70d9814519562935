"""Log-probabilities on the wire: asked for if wanted, recorded, used, tested; and a clear word where there are none."""

import json
from math import log, nan

import pytest

from molt_bench import run_benchmark
from molt_bench.agents.llm.exchanges import Exchanges
from molt_bench.agents.llm.providers.table import provider_of
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.errors import ConfigError
from molt_bench.runs.run_files import RunFiles
from tests.agents.llm.drawing import STYLES, Drawer, tempered
from tests.agents.llm.playing import config, model, prompts_of
from tests.agents.llm.provider import Provider

ASKED = {"replyFirst": "action", "logprobs": True, "temperature": 1}


class Kept(Exchanges):
    """All exchanges, in order."""

    def __init__(self):
        super().__init__()
        self.all = []

    def add(self, exchange):
        super().add(exchange)
        self.all.append(exchange)


def played(drawer, *, seeds=2, hands=5, settings=ASKED):
    """Play a match of a model that draws; return the result, its exchanges and its provider."""
    kept = Kept()
    with Provider(policy=drawer) as provider:
        wanted = config(model(provider, **settings), seeds=seeds, game={"handsPerGame": hands})
        result = run_benchmark(wanted, files=RunFiles(exchanges=kept))
    return result, [each for each in kept.all if each.attempt], provider


def changed(result):
    """Return what correcting changes in the margins, seed by seed."""
    margins = result.matches[0].margins
    return [one - two for one, two in zip(margins["corrected"], margins["adjusted"], strict=True)]


@pytest.mark.parametrize(
    "style", [style if style == "plain" else pytest.param(style, marks=pytest.mark.slow) for style in STYLES]
)
def test_odds_are_recorded_and_used(style):
    result, exchanges, provider = played(Drawer(style=style))
    assert all((each.body["logprobs"], each.body["top_logprobs"]) == (True, 20) for each in provider.requests)
    assert all(each.choice.odds for each in exchanges)
    assert any(changed(result))
    assert not result.warnings


def test_asking_for_them_changes_nothing_else():
    """The same prompts, schema, text, tokens and cost; only the two fields of the request are new."""
    runs = [played(Drawer(), settings={**ASKED, "logprobs": wanted}) for wanted in (True, False)]
    (_, asked, with_them), (plain, unasked, without) = runs
    assert sorted(prompts_of(with_them)) == sorted(prompts_of(without))
    bodies = [
        sorted(json.dumps({**each.body, "logprobs": 0, "top_logprobs": 0}, sort_keys=True) for each in it.requests)
        for it in (with_them, without)
    ]
    assert bodies[0] == bodies[1]
    assert not any("logprobs" in each.body for each in without.requests)
    facts = [
        sorted((each.prompt_hash, each.text, each.tokens.total, each.cost_usd or 0) for each in it)
        for it in (asked, unasked)
    ]
    assert facts[0] == facts[1]
    assert not any(changed(plain))


def test_the_keys_of_earlier_runs_stay_as_they_were():
    """What decides a reply has new fields only where they are not left at their defaults."""
    usual = LLMSettings(model="openai:x").decisive()
    assert usual.keys() == {
        *("model", "temperature", "top_p", "seed", "max_tokens", "reasoning_effort", "base_url", "output_mode")
    }
    assert LLMSettings(model="openai:x", logprobs=True).decisive() == usual
    assert LLMSettings(model="openai:x", replyFirst="action").decisive() == {**usual, "reply_first": "action"}


def test_the_action_comes_first_in_schema_and_prompt():
    _, _, provider = played(Drawer(), seeds=1, hands=2)
    for request in provider.requests:
        schema = request.body["response_format"]["json_schema"]["schema"]
        assert list(schema["properties"]) == ["kind", "amount", "reasoning"]
        system, message = (each["content"] for each in request.body["messages"])
        assert '{"kind": "raiseTo", "amount": 240, "reasoning": "' in system
        assert message.splitlines()[-1].startswith('Reply with one JSON object: {"kind": "fold" | ')
        assert message.endswith(', "reasoning": "..."}')


NOWHERE = "model: {0} of its {0} decisions came without log-probabilities that can be used"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda likely: [],
        lambda likely: [(name, nan) for name, _ in likely],
        lambda likely: [(name, -0.01) for name, _ in likely],
        lambda likely: [(name, each - 1) for name, each in likely],
        lambda likely: [(name, 0.3) for name, _ in likely],
    ],
    ids=["null", "nan", "more than 1", "too little", "above 1"],
)
def test_lists_that_cannot_be_used_are_told_of(spoil):
    result, exchanges, _ = played(Drawer(spoil=spoil), seeds=1)
    assert not any(changed(result))
    assert list(result.warnings) == [NOWHERE.format(len(exchanges))]


def test_a_server_that_ignores_the_request_is_told_of():
    result, exchanges, _ = played(lambda prompt, body: Drawer()(prompt, body).text, seeds=1)
    assert not any(changed(result))
    assert list(result.warnings) == [NOWHERE.format(len(exchanges))]


def greedy(odds):
    return {max(odds, key=odds.get): 1.0}


@pytest.mark.parametrize(
    "draws",
    [greedy, pytest.param(lambda odds: tempered(odds, 0.3), marks=pytest.mark.slow)],
    ids=["greedy", "temperature 0.3"],
)
def test_a_model_that_does_not_draw_by_them_is_refused_for_the_whole_run(draws):
    result, _, _ = played(Drawer(draws=draws), seeds=3 if draws is greedy else 8, hands=12)
    (warning,) = result.warnings
    assert warning.startswith("model: its replies do not follow its log-probabilities, so they are not used: ")
    assert " times, " in warning
    assert not any(changed(result))


@pytest.mark.slow
def test_an_honest_model_is_not():
    result, exchanges, _ = played(Drawer(), seeds=8, hands=15)
    assert len(exchanges) > 400
    assert not result.warnings
    assert all(changed(result))


@pytest.mark.parametrize("sampling", [{"temperature": 0.7}, {"temperature": 0}, {"topP": 0.9}])
def test_another_temperature_is_a_config_error(sampling):
    with pytest.raises(ConfigError, match=r"logprobs = True: expected temperature 1 and topP 1 beside it"):
        run_benchmark(config({"id": "m", "type": "llm", "model": "openai:x", "logprobs": True, **sampling}))


@pytest.mark.parametrize("provider", ["anthropic:claude-sonnet-4-5", "openai-responses:gpt-4.1"])
def test_a_provider_without_them_is_a_config_error(provider):
    with pytest.raises(ConfigError, match=r"participants\.m\.logprobs = True: expected false, since .* reports none"):
        run_benchmark(
            config({"id": "m", "type": "llm", "model": provider, "baseUrl": "http://127.0.0.1:9", "logprobs": True})
        )


def test_googles_form_is_read_as_well():
    one = {"token": "call", "log_probability": log(0.6), "token_id": 7}
    two = {"token": "fold", "log_probability": log(0.4), "token_id": 8}
    reported = {"chosen_candidates": [one], "top_candidates": [{"candidates": [one, two]}]}
    found = provider_of("google").reply_tokens(reported)
    assert found == [("call", [("call", log(0.6)), ("fold", log(0.4))])]


@pytest.mark.parametrize(
    "reported", [None, [], {}, 7, [{"token": "x"}], [{"token": 1, "top_logprobs": None}], {"top_candidates": 1}]
)
@pytest.mark.parametrize("provider", ["openai", "google"])
def test_another_form_is_no_error(provider, reported):
    assert not provider_of(provider).reply_tokens(reported)
