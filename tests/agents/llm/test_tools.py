"""Tools: what a model may ask before it answers, over real HTTP in the protocols of three providers."""

import json
from collections import Counter

import pytest

from molt_bench import run_benchmark
from molt_bench.agents.llm.exchanges import Exchanges
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.talk.tools import MOST_CALLS, MOST_STEPS, answer
from molt_bench.errors import ConfigError
from molt_bench.poker.actions import Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.equity import equity
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import observe
from tests.agents.llm import wire
from tests.agents.llm.playing import DECISIONS, assert_complete, config, faults_of, model, passive, run
from tests.agents.llm.provider import Provider
from tests.cases import one_in

TOOLS = ["equity", "pot_odds"]
MODES = {
    "openai": ("auto", "native", "tool", "prompted", "text"),
    "anthropic": ("auto", "native", "tool", "prompted", "text"),
    "google": ("auto", "tool", "prompted", "text"),
}


def asks_first(api):
    """Return a policy that asks both tools at once, then one of them, and then decides."""

    def policy(prompt, body):
        told = wire.answers_of(api, body)
        if not told:
            return wire.Asks([("equity", {"range": "random"}), ("pot_odds", {"pot": 300, "call": 100})])
        return wire.Asks([("equity", {"range": "77+, AKs"})]) if len(told) < 3 else passive(prompt, body)

    return policy


@pytest.mark.parametrize(("api", "mode"), one_in(3, [(api, mode) for api, modes in MODES.items() for mode in modes]))
def test_a_model_asks_and_then_decides(api, mode):
    recorder = Exchanges()
    recorder.forget = lambda _: None
    with Provider(policy=asks_first(api)) as provider:
        result = run(provider, api=api, outputMode=mode, tools=TOOLS, recorder=recorder, game={"handsPerGame": 1})
        requests = provider.requests
    decisions = DECISIONS // 2
    assert faults_of(result) == []
    assert_complete(result, hands=1)
    assert len(requests) == 3 * decisions
    assert [len(wire.answers_of(api, request.body)) for request in requests] == [0, 2, 3] * decisions
    assert all({*TOOLS} <= {*wire.tools_of(api, request.body)} for request in requests)
    (usage,) = result.usage
    assert (usage.decisions, usage.exchanges, usage.tools) == (decisions, 3 * decisions, ("equity", "pot_odds"))
    kept = [each for game in recorder._known.values() for each in game.values() if each.attempt]
    assert [each.place[2] for each in kept] == [0, 1, 2] * decisions
    asked = [[call.name for call in each.calls or ()] for each in kept]
    assert asked == [["equity", "pot_odds"], ["equity"], []] * decisions
    answers = [[json.loads(text) for text in each.answers or ()] for each in kept]
    assert [len(each) for each in answers] == [0, 2, 1] * decisions
    assert answers[1][1] == {"pot": 300, "call": 100, "equityNeeded": 0.25}
    assert usage.input_tokens == sum(each.tokens.input for each in kept) + recorder_preflight(recorder)


def recorder_preflight(recorder):
    return sum(each.tokens.input for game in recorder._known.values() for each in game.values() if not each.attempt)


def test_what_a_model_asked_and_was_told_goes_back_to_it_as_its_provider_wants():
    with Provider(policy=asks_first("openai")) as provider:
        run(provider, tools=TOOLS, game={"handsPerGame": 1})
        body = provider.requests[1].body
    asked, *told = body["messages"][2:]
    assert [call["function"]["name"] for call in asked["tool_calls"]] == TOOLS
    assert [(turn["role"], turn["tool_call_id"]) for turn in told] == [("tool", "call_0"), ("tool", "call_1")]


@pytest.mark.parametrize("api", MODES)
def test_a_model_that_never_decides_is_asked_so_often_and_no_more(api):
    def policy(prompt, body):
        return wire.Asks([("pot_odds", {})])

    with Provider(policy=policy) as provider:
        result = run(provider, api=api, tools=TOOLS, game={"handsPerGame": 1, "maxRetries": 0})
        bodies = [request.body for request in provider.requests]
    assert [fault.kind for fault in faults_of(result)] == ["unparsable"] * 2
    assert len(bodies) == 2 * (MOST_STEPS + 1)
    assert len(wire.answers_of(api, bodies[MOST_STEPS])) == MOST_STEPS


def test_more_calls_at_once_than_are_answered_get_an_error_each():
    def policy(prompt, body):
        told = wire.answers_of("openai", body)
        if not told:
            return wire.Asks([("pot_odds", {})] * (MOST_CALLS + 2))
        assert Counter(text.startswith("error") for text in told) == {False: MOST_CALLS, True: 2}
        return passive(prompt, body)

    with Provider(policy=policy) as provider:
        assert faults_of(run(provider, tools=TOOLS, game={"handsPerGame": 1})) == []


