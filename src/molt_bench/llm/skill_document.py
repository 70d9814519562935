"""The skill document: the system prompt of a model, the user's own or the default."""

from functools import cache
from pathlib import Path
from typing import Final

from molt_bench.files import text_of
from molt_bench.llm.settings import LLMSettings, ReplyForm

#: Most bytes of a skill document.
_LONGEST_SKILL: Final = 1_000_000


def system_prompt(settings: LLMSettings) -> str:
    """Return the skill document: the user's, verbatim, or the default; raises ConfigError if it cannot be read."""
    if settings.skill_doc is None:
        return default_skill(settings.reply)
    return text_of(settings.skill_doc, field="skillDoc", most_bytes=_LONGEST_SKILL, encoding="utf-8")


@cache
def default_skill(reply: ReplyForm = "action") -> str:
    """Return the default skill document: rules, notation and the form of the reply, but no strategy."""
    return (Path(__file__).parent / f"skill_{reply}.md").read_text("utf-8")
