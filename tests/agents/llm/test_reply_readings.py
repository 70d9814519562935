"""What replies say, and how they are read: never against their author's word."""

import pytest

from molt_bench.agents.llm.settings import HARNESS_VERSIONS, LLMSettings
from molt_bench.agents.llm.skill_document import default_skill
from molt_bench.agents.llm.talk.reply import read_answer, read_free_reply, read_reply
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action

FOLD, CHECK, CALL, RAISE = Action("fold"), Action("check"), Action("call"), Action("raiseTo", 1800)
#: Stand for a fault.
UNCLEAR, CUT = "unparsable", "truncated"

#: Replies in plain text.
FREE = {
    "ACTION: fold": FOLD,
    "ACTION: check": CHECK,
    "ACTION: call": CALL,
    "ACTION: raiseTo 1800": RAISE,
    "action: Call": CALL,
    "ACTION:call": CALL,
    "ACTION: call (600)": CALL,
    "ACTION: call (1,600)": CALL,
    "ACTION: call 600": CALL,
    "ACTION: call (600 chips)": CALL,
    "ACTION: call (6 bb)": CALL,
    "ACTION: raiseTo 1,800": RAISE,
    "ACTION: raise to 1800": RAISE,
    "ACTION: Raise To 1,800": RAISE,
    "ACTION: raise_to 1800": RAISE,
    "ACTION: raiseTo 1800 chips": RAISE,
    "ACTION: raiseTo 1800 (18 bb)": RAISE,
    "ACTION: raiseTo 1800 (all-in)": RAISE,
    "ACTION: raiseTo 1800.": RAISE,
    "ACTION: fold!": FOLD,
    "**ACTION: call (600)**": CALL,
    "**ACTION:** call": CALL,
    "ACTION: **raiseTo 1,800**": RAISE,
    "ACTION: **raiseTo** 1800": RAISE,
    "*ACTION: check*": CHECK,
    "`ACTION: call`": CALL,
    '"ACTION: call"': CALL,
    "\u201cACTION: call.\u201d": CALL,
    "> ACTION: call": CALL,
    "- ACTION: call": CALL,
    "### ACTION: fold": FOLD,
    "```\nACTION: call\n```": CALL,
    "I think.\n```text\nACTION: raiseTo 1,800\n```\n": RAISE,
    "<answer>ACTION: call</answer>": CALL,
    "ACTION: fold\nNo, wait.\nACTION: call": CALL,
    "<Think>ACTION: fold</Think>\nACTION: call": CALL,
    "<reasoning>\nACTION: fold\n</reasoning>\nACTION: call": CALL,
    "ACTION: fold</think>ACTION: call": CALL,
    "<scratchpad>ACTION: fold": CUT,
    "<reasoning>ACTION: fold</reasoning>": UNCLEAR,
    "ACTION: call\nCorrection: fold": UNCLEAR,
    "ACTION: fold or call": UNCLEAR,
    "ACTION: call or fold": UNCLEAR,
    "ACTION: raiseTo N": UNCLEAR,
    "ACTION: raiseTo 1200..9700": UNCLEAR,
    "ACTION: raiseTo 1,80": UNCLEAR,
    "ACTION: raiseTo 1.800": UNCLEAR,
    "ACTION: raiseTo 60.5": UNCLEAR,
    "ACTION: raise 1800": UNCLEAR,
    "ACTION: raise by 1800": UNCLEAR,
    "ACTION: raiseTo 1800 or 2400": UNCLEAR,
    "ACTION: raiseTo 1800 (or fold)": UNCLEAR,
    "ACTION: bet 1800": UNCLEAR,
    "ACTION: all-in": UNCLEAR,
    "ACTION: don't call": UNCLEAR,
    "ACTION: fold (600)": UNCLEAR,
    "My ACTION: call": UNCLEAR,
    "I call": UNCLEAR,
    "ACTION:": UNCLEAR,
    "```": UNCLEAR,
}

