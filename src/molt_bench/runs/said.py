"""What models were asked and what they said: read from the replies of a run when it is needed, and not kept."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

import msgspec

from molt_bench.errors import AgentFailed
from molt_bench.llm.reply import Reply, read_reply
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.poker.mix import Mix
from molt_bench.runs.replies import Skill, read_line
from molt_bench.specs import GameLabel


class Said:
    """One attempt of a model at a decision.

    Attributes:
        exchange: What was asked, and what came of it.
        system: The system prompt of the model.
    """

    def __init__(self, exchange: Exchange, system: str | None, settings: LLMSettings | None) -> None:
        self.exchange = exchange
        self.system = system
        self._settings = settings

    @cached_property
    def _reply(self) -> Reply | None:
        if self.exchange.outcome != "reply" or self._settings is None:
            return None
        try:
            return read_reply(self.exchange.text, self.exchange.finish, strategy=self._settings.reply == "strategy")
        except AgentFailed:
            return None

    @property
    def reasoning(self) -> str | None:
        """What a valid reply says before its answer."""
        return None if self._reply is None else self._reply.reasoning

    @property
    def mix(self) -> Mix | None:
        """The strategy that it states, if it states one."""
        answer = None if self._reply is None else self._reply.answer
        return answer if isinstance(answer, Mix) else None


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
                yield Said(line, skills.get(line.participant), models.get(line.participant))
