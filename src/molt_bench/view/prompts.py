"""Prompting: what a model was asked, written anew. The record has only its hash, and what is shown agrees with that."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

import msgspec

from molt_bench.agents.llm.agent import reply_in
from molt_bench.agents.llm.exchange import Exchange
from molt_bench.agents.llm.memory import HandMemory, SessionMemory
from molt_bench.agents.llm.model_settings import LLMSettings
from molt_bench.agents.llm.prompt import decision_prompt
from molt_bench.errors import AgentFailed
from molt_bench.play.game import Hook, Notice, turns
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.runs.journal import Game
from molt_bench.view.open_run import OpenRun

_HEARD: Final[tuple[Hook, ...]] = ("on_hand_complete",)


class _Asked:
    """A model at a table where everything that happened is told again."""

    def __init__(self, settings: LLMSettings, skill: str) -> None:
        self.settings = settings
        self._skill = sha256(skill.encode())
        self._session = SessionMemory(settings.shown_hands)
        self._thoughts = HandMemory()

    def remember(self, result: HandResult) -> None:
        """Remember what the table saw."""
        if self.settings.memory == "session":
            self._session.add(result)

    def message(self, seen: Observation, exchange: Exchange, errors: Iterable[str]) -> str | None:
        """Return the message whose hash was recorded: with one of the errors that were fed back, or with none."""
        for error in (None, *errors):
            written = decision_prompt(
                msgspec.structs.replace(seen, previous_error=error),
                memory=self._session.text() if self.settings.memory == "session" else "",
                thoughts=self._thoughts.text(seen.hand_number) if self.settings.memory != "none" else "",
                track=self.settings.track,
                comprehension=self.settings.comprehension,
            )
            digest = self._skill.copy()
            digest.update(b"\0" + written.encode())
            if digest.hexdigest() == exchange.prompt_hash:
                return written
        return None

    def think(self, seen: Observation, exchange: Exchange) -> None:
        """Remember a thought that led to an action."""
        try:
            reply = reply_in(exchange)
        except AgentFailed:
            return
        action = reply.action
        if self.settings.memory != "none" and seen.legal.allows(action):
            said = f"{action.kind} {action.amount}" if action.kind == "raiseTo" else action.kind
            self._thoughts.add(seen.hand_number, seen.street, reply.reasoning, said)


def prompts_of(run: OpenRun, game: Game, number: int) -> dict[str, str]:
    """Return the messages of a hand by their hashes; one that cannot be written as it was is left out."""
    record, found = game.record, dict[str, str]()
    names = game.participants if record.seating == "AB" else game.participants[::-1]
    models = run.config.models()
    asked = {
        seat: _Asked(models[name], run.skills[name])
        for seat, name in enumerate(names)
        if name in models and name in run.skills
    }
    errors = [fault.message for fault in record.faults if fault.hand_number == number]
    logs = [parsed.hand.log for parsed in record.replay()]
    exchanges = run.exchanges.get((game.match, record.seed, record.seating, number), [])
    table = turns(record.spec, listening=(_HEARD, _HEARD))
    turn = next(table)
    while True:
        if isinstance(turn, Notice):
            (result,) = turn.arguments
            if isinstance(result, HandResult):
                if result.hand_number >= number:
                    return found
                if turn.seat in asked:
                    asked[turn.seat].remember(result)
            turn = table.send(None)
            continue
        model, decision = asked.get(turn.seat), len(turn.log)
        if turn.hand_number == number and model is not None:
            for exchange, span in exchanges:
                if exchange.decision == decision:
                    message = model.message(turn, exchange, errors)
                    if message is not None:
                        found[exchange.prompt_hash] = message
                    model.think(turn, msgspec.structs.replace(exchange, text=run.exchange_text(span)))
        done = logs[turn.hand_number - 1][decision]
        turn = table.send(Action(done.kind, done.amount))
