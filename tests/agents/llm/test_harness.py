"""Harnesses: how a model is asked and what it may write, from the settings to the requests on the wire."""

import re
from itertools import pairwise

import msgspec
import pytest

from molt_bench.agents.llm.settings import HARNESS_VERSIONS, LLMSettings
from molt_bench.agents.llm.skill_document import default_skill
from molt_bench.agents.llm.talk.conversation import ANSWER_LENGTH, Conversation
from molt_bench.agents.llm.talk.prompt import prompt_hash
from molt_bench.agents.llm.talk.reply import read_free_reply
from molt_bench.config.loader import load_config
from molt_bench.errors import AgentFailed, ConfigError
from molt_bench.poker.actions import Action
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.observation import result_for
from molt_bench.specs import GameSpec
from tests.agents.llm.playing import MODELS, faults_of, run
from tests.agents.llm.provider import Provider
from tests.agents.llm.test_conversation import HANDS, exchange, seen

FACTS = GameSpec(seed=0, hands=50).facts


def chatting(prompt, _):
    """Think aloud, then check where that is free and call where it is not."""
    legal = re.findall(r"^Legal actions: (.*)$", prompt, re.MULTILINE)[-1]
    return f"Nothing ventured.\nNOTE: it never folds\n\n**ACTION: {'check' if 'check' in legal else 'call'}**"


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("ACTION: call", Action("call")),
        ("Well.\nI call.\nACTION: fold\nNo, wait.\n\nACTION: raiseTo 600\n\n", Action("raiseTo", 600)),
        ("**ACTION: check**", Action("check")),
        ("`action: RAISETO 250`.", Action("raiseTo", 250)),
        ("ACTION: **fold**", Action("fold")),
        ("<think>ACTION: fold</think>\nACTION: call", Action("call")),
    ],
)
def test_the_last_line_of_a_free_reply_is_the_action(text, action):
    assert read_free_reply(text, "stop").action == action


@pytest.mark.parametrize(
    ("text", "finish", "kind"),
    [
        ("ACTION: call\nI hope that helps!", "stop", "unparsable"),
        ("I call.", "stop", "unparsable"),
        ("ACTION: raiseTo", "stop", "unparsable"),
        ("ACTION: raiseTo 60.5", "stop", "unparsable"),
        ("ACTION: raiseTo -5", "stop", "unparsable"),
        ("ACTION: fold or call", "stop", "unparsable"),
        ("Why not\nACTION: raiseTo 60", "length", "truncated"),
        ("<think>perhaps\nACTION: fold", "stop", "truncated"),
        ("", "stop", "empty"),
        ("", "length", "truncated"),
        ("sorry", "content_filter", "refused"),
        ("x" * 100_001 + "\nACTION: call", "stop", "unparsable"),
        ('{"kind": "call"}', "stop", "unparsable"),
    ],
)
def test_nothing_else_is_taken_for_an_action(text, finish, kind):
    with pytest.raises(AgentFailed) as told:
        read_free_reply(text, finish)
    assert told.value.kind == kind


def test_each_harness_has_a_version_and_a_skill_document_of_its_own():
    assert LLMSettings(model="a:b").harness_label == f"strict/{HARNESS_VERSIONS['strict']}"
    assert LLMSettings(model="a:b", harness="chat").harness_label == f"chat/{HARNESS_VERSIONS['chat']}"
    skills = [default_skill(harness) for harness in HARNESS_VERSIONS]
    assert len({*skills}) == 4
    assert [skill.count("ACTION: raiseTo 7350") for skill in skills] == [0, 0, 1, 1]


def test_the_harness_is_hashed_with_the_prompt():
    assert prompt_hash("strict/1", "system", "message") != prompt_hash("strict/2", "system", "message")
    assert prompt_hash("chat/1", "system", "message") != prompt_hash("chat/1", "system", "message", [("a", "b")])


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"harness": "free", "outputMode": "native"}, "outputMode"),
        ({"harness": "chat", "outputMode": "tool"}, "outputMode"),
        ({"harness": "free", "comprehension": True}, "comprehension"),
        ({"harness": "free", "replyFirst": "action"}, "replyFirst"),
        ({"harness": "chat", "logprobs": True}, "logprobs"),
        ({"harness": "mixed", "logprobs": True}, "logprobs = True: expected false, not needed with harness mixed"),
        ({"harness": "chat", "memory": "session"}, "memory"),
        ({"harness": "loose"}, "harness"),
        ({"track": "full"}, "track"),
        ({"chatTokens": 10}, "chatTokens"),
    ],
)
def test_settings_that_a_harness_does_not_have_are_one_clear_error(settings, field):
    model = {"id": "m", "type": "llm", "model": "openai:x", **settings}
    with pytest.raises(ConfigError, match=field):
        load_config({"participants": [model, "tight"]})


