"""The skill document: the system prompt of a model, the user's own or the default."""

from functools import cache
from pathlib import Path
from typing import Final

from molt_bench.files import text_of
from molt_bench.llm.settings import LLMSettings, ReplyForm

#: Most bytes of a skill document.
_LONGEST_SKILL: Final = 1_000_000
#: What stands in skill documents for examples of replies in JSON; and the actions of those, of every kind and of very
#: different sizes, so that none suggests itself.
_EXAMPLES_LINE: Final = "    EXAMPLES\n"
_EXAMPLES: Final = (("check", "null"), ("raiseTo", "240"), ("fold", "null"), ("raiseTo", "7350"), ("call", "null"))
#: The same of replies that state a strategy, each a list of actions with percentages; and what the document then says
#: of an answer.
_STRATEGIES: Final = (
    (("check", "null", 100),),
    (("fold", "null", 35), ("raiseTo", "7350", 65)),
    (("call", "null", 20), ("raiseTo", "240", 50), ("raiseTo", "990", 30)),
)
_ONE_ACTION: Final = ("you answer with one action.", "you answer with a mixed strategy.")


def system_prompt(settings: LLMSettings) -> str:
    """Return the skill document: the user's, verbatim, or the default; raises ConfigError if it cannot be read."""
    if settings.skill_doc is None:
        return default_skill(settings.reply)
    return text_of(settings.skill_doc, field="skillDoc", most_bytes=_LONGEST_SKILL, encoding="utf-8")


@cache
def default_skill(reply: ReplyForm = "action") -> str:
    """Return the default skill document: rules, notation and the form of the reply, but no strategy."""
    rules, form = ((Path(__file__).parent / name).read_text("utf-8") for name in ("skill.md", f"skill_{reply}.md"))
    if reply == "strategy":
        rules = rules.replace(*_ONE_ACTION)
        shown = [f'"strategy": [{", ".join([_share(*each) for each in strategy])}]' for strategy in _STRATEGIES]
    else:
        shown = [f'"kind": "{kind}", "amount": {amount}' for kind, amount in _EXAMPLES]
    examples = "".join(f"    {{{what}}}\n" for what in shown)
    return f"{rules}\n{form.replace(_EXAMPLES_LINE, examples)}"


def _share(kind: str, amount: str, percent: int) -> str:
    return f'{{"kind": "{kind}", "amount": {amount}, "percent": {percent}}}'
