"""Replies that state a strategy: how they are read, and what goes over the wire by every provider."""

import pytest

from molt_bench.config.loader import load_config
from molt_bench.errors import AgentFailed
from molt_bench.llm.conversation import Conversation
from molt_bench.llm.estimate import estimate_of
from molt_bench.llm.prompt import decision_prompt, default_skill
from molt_bench.llm.reply import MOST_ACTIONS, read_reply
from molt_bench.llm.settings import LLMSettings
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from tests.llm.mixing import mixing, stated
from tests.llm.playing import MODELS, Kept, faults_of, prompts_of, run
from tests.llm.provider import Provider
from tests.llm.test_conversation import exchange, seen

MIXED = LLMSettings(model="openai:m", reply="strategy")
FOLD_OR_RAISE = stated(("fold", None, 20), ("raiseTo", 600, 80))


def read(text, finish="stop"):
    return read_reply(text, finish, strategy=True).answer.text


def test_a_strategy_is_read():
    assert read(f" {FOLD_OR_RAISE}\n") == "20f,80r600"


def test_there_may_be_text_before_it():
    assert read(f"I mix. {FOLD_OR_RAISE}") == "20f,80r600"
    assert read(f"{stated(('fold', None, 21), ('raiseTo', 600, 79))} So: {FOLD_OR_RAISE}") == "20f,80r600"


def test_what_is_unambiguous_is_taken():
    """A whole number with a decimal point, and an action that is never taken, legal or not."""
    assert read(stated(("raiseTo", 600.0, 60.0), ("call", None, 40.0))) == "60r600,40c"
    assert read(stated(("check", None, 0), ("call", None, 100))) == "100c"
    assert read(stated(("call", 300, 100))) == "100c"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"reasoning": "r"}', '"strategy" is missing; expected a list of actions'),
        ('{"kind": "call", "amount": null}', '"strategy" is missing'),
        ('{"strategy": "call"}', '"strategy" is .*call.*; expected a list'),
        ('{"strategy": {"call": 100}}', "expected a list"),
        ('{"strategy": ["call"]}', "expected a list"),
        ('{"strategy": []}', '"strategy" has 0 actions; expected 1 to 6'),
        (stated(*(("raiseTo", 200 + at, 10) for at in range(10))), "has 10 actions; expected 1 to 6"),
        (stated(("fold", None, 20), ("call", None, 70)), "add up to 90; expected 100"),
        (stated(("fold", None, 100), ("call", None, 10)), "add up to 110; expected 100"),
        (stated(("fold", None, -20), ("call", None, 120)), '"percent" is -20; expected a whole number from 0 to 100'),
        (stated(("fold", None, 33.5), ("call", None, 66.5)), '"percent" is 33.5; expected a whole number'),
        (stated(("fold", None, "50"), ("call", None, 50)), '"percent" is .*50.*; expected a whole number'),
        (stated(("fold", None, True), ("call", None, 99)), '"percent" is .*rue; expected a whole number'),
        (stated(("fold", None, 0.2), ("call", None, 0.8)), '"percent" is 0.2'),
        ('{"strategy": [{"kind": "call"}]}', '"percent" is missing'),
        (stated(("call", None, 50), ("call", None, 50)), "has call twice; expected every action once"),
        (stated(("raiseTo", 300, 50), ("raiseTo", 300.0, 50)), "has raiseTo 300 twice"),
        (stated(("bet", 300, 100)), '"kind" is .*bet.*; expected one of'),
        (stated(("raiseTo", None, 100)), '"amount" is .*; expected a whole number of chips'),
        (stated(("raiseTo", 10**40, 100)), '"amount" is .*; expected a number of chips'),
    ],
)
def test_what_is_wrong_with_a_strategy_is_said(text, said):
    with pytest.raises(AgentFailed, match=said) as told:
        read(text)
    assert told.value.kind == "unparsable"


def test_what_is_cut_off_is_truncated():
    with pytest.raises(AgentFailed) as told:
        read(FOLD_OR_RAISE[:-5], "length")
    assert told.value.kind == "truncated"


