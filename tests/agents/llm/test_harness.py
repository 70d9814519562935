"""Harnesses: how a model is asked and what it may write, from the settings to the requests on the wire."""

import pytest

from molt_bench.agents.llm.settings import HARNESS_VERSIONS, LLMSettings
from molt_bench.agents.llm.skill_document import default_skill
from molt_bench.agents.llm.talk.prompt import prompt_hash
from molt_bench.config.loader import load_config
from molt_bench.errors import ConfigError
from molt_bench.specs import GameSpec
from tests.agents.llm.playing import run
from tests.agents.llm.provider import Provider

FACTS = GameSpec(seed=0, hands=50).facts


def test_each_harness_has_a_version_and_a_skill_document_of_its_own():
    assert LLMSettings(model="a:b").harness_label == f"strict/{HARNESS_VERSIONS['strict']}"
    assert LLMSettings(model="a:b", harness="mixed").harness_label == f"mixed/{HARNESS_VERSIONS['mixed']}"
    skills = [default_skill(harness) for harness in HARNESS_VERSIONS]
    assert ['"strategy"' in skill for skill in skills] == [False, True]


def test_the_harness_is_hashed_with_the_prompt():
    assert prompt_hash("strict/1", "system", "message") != prompt_hash("strict/2", "system", "message")


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"harness": "loose"}, "harness"),
        ({"track": "full"}, "track"),
    ],
)
def test_settings_that_a_harness_does_not_have_are_one_clear_error(settings, field):
    model = {"id": "m", "type": "llm", "model": "openai:x", **settings}
    with pytest.raises(ConfigError, match=field):
        load_config({"participants": [model, "tight"]})


def test_settings_at_their_defaults_leave_configs_as_they_were():
    plain = load_config({"participants": [{"id": "m", "type": "llm", "model": "openai:x"}, "tight"]}).plain()
    assert "harness" not in plain["participants"][0]


def test_a_retry_shows_a_model_its_own_bad_answer_on_the_wire():
    with Provider(fault=["prose-only"]) as provider:
        run(provider, game={"handsPerGame": 1})
        first, again = [request.body["messages"][-1]["content"] for request in provider.requests[:2]]
    assert "I would rather not say" not in first
    assert "Your last answer was:\nI would rather not say what I do here" in again
    assert "Your last answer was not taken: " in again


def test_the_game_is_told_by_every_way_to_play():
    with Provider() as provider:
        run(provider, game={"handsPerGame": 2, "stacks": "carry", "warmupHands": 1})
        text = provider.requests[0].body["messages"][-1]["content"]
    assert "3 hands. The first 1 of them do not count. Both stacks are 10000 (100 bb) at first" in text
    assert "Hand 1 of 3." in text
