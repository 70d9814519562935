"""The protocol: answers are read strictly, and what goes out is what one seat may know, in the form of the schema."""

import json
import re
from pathlib import Path
from random import Random  # noqa: TID251 - the test's own dice, seeded

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schemas import protocol_schema

from molt_bench import Action, AgentFailed, IllegalAction, Mix, RaiseRange
from molt_bench.agents.external.answers import read_answer, read_hello
from molt_bench.agents.external.http_kind import HttpSettings
from molt_bench.agents.external.program import ExecSettings
from molt_bench.agents.external.protocol import (
    LONGEST_ANSWER,
    Bye,
    Rejection,
    hello,
    line_of,
)
from molt_bench.config.loader import load_config
from molt_bench.poker.actions import CALL, CHECK, KINDS
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.poker.messages import answer_of, decision, result
from molt_bench.poker.plain import fields_of
from molt_bench.poker.views import observe, result_for
from tests.agents.external.mixes import GOOD, GOOD_TEXT, WRONG
from tests.llm.test_prompt_leaks import any_action, swapped

ROOT = Path(__file__).parents[3]
SCHEMA = protocol_schema()
TABLES = [HandRules(50, 100, 0, None), HandRules(1, 2, 1, 3), HandRules(0, 100, 0, None)]


def validator(direction):
    return Draft202012Validator({"$ref": f"#/$defs/{direction}", "$defs": SCHEMA["$defs"]})


TO_AGENT, FROM_AGENT = validator("ToAgent"), validator("FromAgent")


def action(**fields):
    return json.dumps({"type": "action", "id": 1, "kind": "call"} | fields).encode()


def kind_of(answer, read=read_answer):
    with pytest.raises(AgentFailed) as failure:
        read(answer)
    return failure.value.kind


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (action(), Action("call")),
        (action(kind="fold"), Action("fold")),
        (action(kind="check", amount=None), Action("check")),
        (action(kind="raiseTo", amount=300), Action("raiseTo", 300)),
        (action(kind="raiseTo", amount=-3), Action("raiseTo", -3)),
        (action(kind="raiseTo", amount=0), Action("raiseTo", 0)),
        (action(thoughts={"new": ["in", "version", 2.5]}), Action("call")),
        (b" \t" + action() + b"\r", Action("call")),
    ],
)
def test_what_has_the_form_of_an_action_is_one_legal_or_not(answer, wanted):
    assert read_answer(answer) == (1, wanted)


@pytest.mark.parametrize(
    "answer",
    [
        b"call",
        b"[]",
        b"null",
        b"1",
        b'"call"',
        b"{",
        b"{}",
        action() + action(),
        action()[:-1] + b',"x":NaN}',
        action()[:-1] + b',"x":-Infinity}',
        b'{"type":"action","id":1,"kind":"call"',
        b"{'type':'action','id':1,'kind':'call'}",
        b"\xff\xfe" + action(),
        b"\xef\xbb\xbf" + action(),
        action()[:-1] + b',"kind":"\xff"}',
        b"[" * 60_000,
        b'{"x":' * 10_000,
        action(type="act"),
        action(type=None),
        action(id="1"),
        action(id=1.0),
        action(id=True),
        action(id=None),
        action(kind="raise"),
        action(kind="Call"),
        action(kind=None),
        action(kind=["call"]),
        action(kind="call", amount=300),
        action(kind="fold", amount=0),
        action(kind="raiseTo"),
        action(kind="raiseTo", amount=None),
        action(kind="raiseTo", amount="300"),
        action(kind="raiseTo", amount=300.0),
        action(kind="raiseTo", amount=True),
        action(kind="raiseTo", amount=[300]),
        action(kind="raiseTo", amount=2**53 + 1),
        action(kind="raiseTo", amount=-(10**300)),
        b'{"type":"action","id":1,"kind":"raiseTo","amount":1e3}',
    ],
)
def test_everything_else_is_unparsable(answer):
    assert kind_of(answer) == "unparsable"


@pytest.mark.parametrize("answer", [b"", b" ", b"\r"])
def test_nothing_is_empty(answer):
    assert kind_of(answer) == kind_of(answer, read_hello) == "empty"


