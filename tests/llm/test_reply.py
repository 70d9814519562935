"""The reply: taken exactly as it is, or a fault of its kind."""

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molt_bench.errors import AgentFailed
from molt_bench.llm.reply import LONGEST_REPLY, Reply, read_reply
from molt_bench.poker.actions import KINDS, Action

GOOD = '{"reasoning": "a {brace} and a \\"quote\\"", "kind": "raiseTo", "amount": 600}'


def fault_of(text, finish="stop"):
    with pytest.raises(AgentFailed) as caught:
        read_reply(text, finish)
    return caught.value.kind


def test_the_object_alone_is_read():
    assert read_reply(f" {GOOD}\n", "stop") == Reply(Action("raiseTo", 600), 'a {brace} and a "quote"')


@pytest.mark.parametrize("kind", ["fold", "check", "call"])
@pytest.mark.parametrize("amount", ["null", "0", "700", '"x"', None])
def test_the_amount_of_what_is_no_raise_does_not_matter(kind, amount):
    tail = "" if amount is None else f', "amount": {amount}'
    assert read_reply(f'{{"kind": "{kind}"{tail}}}', "stop").answer == Action(kind)


def test_a_whole_number_may_be_written_with_a_point():
    assert read_reply('{"kind": "raiseTo", "amount": 600.0}', "stop").answer == Action("raiseTo", 600)


@pytest.mark.parametrize("amount", ["null", '"600"', "600.5", "true", "[600]", "1e400", None])
def test_sizes_are_never_guessed(amount):
    tail = "" if amount is None else f', "amount": {amount}'
    assert fault_of(f'{{"kind": "raiseTo"{tail}}}') == "unparsable"


@pytest.mark.parametrize("kind", ['"raise"', '"Fold"', '"bet"', '"all-in"', "null", "3", '["call"]', '{"a": 1}'])
def test_kinds_are_never_guessed(kind):
    assert fault_of(f'{{"kind": {kind}, "amount": 600}}') == "unparsable"


@pytest.mark.parametrize(
    "text", ["I call.", "call", "[1]", "null", '"call"', "3", "{}", '{"action": "call"}', "{call}"]
)
def test_prose_is_no_answer(text):
    assert fault_of(text) == "unparsable"


@pytest.mark.parametrize(("text", "finish", "kind"), [
    ("", "stop", "empty"),
    (" \n", None, "empty"),
    ("", "length", "truncated"),
    (GOOD[:30], "length", "truncated"),
    (GOOD[:30], "stop", "truncated"),
    ('{"reasoning": "a \\', "stop", "truncated"),
    ("I think that", "length", "truncated"),
    ("I cannot play", "content_filter", "refused"),
    ("", "content_filter", "refused"),
    (GOOD, "content_filter", "refused"),
    ("x" * (LONGEST_REPLY + 1), "stop", "unparsable"),
])  # fmt: skip
def test_each_failure_has_its_kind(text, finish, kind):
    assert fault_of(text, finish) == kind


@pytest.mark.parametrize(("text", "finish", "kind"), [
    (f"Perhaps {GOOD}, or else", "length", "truncated"),
    (f"{GOOD} No, better {GOOD[:30]}", "length", "truncated"),
    (f"{GOOD} No, better {GOOD[:30]}", "stop", "truncated"),
    (f'{GOOD} No, better {{"kind": fold}}', "stop", "unparsable"),
    (f'{{"plan": {GOOD}, "plan": {GOOD}}} Hm. {{"kind": "call", "kind": "fold"}}', "stop", "unparsable"),
    ('{"kind": "call", "kind": "fold"}', "stop", "unparsable"),
    ('{"kind": "raiseTo", "amount": 200, "amount": 900}', "stop", "unparsable"),
    ("<think>I fold.</think>", "stop", "unparsable"),
])  # fmt: skip
def test_what_is_cut_off_or_broken_is_never_replaced_by_a_draft(text, finish, kind):
    assert fault_of(text, finish) == kind


def test_an_answer_that_was_cut_off_after_an_object_is_not_one():
    assert fault_of(f"{GOOD} But on second thought", "length") == "truncated"
    assert read_reply(f"I see. {GOOD}", "length").answer == Action("raiseTo", 600)


def test_what_is_said_before_the_object_is_why():
    assert read_reply('Two pair.\n```json\n{"kind": "call"}\n```', "stop").reasoning == "Two pair."
    assert read_reply('Two pair. {"kind": "call", "reasoning": "x"} So be it.', "stop").reasoning == "Two pair."


@pytest.mark.parametrize("text", ['{"kind": "call", "sure": true}', '{"kind": "call", "reasoning": "a {b} \\"c"}'])
def test_other_fields_are_ignored(text):
    assert read_reply(text, "stop").answer == Action("call")


def test_half_a_character_in_the_reasoning_is_replaced():
    said = '{"reasoning": "\\ud83d and \\ud83d\\ude00", "kind": "call"}'
    assert read_reply(said, "stop").reasoning == "\ufffd and \U0001f600"


@pytest.mark.parametrize(
    "text", ["{" * 20_000, '{"a":' * 10_000, "[" * 90_000, '{"' * 15_000, "{" + "9" * 90_000 + "}"]
)
def test_hostile_text_is_a_fault_and_quickly_so(text):
    assert fault_of(text) in ("unparsable", "truncated")


@given(st.text(), st.sampled_from(["stop", "length", None, "tool_call"]))
def test_no_text_breaks_the_reader(text, finish):
    try:
        kind = read_reply(text, finish).answer.kind
    except AgentFailed as failure:
        kind = failure.kind
    assert kind in (*KINDS, "unparsable", "truncated", "empty")


@given(
    st.dictionaries(st.sampled_from(["kind", "amount", "reasoning", "hand", "toCall"]), st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from([*KINDS, "x"]),
        lambda inner: st.lists(inner, max_size=2),
        max_leaves=3,
    )),
    st.text(alphabet=string.ascii_letters + " .,", max_size=30),
)  # fmt: skip
def test_an_object_means_the_same_alone_and_after_prose(found, prose):
    text = json.dumps(found)

    def outcome(text):
        try:
            return read_reply(text, "stop").answer
        except AgentFailed as failure:
            return failure.kind

    assert outcome(text) == outcome(f"{prose} {text}")