def test_a_reply_that_is_an_action_has_no_strategy():
    with pytest.raises(AgentFailed, match='"kind" is missing'):
        read_reply(FOLD_OR_RAISE, "stop")


def test_the_skill_document_has_no_dice_and_examples_that_can_be_read():
    skill = default_skill("strategy")
    assert "dice" not in skill.lower()
    assert "one action." not in skill
    lines = [line.strip() for line in skill.splitlines() if line.startswith("    {")]
    assert {entry.lstrip("0123456789")[0] for line in lines for entry in read(line).split(",")} == {*"fkcr"}
    assert f"one to {['zero', 'one', 'two', 'three', 'four', 'five', 'six'][MOST_ACTIONS]} different" in skill


def test_the_message_has_no_dice_and_asks_for_a_strategy():
    told = decision_prompt(seen(), MIXED)
    assert "Dice" not in told
    assert "pot odds" in told
    assert told.splitlines()[-1].startswith(
        'Think first, then end your reply with one JSON object: {"strategy": [{"kind": "fold"'
    )
    assert told.endswith("up to 6, together 100 percent]}")


def test_what_was_drawn_is_remembered_with_its_reason():
    talk = Conversation(LLMSettings(model="openai:m", reply="strategy", memory="session"))
    assert talk.take_reply(seen(), exchange(FOLD_OR_RAISE)) == Mix([(Action("fold"), 20), (Action("raiseTo", 600), 80)])
    assert "- preflop, raiseTo 600: " in talk.message(seen(1, Action("raiseTo", 600), Action("raiseTo", 1_200)))


def played(settings=None, policy=mixing, **options):
    """Play a match; return the result, its exchanges and its provider."""
    kept = Kept()
    with Provider(policy=policy) as provider:
        result = run(provider, reply="strategy", recorder=kept, **(settings or {}), **options)
    return result, [each for each in kept.all if each.attempt], provider


@pytest.mark.parametrize("api", MODELS)
def test_it_is_played_without_a_fault_by_every_provider(api):
    result, exchanges, _ = played(api=api)
    assert not faults_of(result)
    assert exchanges
    games = [game for match in result.matches for game in match.games]
    assert sum(line.count(":") for game in games for line in game.mixes) == len(exchanges)


def test_bad_sums_are_faults_with_a_retry_that_says_what_is_wrong():
    def careless(prompt, body):
        answer = mixing(prompt)
        if "not taken" not in prompt:
            answer["strategy"][0]["percent"] += 5
        return answer

    result, exchanges, provider = played(policy=careless)
    faults = faults_of(result)
    assert {(each.kind, each.message) for each in faults} == {
        ("unparsable", "the percentages add up to 105; expected 100")
    }
    again = [prompt for prompt in prompts_of(provider) if "not taken" in prompt]
    assert len(again) == len(faults)
    assert all("Your last answer was not taken: the percentages add up to 105; expected 100" in each for each in again)
    assert {each.attempt for each in exchanges} == {1, 2}


def test_an_illegal_action_is_a_fault_even_where_it_is_never_drawn():
    def greedy(prompt, body):
        return {"reasoning": "", "strategy": [{"kind": "raiseTo", "amount": 1, "percent": 1}, *SURE]}

    result, _, _ = played(policy=greedy)
    faults = faults_of(result)
    assert {each.kind for each in faults} == {"illegal"}
    assert any(each.forced_fold for each in faults)


SURE = [{"kind": "fold", "amount": None, "percent": 99}]


def test_a_strategy_is_a_little_longer_in_plans_and_its_dice_are_known_already():
    def config(**settings):
        model = {"id": "m", "type": "llm", "model": "openai:gpt-4.1", **settings}
        return load_config({"participants": [model, "tight"]})

    plain, mixed = (
        estimate_of(config(reply=reply).models()["m"], 50, skill=default_skill(reply))
        for reply in ("action", "strategy")
    )
    assert plain.output_tokens < mixed.output_tokens < 2 * plain.output_tokens
    assert plain.input_tokens < mixed.input_tokens < 1.5 * plain.input_tokens
