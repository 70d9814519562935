"""What replies say, and how they are read: never against their author's word."""

import pytest

from molt_bench import Mix
from molt_bench.errors import AgentFailed
from molt_bench.llm.prompt import default_skill
from molt_bench.llm.reply import read_reply
from molt_bench.llm.settings import REPLY_VERSIONS
from molt_bench.poker.actions import Action

CALL = Action("call")
#: Stand for a fault.
UNCLEAR, CUT = "unparsable", "truncated"

_CALL, _FOLD = '{"reasoning": "r", "kind": "call", "amount": null}', '{"kind": "fold", "amount": null}'
#: Replies, and what each of them means.
TEXT = {
    _CALL: CALL,
    f"```json\n{_CALL}\n```": CALL,
    f"I have odds. {_CALL}": CALL,
    f"I have odds.\n\n```json\n{_CALL}\n```\n": CALL,
    f"Equity: {{0.4}}. {_CALL}": CALL,
    f'{{"equity": 0.4}}\n{_CALL}': CALL,
    f"<answer>{_CALL}</answer>": CALL,
    f"<think>{_FOLD}</think>{_CALL}": CALL,
    f"{_FOLD}</think>{_CALL}": CALL,
    f"{_CALL}\nI am sure of it.": CALL,
    f"{_FOLD}\n{_CALL}": CALL,
    f"Draft: {_FOLD}. Final: {_CALL}": CALL,
    f"[{_FOLD}, {_CALL}]": CALL,
    f"{_FOLD}, with {{A, K}}: {_CALL}, not {{Q}}": CALL,
    '{"reasoning": "I <think> so", "kind": "call"}': CALL,
    f'{_CALL} Final: {{"kind": fold}}': UNCLEAR,
    f'{_CALL} Final: {{"kind": "fold", "kind": "call"}}': UNCLEAR,
    f'{_CALL} {{"equity": 0.4}}': UNCLEAR,
    f"{_CALL}\nOn reflection: {_FOLD[:20]}": CUT,
    f"{_CALL} {{": CUT,
    "I call.": UNCLEAR,
    '{"equity": 0.4}': UNCLEAR,
}


def read(reader, *arguments):
    """Return the action of a reply, or the kind of its fault."""
    try:
        return reader(*arguments).answer
    except AgentFailed as failure:
        return failure.kind


@pytest.mark.parametrize("text", TEXT)
def test_the_last_object_of_a_text_counts_or_nothing_does(text):
    assert read(read_reply, text, "stop") == TEXT[text]


@pytest.mark.parametrize("form", REPLY_VERSIONS)
def test_every_example_of_the_prompt_is_read_and_no_kind_or_size_stands_alone(form):
    lines = [line.strip() for line in default_skill(form).splitlines() if line.startswith("    ")]
    replies = [read_reply(line, "stop", strategy=form == "strategy") for line in lines]
    answers = [each.answer for each in replies]
    actions = [action for each in answers for action, _ in (each.entries if isinstance(each, Mix) else [(each, 1)])]
    assert {action.kind for action in actions} == {"fold", "check", "call", "raiseTo"}
    sizes = sorted(action.amount for action in actions if action.kind == "raiseTo")
    assert len(sizes) >= 2
    assert sizes[-1] > 10 * sizes[0]
