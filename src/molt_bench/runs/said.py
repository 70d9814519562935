"""What models were asked and what they said: read from the replies of a run when it is needed, and not kept."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from molt_bench.errors import AgentFailed
from molt_bench.llm.reply import read_reply
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.poker.mix import Mix
from molt_bench.runs.replies import Skill, read_line
from molt_bench.specs import GameLabel


class Said(NamedTuple):
    """One attempt of a model at a decision.

    Attributes:
        exchange: What was asked, and what came of it.
        system: The system prompt of the model.
        reasoning: What the reply says before its answer.
        mix: The strategy that it states, if it states one.
    """

    exchange: Exchange
    system: str | None
    reasoning: str | None = None
    mix: Mix | None = None


def said_in(path: Path, models: Mapping[str, LLMSettings], game: GameLabel | None = None) -> Iterator[Said]:
    """Return what the models of a run said, in the order in which it was written; in one game if it is named.

    An incomplete last line is left out. Raises JournalError if a line is damaged.
    """
    wanted = b"" if game is None else msgspec.json.encode(game)
    skills: dict[str, str] = {}
    with open(path, "rb") as file:
        for text in file:
            is_skill = text.startswith(b'{"line":"skill"')
            if not text.endswith(b"\n") or not (
                is_skill or (text.startswith(b'{"line":"exchange"') and wanted in text)
            ):
                continue
            line = read_line(text, str(path))
            if isinstance(line, Skill):
                skills[line.participant] = line.text
            elif isinstance(line, Exchange) and game in (None, line.game) and line.outcome != "cut":  # asked for again
                yield _read(line, models, skills.get(line.participant))


def _read(exchange: Exchange, models: Mapping[str, LLMSettings], system: str | None) -> Said:
    settings = models.get(exchange.participant)
    if exchange.outcome == "reply" and settings is not None:
        with suppress(AgentFailed):
            reply = read_reply(exchange.text, exchange.finish, strategy=settings.reply == "strategy")
            mix = reply.answer if isinstance(reply.answer, Mix) else None
            return Said(exchange, system, reply.reasoning, mix)
    return Said(exchange, system)