@pytest.mark.parametrize("fields", [{}, {"name": "bot"}, {"name": None}, {"extra": [1]}])
def test_a_hello_of_this_version_is_taken(fields):
    read_hello(json.dumps({"type": "hello", "protocol": 1} | fields).encode())


@pytest.mark.parametrize(
    "fields",
    [{"protocol": 2}, {"protocol": True}, {"protocol": 1.0}, {"protocol": "1"}, {"name": 3}, {"type": "action"}],
)
def test_another_hello_is_not(fields):
    assert kind_of(json.dumps({"type": "hello", "protocol": 1} | fields).encode(), read_hello) == "unparsable"


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@pytest.mark.slow
def test_no_answer_whatever_does_more_harm_than_a_fault(answer):
    for read in (read_answer, read_hello):
        with pytest.raises(AgentFailed) as failure:
            read(answer)
        assert failure.value.kind in ("unparsable", "empty")
        assert str(failure.value).isprintable()


def test_a_mix_is_read_and_written():
    line = json.dumps({"type": "action", "id": 3, "mix": GOOD}).encode()
    number, mix = read_answer(line)
    assert (number, mix.text) == (3, GOOD_TEXT)
    assert answer_of(fields_of(mix)) == mix
    assert FROM_AGENT.is_valid(json.loads(line))


@pytest.mark.parametrize("name", [name for name, (_, kind, words) in WRONG.items() if "legal: " not in words])
def test_a_wrong_mix_is_one_fault_that_says_what_is_wrong(name):
    fields, kind, words = WRONG[name]
    with pytest.raises(AgentFailed) as told:
        read_answer(b'{"type":"action","id":3,%s}' % fields.encode())
    assert told.value.kind == (kind if kind != "flood" else "unparsable")  # a flood is stopped before it is read
    assert words in str(told.value)
    assert "\n" not in str(told.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from(KINDS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=4,
)


@given(st.fixed_dictionaries({"type": st.just("action"), "id": JSON, "kind": JSON}, optional={"amount": JSON}))
def test_what_is_read_is_what_the_schema_allows(fields):
    """But for what a schema cannot say: when an amount has to be there, and that 1.0 is no whole number."""
    try:
        read_answer(json.dumps(fields).encode())
        taken = True
    except AgentFailed:
        taken = False
    assert not taken or FROM_AGENT.is_valid(fields)


def hands(seed, count):
    """Yield random hands at all kinds of tables, each with its deal."""
    dice = Random(seed)
    for number in range(1, count + 1):
        deck = dice.sample(range(52), 9)
        deal = (((deck[0], deck[1]), (deck[2], deck[3])), tuple(deck[4:]))
        rules = TABLES[number % 3]
        stack = dice.choice([100, 350, 10_000]) * rules.big_blind // 100 + 10
        yield dice, number, deal, Hand(rules, deal, (stack, stack), button=number & 1)


@pytest.mark.parametrize("seed", range(3))
def test_every_message_is_as_the_schema_says(seed):
    messages = [hello("bot"), hello("bot", "a1"), Rejection(message="no"), Bye()]
    for dice, number, _, hand in hands(seed, 60):
        while hand.actor != NOBODY:
            observation = observe(hand, number)
            messages.append(decision(observation, len(messages)))
            hand.apply(any_action(observation.legal, dice))
        messages += [result(result_for(hand, seat, number), "a1") for seat in (0, 1)]
    classes = [
        SCHEMA["$defs"][each["$ref"].split("/")[-1]]["properties"] for each in SCHEMA["$defs"]["ToAgent"]["anyOf"]
    ]
    properties = {each["type"]["enum"][0]: each for each in classes}
    for message in messages:
        line = line_of(message)
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        assert len(line) < LONGEST_ANSWER
        plain = json.loads(line)
        TO_AGENT.validate(plain)
        assert plain.keys() <= properties[plain["type"]].keys()


@pytest.mark.parametrize("seed", range(3))
def test_no_message_depends_on_a_card_that_was_not_seen(seed):
    """Swap every card that a seat has not seen, and no message to it changes by a byte."""
    differing = shown = 0
    for dice, number, deal, hand in hands(seed, 300):
        if hand.rules != TABLES[0]:
            continue
        while hand.actor != NOBODY:
            seat = hand.actor
            twin = swapped(hand, seat, dice, deal)
            differing += twin.holes != hand.holes
            told, twin_told = (line_of(decision(observe(each, number), 1)) for each in (hand, twin))
            assert told == twin_told
            hand.apply(any_action(observe(hand, number).legal, dice))
        for seat in (0, 1):
            twin = swapped(hand, seat, dice, deal, over=True)
            told, twin_told = (line_of(result(result_for(each, seat, number))) for each in (hand, twin))
            assert told == twin_told
            shown += json.loads(told)["opponentCards"] is not None
    assert differing > 100, "the cards were swapped"
    assert shown > 10


def test_nothing_tells_of_the_seed_or_the_opponent():
    """The fields are those that are listed here: whoever adds one has to think about it."""
    hand = next(hands(0, 1))[3]
    assert json.loads(line_of(decision(observe(hand, 1), 1))).keys() == {
        "type", "id", "handNumber", "seat", "button", "position", "street", "cards", "board", "pot", "stacks", "bets",
        "startingStacks", "toCall", "legal", "log", "smallBlind", "bigBlind", "ante", "raiseCap",
        "previousError",
    }  # fmt: skip
    hand.apply(Action("fold"))
    assert json.loads(line_of(result(result_for(hand, 0, 1)))).keys() == {
        "type", "handNumber", "seat", "button", "cards", "opponentCards", "board", "log", "startingStacks", "net",
    }  # fmt: skip
    assert json.loads(line_of(hello("bot"))).keys() == {"type", "protocol", "name"}


def test_the_published_schema_is_that_of_the_code():
    published = json.loads((ROOT / "docs" / "protocol.schema.json").read_text("utf-8"))
    assert published == SCHEMA
    Draft202012Validator.check_schema(published)


def samples():
    """Return the messages that the guide shows, in their order."""
    guide = (ROOT / "docs" / "reference" / "protocol.md").read_text("utf-8")
    return [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)]