def test_settings_at_their_defaults_leave_configs_as_they_were():
    plain = load_config({"participants": [{"id": "m", "type": "llm", "model": "openai:x"}, "tight"]}).plain()
    assert {"harness", "chatTokens"}.isdisjoint(plain["participants"][0])


@pytest.mark.parametrize("api", MODELS)
@pytest.mark.parametrize("harness", ["free", "chat"])
def test_free_text_is_played_without_a_fault_by_every_provider(api, harness):
    with Provider(policy=chatting) as provider:
        result = run(provider, api=api, harness=harness)
        bodies = [request.body for request in provider.requests]
    assert not faults_of(result)
    assert not any("response_format" in body or "tools" in body for body in bodies)
    key = "contents" if api == "google" else "messages"
    lengths = [len(body[key]) for body in bodies]
    first = lengths[0]
    if harness == "free":
        assert {*lengths} == {first}
    else:
        game = len(lengths) // 2
        assert lengths == [first + 2 * at for at in range(game)] * 2


def test_a_chat_only_grows_and_has_every_hand_and_thought():
    with Provider(policy=chatting) as provider:
        run(provider, harness="chat", game={"handsPerGame": 4})
        asked = [request.body["messages"] for request in provider.requests]
    half = len(asked) // 2
    for before, after in pairwise(asked[:half]):
        assert after[: len(before)] == before, "a prefix that caches"
    last = asked[half - 1]
    assert [each["role"] for each in last] == ["system", *["user", "assistant"] * (half - 1), "user"]
    told = "\n".join(each["content"] for each in last)
    assert told.count("This hand is over") == 3
    assert told.count("Nothing ventured.") == half - 1
    assert told.count("Game: blinds 50/100") == 1
    assert "4 hands" not in asked[half][-1]["content"].partition("Game:")[0]
    assert len(asked[half]) == 2, "the next game begins anew"


def chat(**settings):
    return Conversation(LLMSettings(model="a:b", harness="chat", **settings), FACTS)


def test_what_was_not_answered_stays_open_so_that_messages_and_answers_alternate():
    talk = chat()
    first = talk.message(seen())
    with pytest.raises(AgentFailed):
        talk.take_reply(seen(), exchange("no answer in time", "timeout"))
    again = talk.message(msgspec.structs.replace(seen(), previous_error="too late"))
    assert again.startswith(first)
    assert "Your last answer was not taken: too late" in again
    assert talk.earlier == ()
    with pytest.raises(AgentFailed):
        talk.take_reply(seen(), exchange("I call."))
    assert [turn.said for turn in talk.earlier] == ["I call."]
    third = talk.message(msgspec.structs.replace(seen(), previous_error="no action"))
    assert third.startswith("Your last answer was not taken: no action")
    assert talk.take_reply(seen(), exchange("Oh.\nACTION: call")) == Action("call")
    assert [turn.said for turn in talk.earlier] == ["I call.", "Oh.\nACTION: call"]


def test_a_chat_that_is_too_long_loses_whole_hands():
    talk = chat(chat_tokens=2000)
    parsed = hand_from_text(HANDS[1].replace("2:", "1:", 1))
    sizes = []
    for number in range(1, 60):
        talk.message(seen(number))
        talk.take_reply(seen(number), exchange(f"{'think ' * 40}\nACTION: call"))
        talk.take_result(result_for(parsed.hand, 0, number))
        sizes.append(sum(len(text) for turn in talk.earlier for text in turn))
    assert max(sizes) < 2000 * 3.9 + 3000
    opening = talk.earlier[0].asked
    assert opening.startswith("Game: blinds 50/100")
    found = re.search(r"The hands up to (\d+) are no longer", opening)
    assert f"Hand {int(found[1]) + 1} of 50" in opening


def test_one_endless_answer_does_not_fill_a_chat():
    talk = chat()
    talk.message(seen())
    talk.take_reply(seen(), exchange("x" * 90_000 + "\nACTION: call"))
    assert len(talk.earlier[0].said) < ANSWER_LENGTH + 20
    assert talk.earlier[0].said.endswith("ACTION: call")


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