_CALL, _FOLD = '{"reasoning": "r", "kind": "call", "amount": null}', '{"kind": "fold", "amount": null}'
#: Replies in output mode `text` of harness strict.
TEXT = {
    _CALL: CALL,
    f"```json\n{_CALL}\n```": CALL,
    f"I have odds. {_CALL}": CALL,
    f"I have odds.\n\n```json\n{_CALL}\n```\n": CALL,
    f"Equity: {{0.4}}. {_CALL}": CALL,
    f'{{"equity": 0.4}}\n{_CALL}': CALL,
    f"{_CALL}\n{_CALL}": CALL,
    f"<answer>{_CALL}</answer>": CALL,
    f"<final_answer>\n{_CALL}\n</final_answer>": CALL,
    f"<think>{_FOLD}</think>{_CALL}": CALL,
    f"<Think>{_FOLD}</Think>{_CALL}": CALL,
    f"<THINKING>{_FOLD}</THINKING>{_CALL}": CALL,
    f"<reasoning>{_FOLD}</reasoning>\n{_CALL}": CALL,
    f'<reasoning effort="high">{_FOLD}</reasoning>\n{_CALL}': CALL,
    f"<scratchpad>{_FOLD}</scratchpad>{_CALL}": CALL,
    f"<analysis>{_FOLD}</analysis>{_CALL}": CALL,
    f"{_FOLD}</think>{_CALL}": CALL,
    f"{_CALL}<reasoning>not {_FOLD}, since</reasoning>": CALL,
    '{"reasoning": "I <think> so", "kind": "call"}': CALL,
    f"{_CALL}\nCorrection: fold": UNCLEAR,
    f"{_CALL} No, I fold.": UNCLEAR,
    f"{_FOLD}\n{_CALL}": UNCLEAR,
    f"Draft: {_FOLD}. Final: {_CALL}": UNCLEAR,
    f"Not {_CALL} but a fold": UNCLEAR,
    f"<reasoning>perhaps {_CALL}</reasoning> I fold.": UNCLEAR,
    f"<scratchpad>perhaps {_CALL}</scratchpad>": UNCLEAR,
    f"<maybe>{_CALL}</maybe>": UNCLEAR,
    f"<Think>perhaps {_CALL}": CUT,
    f"<reasoning>perhaps {_CALL}": CUT,
    f"<scratchpad>\n{_CALL}\n": CUT,
    f"{_CALL}\nOn reflection: {_FOLD[:20]}": CUT,
    f"[{_CALL}, {_FOLD}]": UNCLEAR,
    "I call.": UNCLEAR,
    '{"equity": 0.4}': UNCLEAR,
}


def read(reader, *arguments):
    """Return the action of a reply, or the kind of its fault."""
    try:
        return reader(*arguments).action
    except AgentFailed as failure:
        return failure.kind


@pytest.mark.parametrize("text", FREE)
def test_free_text_is_read_as_it_is_meant(text):
    assert read(read_free_reply, text, "stop") == FREE[text]
    assert read(read_free_reply, f"The pot is big.\n\n{text}\n", "stop") == FREE[text]


@pytest.mark.parametrize("text", TEXT)
def test_an_object_among_text_is_read_as_it_is_meant_or_not_at_all(text):
    assert read(read_reply, text, "stop", "text") == TEXT[text]


@pytest.mark.parametrize("text", TEXT)
@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_no_other_mode_reads_another_action_there(text, mode):
    assert read(read_reply, text, "stop", mode) in (TEXT[text], UNCLEAR, CUT)


@pytest.mark.parametrize("harness", HARNESS_VERSIONS)
def test_every_example_of_the_prompt_is_read_and_no_kind_or_size_stands_alone(harness):
    lines = [line.strip() for line in default_skill(harness).splitlines() if line.startswith("    ")]
    replies = [read_answer(LLMSettings(model="a:b", harness=harness), line, "stop", "native") for line in lines]
    actions = [action for each in replies for action in [share.action for share in each.strategy] or [each.action]]
    assert {action.kind for action in actions} == {"fold", "check", "call", "raiseTo"}
    sizes = sorted(action.amount for action in actions if action.kind == "raiseTo")
    assert len(sizes) >= 2
    assert sizes[-1] > 10 * sizes[0]


def test_the_action_may_come_first_in_examples():
    skill = default_skill("strict", "standard", "action")
    assert '    {"kind": "raiseTo", "amount": 240, "reasoning": "..."}\n' in skill
    assert "few sentences" not in skill
