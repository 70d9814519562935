"""Forms of replies: how a model is asked and what it may write, from the settings to the requests on the wire."""

import pytest

from molt_bench.config.loader import load_config
from molt_bench.errors import ConfigError
from molt_bench.llm.prompt import default_skill, prompt_hash
from molt_bench.llm.settings import REPLY_VERSIONS, LLMSettings
from molt_bench.llm.types import Said
from molt_bench.specs import GameSpec
from tests.llm.playing import run
from tests.llm.provider import Provider

FACTS = GameSpec(seed=0, hands=50).facts


def test_each_form_has_a_version_and_a_skill_document_of_its_own():
    assert LLMSettings(model="a:b").reply_form == f"action/{REPLY_VERSIONS['action']}"
    assert LLMSettings(model="a:b", reply="strategy").reply_form == f"strategy/{REPLY_VERSIONS['strategy']}"
    skills = [default_skill(form) for form in REPLY_VERSIONS]
    assert ['"strategy"' in skill for skill in skills] == [False, True]


def test_the_form_is_hashed_with_the_prompt():
    said = (Said("user", "message"),)
    assert prompt_hash("action/1", "system", said) != prompt_hash("action/2", "system", said)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"reply": "loose"}, "reply"),
        ({"track": "full"}, "track"),
    ],
)
def test_settings_that_are_none_are_one_clear_error(settings, field):
    model = {"id": "m", "type": "llm", "model": "openai:x", **settings}
    with pytest.raises(ConfigError, match=field):
        load_config({"participants": [model, "tight"]})


def test_settings_at_their_defaults_leave_configs_as_they_were():
    plain = load_config({"participants": [{"id": "m", "type": "llm", "model": "openai:x"}, "tight"]}).plain()
    assert "reply" not in plain["participants"][0]


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