def test_the_messages_in_the_guide_are_real_ones():
    hand = Hand(TABLES[0], deal_from_text("AhKd 7c6c 2c7hTsJs3d"), (10_000, 10_000), button=0)
    with pytest.raises(IllegalAction) as illegal:
        hand.apply(Action("raiseTo", 150))
    for each in (Action("raiseTo", 300), CALL, Action("raiseTo", 400)):
        hand.apply(each)
    sent = [hello("bot"), decision(observe(hand, 1), 2)]
    for each in (CALL, CHECK, CHECK, CHECK, CHECK):
        hand.apply(each)
    sent += [result(result_for(hand, 0, 1)), Rejection(message=str(illegal.value)), Bye()]
    shown = samples()
    answers = [shown.pop(at) for at in (1, 2, 2, 2)]
    fault = shown.pop()
    assert shown == [json.loads(line_of(message)) for message in sent]
    read_hello(json.dumps(answers[0]).encode())
    assert read_answer(json.dumps(answers[1]).encode()) == (2, CALL)
    assert read_answer(json.dumps(answers[2]).encode()) == (2, Action("raiseTo", 1200))
    assert read_answer(json.dumps(answers[3]).encode()) == (2, Mix([(CALL, 3), (RaiseRange(800, 1600), 1)]))
    number, failure = read_answer(json.dumps(fault).encode())
    assert (number, failure.kind, str(failure)) == (2, "refused", "I do not play with strangers")


def test_the_messages_in_the_guide_are_as_the_schema_says():
    for message in samples():
        assert TO_AGENT.is_valid(message) or FROM_AGENT.is_valid(message)


def test_the_configs_in_the_guide_are_complete():
    """Every setting is shown, with its default."""
    guide = (ROOT / "docs" / "reference" / "protocol.md").read_text("utf-8")
    first, second = (
        yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    )
    program, server = (load_config(each).participants[0] for each in (first, second))
    for section, settings, in_type in ((first, ExecSettings, "command"), (second, HttpSettings, "url")):
        wanted = {field.alias for field in settings.model_fields.values()}
        assert section["participants"][0].keys() == wanted - {in_type} | {"id", "type"}
    assert program.spec().params == {**ExecSettings(command="x").model_dump(), "command": "./bot --depth 3"}
    assert server.spec().params["api_key_env"] == "MY_BOT_KEY"