def test_a_call_of_a_tool_that_was_not_offered_is_a_fault():
    with Provider(policy=lambda *_: wire.Asks([("equity", {"range": "random"})])) as provider:
        result = run(provider, tools=["pot_odds"], game={"handsPerGame": 1, "maxRetries": 0})
        assert provider.received == 2
    assert [fault.kind for fault in faults_of(result)] == ["unparsable"] * 2


@pytest.mark.parametrize("api", MODES)
def test_half_of_a_character_in_a_call_is_the_models_fault(api):
    with Provider(policy=lambda *_: wire.Asks([("equity", {"range": "\ud83d"})])) as provider:
        result = run(provider, api=api, tools=TOOLS, game={"handsPerGame": 1, "maxRetries": 0})
    assert [fault.kind for fault in faults_of(result)] == ["unparsable"] * 2


def test_without_tools_none_are_offered():
    with Provider(policy=passive) as provider:
        run(provider, outputMode="native", game={"handsPerGame": 1})
        assert all(wire.tools_of("openai", request.body) == [] for request in provider.requests)


def test_samples_ask_tools_each_for_itself():
    with Provider(policy=asks_first("openai")) as provider:
        result = run(provider, tools=TOOLS, samples=2, game={"handsPerGame": 1})
        assert provider.received == 2 * 3 * DECISIONS // 2
    assert result.usage[0].decisions == DECISIONS // 2


def seen(*actions, cards="AhKd 7c7d 2h3h4h5c6d"):
    hand = Hand(HandRules(50, 100, 0, None), deal_from_text(cards), (10_000, 10_000), button=0)
    for action in actions:
        hand.apply(action)
    return observe(hand, 1)


FLOP = (Action("raiseTo", 300), Action("call"), Action("raiseTo", 600))


@pytest.mark.parametrize("actions", [(), FLOP])
def test_equity_is_the_mean_of_exact_equities(actions):
    look = seen(*actions)
    (own, _), _ = deal_from_text("AhKd 7c7d")
    found = json.loads(answer("equity", '{"range": "QcQd, 9s9c"}', look))
    exact = [
        equity(own, other, look.board) for other in (deal_from_text(f"AhKd {two}")[0][1] for two in ("QcQd", "9s9c"))
    ]
    assert found == {"equity": pytest.approx(sum(exact) / 2, abs=1e-4), "hands": 2}


def test_hands_with_a_card_that_is_seen_do_not_count():
    assert json.loads(answer("equity", '{"range": "random"}', seen()))["hands"] == 50 * 49 / 2
    assert json.loads(answer("equity", '{"range": "AKs"}', seen()))["hands"] == 2


def test_pot_odds_are_those_of_the_decision_unless_others_are_asked_for():
    assert json.loads(answer("pot_odds", "{}", seen(*FLOP))) == {"pot": 1200, "call": 600, "equityNeeded": 0.3333}
    assert json.loads(answer("pot_odds", '{"call": 0}', seen(*FLOP)))["equityNeeded"] == 0
    assert json.loads(answer("pot_odds", '{"pot": 0, "call": 9}', seen()))["equityNeeded"] == 1


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("equity", "{}"),
        ("equity", "no object"),
        ("equity", "[]"),
        ("equity", "[" * 2000),
        ("equity", '{"range": 7}'),
        ("equity", '{"range": ""}'),
        ("equity", '{"range": "77+, what"}'),
        ("equity", '{"range": "AhKd"}'),
        ("equity", '{"range": "random", "cards": "AsAd"}'),
        ("equity", '{"range": "' + "77," * 900 + '"}'),
        ("pot_odds", '{"pot": -1}'),
        ("pot_odds", '{"pot": 1.5}'),
        ("pot_odds", '{"call": true}'),
        ("pot_odds", '{"call": ' + "9" * 400 + "}"),
        ("solver", "{}"),
    ],
)
def test_a_wrong_call_is_told_what_is_expected(name, arguments):
    found = answer(name, arguments, seen())
    assert found.startswith("error: ")
    assert len(found) < 300


@pytest.mark.parametrize("tools", [["solver"], ["equity", "equity"], "equity"])
def test_other_tools_are_an_error(tools):
    with pytest.raises(ValueError, match="tools"):
        LLMSettings(model="openai:m", tools=tools)


def test_an_output_mode_that_does_not_go_with_tools_is_an_error_before_the_first_card():
    with Provider(policy=passive) as provider:
        wanted = config(model(provider, "google", outputMode="native", tools=TOOLS))
        with pytest.raises(ConfigError, match=r"tools = .*equity.*: expected none beside outputMode native"):
            run_benchmark(wanted)
        assert provider.received == provider.preflights == 0
